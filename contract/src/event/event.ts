// Events: days with something special at some locations, such as a sale or roadworks (docs/rules/events.md).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { dayCount, parseDay } from "../counts/count-range.ts";
import { errorCode } from "../errors.ts";
import { uuid } from "../kit/ids.ts";
import { safeName } from "../kit/safe-text.ts";
import { locationTag } from "../location/location.ts";

export const maxEventDays = 366;
export const maxEventLocations = 1000;
export const maxEventsPerOwner = 5000;
export const maxEventName = 100;

/** Texts for dates, which the server and the form show. */
export const eventDateReasons = {
  form: "Dates look like 2026-12-24",
  years: "The year must be between 2000 and 2099",
  order: "The last day can't be before the first day",
  length: `An event can last at most ${maxEventDays} days`,
};

/** A local date, which starts at midnight of each location. */
export const eventDate = z.iso
  .date({ error: eventDateReasons.form })
  .refine((date) => parseDay(date) !== null && date >= "2000-01-01" && date < "2100-01-01", {
    error: eventDateReasons.years,
  });

/** Returns why two valid dates can't be the period of an event, or null. */
export function findPeriodFault(from: string, to: string): string | null {
  const [first, last] = [parseDay(from) ?? 0, parseDay(to) ?? 0];
  if (last < first) return eventDateReasons.order;
  return dayCount({ first, last }) > maxEventDays ? eventDateReasons.length : null;
}

/** Chosen locations, locations with a tag, or all locations of the owner account and the accounts below it. */
export const eventScopeSchema = z
  .strictObject({
    measIDs: z
      .array(uuid)
      .min(1, { error: "At least one location" })
      .max(maxEventLocations, { error: `At most ${maxEventLocations.toLocaleString("en")} locations` })
      .refine((ids) => new Set(ids).size === ids.length, { error: "A location is listed twice" })
      .optional(),
    tag: locationTag.optional(),
    owner: uuid.optional(),
  })
  .superRefine((scope, ctx) => {
    if (ctx.issues.length > 0) return;
    const given = Object.values(scope).filter((value) => value !== undefined).length;
    if (given === 1) return;
    const code = given === 0 ? errorCode.missingArgument : errorCode.invalidArgument;
    ctx.addIssue({ code: "custom", message: "Give exactly one of measIDs, tag and owner", params: { code } });
  });

export const eventSchema = z.object({
  _id: z.string(),
  name: z.string(),
  owner: ownerRefSchema,
  /** First and last local day, inclusive. */
  from: z.string(),
  to: z.string(),
  /** `measIDs` has only the locations that the caller may view. */
  scope: z.union([
    z.object({ measIDs: z.array(z.string()) }),
    z.object({ tag: z.string() }),
    z.object({ owner: z.string() }),
  ]),
  /** Names of the locations in `measIDs`. */
  locations: z.array(z.object({ _id: z.string(), name: z.string() })),
  excludeFromComparison: z.boolean(),
  /** Whether the caller may change and delete the event. */
  mayEdit: z.boolean(),
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Event = z.output<typeof eventSchema>;

const name = safeName(maxEventName);
type Partly<T> = { [K in keyof T]?: T[K] | undefined };
function checkEvent(
  {
    from,
    to,
    owner,
    scope,
  }: Partly<{ from: string; to: string; owner: string; scope: { owner?: string | undefined } }>,
  ctx: z.RefinementCtx,
) {
  const refuse = (message: string, ...path: string[]) =>
    ctx.addIssue({ code: "custom", message, path, params: { code: errorCode.invalidArgument } });
  const fault = from !== undefined && to !== undefined ? findPeriodFault(from, to) : null;
  if (fault !== null) refuse(fault, "to");
  if (owner !== undefined && scope?.owner !== undefined && scope.owner !== owner)
    refuse("The owner must be the account of the scope", "scope", "owner");
}

export const newEventSchema = z
  .strictObject({
    name,
    /** By default the account of the scope, or else the caller's own. */
    owner: uuid.optional(),
    from: eventDate,
    to: eventDate,
    scope: eventScopeSchema,
    excludeFromComparison: z.boolean().optional(),
  })
  .superRefine(checkEvent);

export const eventChangeSchema = z
  .strictObject({
    name: name.optional(),
    owner: uuid.optional(),
    from: eventDate.optional(),
    to: eventDate.optional(),
    scope: eventScopeSchema.optional(),
    excludeFromComparison: z.boolean().optional(),
  })
  .superRefine(checkEvent);
export type EventChange = z.output<typeof eventChangeSchema>;
