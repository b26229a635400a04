// The occupancy app of a location: a traffic light that asks visitors to wait when the maximum number of people is inside
// (docs/rules/occupancy.md#app-settings).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import {
  occupancyDefaults as defaults,
  occupancyMessages as faults,
  occupancyLimits as limits,
  occupancyAppTypes,
  occupancyAppVersion,
} from "./occupancy-defaults.ts";

/** A text on the display. Long texts are rejected, never truncated. */
const shown = (max: number) => safeText(max);
const color = boundedText(7).regex(/^#[0-9a-f]{6}$/i, "Enter a color like #49bbb4");
/** URL of the logo. Only browsers load it, never the server. */
const logo = boundedText(limits.logo).regex(
  /^(?:https:\/\/[^\s"'<>\\]+)?$/i,
  "Enter an address that starts with https://",
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
  /** APS sensors that count for this app. If null or missing, all APS sensors of the location count. */
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

/** An app as clients send it. Missing fields get their defaults. An enabled app without a maximum is error 104. */
export const newOccupancyAppSchema = z
  .strictObject({
    version: boundedText(20).optional(),
    type: z.enum(occupancyAppTypes),
    enabled: z.boolean().optional(),
    settings: settingsSchema.optional(),
  })
  .superRefine(({ enabled, settings }, ctx) => {
    const max = settings?.maxObjects;
    const path = ["settings", "maxObjects"];
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

export const applicationsSchema = z.array(newOccupancyAppSchema).max(1, "A location can have only one occupancy app");

type Frontend = Omit<typeof defaults.frontend, never>;
export type OccupancyApp = {
  version: string;
  type: (typeof occupancyAppTypes)[0];
  enabled: boolean;
  settings: {
    /** Null only if the app is off. */
    maxObjects: number | null;
    resetTime: typeof defaults.resetTime;
    events: unknown[];
    /** Null means every APS sensor of the location. */
    sensors: string[] | null;
    frontend: Frontend;
  };
};

type Tree = Record<string, unknown>;
const isPlainObject = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges `given` deeply with the defaults. Lists are not merged but replaced. */
function filled<T>(given: unknown, fallback: T): T {
  if (given === undefined) return fallback;
  if (!isPlainObject(fallback) || !isPlainObject(given)) return given as T;
  const keys = Object.keys(fallback) as (keyof T & string)[];
  return Object.fromEntries(keys.map((key) => [key, filled(given[key], fallback[key])])) as T;
}

/** The stored occupancy app with defaults filled in; null if none is stored. */
export function findOccupancyApp(applications: readonly unknown[]): OccupancyApp | null {
  const stored = applications.find(
    (one) => isPlainObject(one) && occupancyAppTypes.some((type) => type === one["type"]),
  ) as Tree | undefined;
  return stored === undefined ? null : completeApp(stored);
}

export const createDefaultOccupancyApp = (): OccupancyApp => completeApp({});

function completeApp(stored: Tree): OccupancyApp {
  const settings = isPlainObject(stored["settings"]) ? stored["settings"] : {};
  const { maxObjects = defaults.maxObjects, sensors = null } = settings as Partial<OccupancyApp["settings"]>;
  const frontend = filled(settings["frontend"], defaults.frontend);
  return {
    version: occupancyAppVersion,
    type: occupancyAppTypes[0],
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
