// Converts and validates the occupancy form, using the contract's rules (OC-01).
import { errorCode, serverErrors } from "@psp/contract/errors.ts";
import {
  type NewOccupancyApp,
  newOccupancyAppSchema,
  type OccupancyApp,
} from "@psp/contract/occupancy/occupancy-app.ts";
import { occupancyAppTypes, occupancyAppVersion } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { occupancyText as text } from "../occupancy.text.ts";

export type Rule = {
  /** React key, which stays the same when rules are moved. */
  key: number;
  name: string;
  active: boolean;
  message: string;
};

export type OccupancyFields = {
  enabled: boolean;
  maxObjects: string;
  hour: number;
  minute: number;
  counting: { all: boolean; ids: string[] };
  openedTitle: string;
  openedSubtitle: string;
  openedColor: string;
  closedTitle: string;
  closedSubtitle: string;
  closedColor: string;
  logo: string;
  freeSpacesText: string;
  showNumberOfPeople: boolean;
  restrictionTitle: string;
  rules: Rule[];
};

export function toFields({ enabled, settings }: OccupancyApp): OccupancyFields {
  const { maxObjects, resetTime, sensors, frontend } = settings;
  return {
    enabled,
    maxObjects: maxObjects === null ? "" : String(maxObjects),
    hour: resetTime.timeOfDay.hour,
    minute: resetTime.timeOfDay.minute,
    counting: { all: sensors === null, ids: sensors ?? [] },
    openedTitle: frontend.opened.title,
    openedSubtitle: frontend.opened.subtitle,
    openedColor: frontend.opened.color,
    closedTitle: frontend.closed.title,
    closedSubtitle: frontend.closed.subtitle,
    closedColor: frontend.closed.color,
    logo: frontend.logo,
    freeSpacesText: frontend.freeSpacesText,
    showNumberOfPeople: frontend.showNumberOfPeople,
    restrictionTitle: frontend.restrictionTitle,
    rules: frontend.restrictions.map(({ name, active, message }, key) => ({ key, name, active, message })),
  };
}

/** Null if empty, NaN if not an integer. */
function toNumber(typed: string): number | null {
  const trimmed = typed.trim();
  if (trimmed === "") return null;
  return /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

export function toApp(fields: OccupancyFields): NewOccupancyApp {
  return {
    version: occupancyAppVersion,
    type: occupancyAppTypes[0],
    enabled: fields.enabled,
    settings: {
      maxObjects: toNumber(fields.maxObjects),
      resetTime: { interval: "daily", timeOfDay: { hour: fields.hour, minute: fields.minute, second: 0 } },
      events: [],
      sensors: fields.counting.all ? null : fields.counting.ids,
      frontend: {
        opened: { title: fields.openedTitle, subtitle: fields.openedSubtitle, color: fields.openedColor.trim() },
        closed: { title: fields.closedTitle, subtitle: fields.closedSubtitle, color: fields.closedColor.trim() },
        logo: fields.logo.trim(),
        freeSpacesText: fields.freeSpacesText,
        showNumberOfPeople: fields.showNumberOfPeople,
        restrictionTitle: fields.restrictionTitle,
        restrictions: fields.rules.map(({ name, active, message }) => ({ name, active, message })),
      },
    },
  };
}

export type FormErrors = Readonly<Record<string, string>>;

export const ruleFieldId = (index: number, part: "name" | "message") => `rules-${index}-${part}`;

const places: Readonly<Record<string, keyof OccupancyFields>> = {
  maxObjects: "maxObjects",
  "resetTime.timeOfDay.hour": "hour",
  "resetTime.timeOfDay.minute": "minute",
  "frontend.opened.title": "openedTitle",
  "frontend.opened.subtitle": "openedSubtitle",
  "frontend.opened.color": "openedColor",
  "frontend.closed.title": "closedTitle",
  "frontend.closed.subtitle": "closedSubtitle",
  "frontend.closed.color": "closedColor",
  "frontend.logo": "logo",
  "frontend.freeSpacesText": "freeSpacesText",
  "frontend.restrictionTitle": "restrictionTitle",
};

/** Form field to which the path of a validation issue belongs. */
function fieldAt(path: readonly PropertyKey[]): string {
  const [, ...within] = path.map(String);
  const rule = /^frontend\.restrictions\.(\d+)\.(name|message)$/.exec(within.join("."));
  if (rule !== null) return ruleFieldId(Number(rule[1]), rule[2] as "name" | "message");
  if (within[0] === "sensors") return "counting";
  return places[within.join(".")] ?? "rules";
}

export function validateOccupancy(fields: OccupancyFields): FormErrors {
  const found = new Map<string, string>();
  const { error } = newOccupancyAppSchema.safeParse(toApp(fields));
  for (const issue of error?.issues ?? []) {
    const field = fieldAt(issue.path);
    const isForbidden = issue.code === "custom" && issue.params?.["code"] === errorCode.invalidInput;
    if (!found.has(field)) found.set(field, isForbidden ? serverErrors.invalidInput.message : issue.message);
  }
  if (fields.enabled && !fields.counting.all && fields.counting.ids.length === 0)
    found.set("counting", text.countingRequired);
  const order = [
    ...Object.keys(toOrder),
    ...fields.rules.flatMap((_, n) => [ruleFieldId(n, "name"), ruleFieldId(n, "message")]),
  ];
  return Object.fromEntries([...found].toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
}

/** Labels of the fields in the save bar, in the order of the page. */
const toOrder: Readonly<Record<keyof OccupancyFields, string>> = {
  enabled: text.enabled,
  maxObjects: text.maxObjects,
  hour: text.resetTime,
  minute: text.resetTime,
  counting: text.counting,
  openedTitle: text.opened,
  openedSubtitle: text.opened,
  openedColor: text.opened,
  closedTitle: text.closed,
  closedSubtitle: text.closed,
  closedColor: text.closed,
  freeSpacesText: text.freeSpacesText,
  showNumberOfPeople: text.showNumberOfPeople,
  logo: text.logo,
  restrictionTitle: text.restrictionTitle,
  rules: text.rules,
};

export const changedLabelsOf = (changed: readonly (keyof OccupancyFields)[]): string[] => [
  ...new Set(changed.map((name) => toOrder[name])),
];
