// The occupancy app of a location: a traffic light that asks people to wait at the maximum (docs/rules/occupancy.md#app-settings).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import {
  occupancyDefaults as defaults,
  occupancyFaults as faults,
  occupancyLimits as limits,
  occupancyTypes,
  occupancyVersion,
} from "./occupancy-defaults.ts";

/** Text as it is shown to visitors: too long is refused, never cut. */
const shown = (max: number) => safeText(max);
const color = boundedText(7).regex(/^#[0-9a-f]{6}$/i, "Should be a color like #49bbb4");
/** Never fetched by the server; shown by browsers within the page's policy. */
const logo = boundedText(limits.logo).regex(
  /^(?:https:\/\/[^\s"'<>\\]+)?$/i,
  "Should be an address that begins with https://",
);

const stateSchema = z.strictObject({
  title: shown(limits.title).optional(),
  subtitle: shown(limits.subtitle).optional(),
  color: color.optional(),
});
const whole = (max: number) => z.int().min(0).max(max);

const settingsSchema = z.strictObject({
  maxObjects: z.number({ error: faults.maxInteger }).min(-1e9).max(1e9).nullable().optional(),
  resetTime: z
    .strictObject({
      interval: z.literal("daily"),
      timeOfDay: z.strictObject({
        hour: whole(23),
        minute: whole(59).refine((minute) => minute % limits.resetMinuteStep === 0, {
          error: "Should be in steps of 5",
        }),
        second: z.literal(0).optional(),
      }),
    })
    .optional(),
  events: z.array(z.unknown()).max(0).optional(),
  /** Which APS sensors of the location count; missing or null: all of them. */
  sensors: z.array(mac).max(limits.sensors).nullable().optional(),
  frontend: z
    .strictObject({
      opened: stateSchema.optional(),
      closed: stateSchema.optional(),
      logo: logo.nullable().optional(),
      freeSpacesText: shown(limits.freeSpacesText).optional(),
      showNumberOfPeople: z.boolean().optional(),
      restrictionTitle: shown(limits.restrictionTitle).optional(),
      restrictions: z
        .array(
          z.strictObject({
            name: shown(limits.restrictionName),
            active: z.boolean(),
            message: shown(limits.restrictionMessage),
          }),
        )
        .max(limits.restrictions)
        .optional(),
    })
    .optional(),
});

/** As it is sent: anything but type may be missing, and is read as its default; an app that is on needs its maximum (104). */
export const newOccupancyAppSchema = z
  .strictObject({
    version: boundedText(20).optional(),
    type: z.enum(occupancyTypes),
    enabled: z.boolean().optional(),
    settings: settingsSchema.optional(),
  })
  .superRefine(({ enabled, settings }, ctx) => {
    const max = settings?.maxObjects;
    const path = ["settings", "maxObjects"];
    // Without the number the form is unfinished: it can be kept while the app is off.
    if (max === undefined || max === null) {
      if (enabled === true)
        ctx.addIssue({
          code: "custom",
          path,
          message: faults.maxRequired,
          params: { code: errorCode.missingArgument },
        });
      return;
    }
    if (!Number.isInteger(max) || max < 1 || max > limits.maxObjects)
      ctx.addIssue({ code: "custom", path, message: faults.maxInteger });
  });
export type NewOccupancyApp = z.output<typeof newOccupancyAppSchema>;

export const applicationsSchema = z.array(newOccupancyAppSchema).max(1, "There is one occupancy app");

type Frontend = Omit<typeof defaults.frontend, never>;
/** The app with every missing key filled from the defaults. */
export type OccupancyApp = {
  version: string;
  type: (typeof occupancyTypes)[0];
  enabled: boolean;
  settings: {
    /** Null only while the app is off. */
    maxObjects: number | null;
    resetTime: typeof defaults.resetTime;
    events: unknown[];
    /** Null: every APS sensor of the location. */
    sensors: string[] | null;
    frontend: Frontend;
  };
};

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** What is given, with what is missing at any depth taken from the defaults; lists are taken whole. */
function filled<T>(given: unknown, fallback: T): T {
  if (given === undefined) return fallback;
  if (!isTree(fallback) || !isTree(given)) return given as T;
  const keys = Object.keys(fallback) as (keyof T & string)[];
  return Object.fromEntries(keys.map((key) => [key, filled(given[key], fallback[key])])) as T;
}

/** The occupancy app among the stored applications of a location, complete; null where none is stored. */
export function occupancyAppOf(applications: readonly unknown[]): OccupancyApp | null {
  const stored = applications.find((one) => isTree(one) && occupancyTypes.some((type) => type === one["type"])) as
    | Tree
    | undefined;
  return stored === undefined ? null : completeApp(stored);
}

/** The app that a form begins with where none is stored. */
export const blankOccupancyApp = (): OccupancyApp => completeApp({});

function completeApp(stored: Tree): OccupancyApp {
  const settings = isTree(stored["settings"]) ? stored["settings"] : {};
  const { maxObjects = defaults.maxObjects, sensors = null } = settings as Partial<OccupancyApp["settings"]>;
  const frontend = filled(settings["frontend"], defaults.frontend);
  return {
    version: occupancyVersion,
    type: occupancyTypes[0],
    enabled: stored["enabled"] === true,
    settings: {
      maxObjects,
      resetTime: filled(settings["resetTime"], defaults.resetTime),
      events: [],
      sensors,
      frontend: { ...frontend, logo: frontend.logo ?? "" },
    },
  };
}
