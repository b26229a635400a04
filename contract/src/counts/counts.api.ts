// The calls behind the pages of counts: one object in a range beside an earlier one, its typical week, locations side by side
// (docs/rules/counts.md#comparison). What is unknown is null, not 0.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { pageReply } from "../kit/page.ts";
import { steps } from "./count-range.ts";
import { comparison, locationCountsQuery, range } from "./counts.query.ts";

/** Persons, null where nothing is known; completeness null where no sensor could have counted. */
const sum = z.object({ in: z.int().nullable(), out: z.int().nullable(), completeness: z.number().nullable() });
export type CountSum = z.output<typeof sum>;
const bucket = sum.extend({ start: z.string(), end: z.string(), startUTC: z.string(), endUTC: z.string() });
export type CountBucket = z.output<typeof bucket>;
const days = { first: z.string(), last: z.string() };
const change = z.object({ in: z.int().nullable(), out: z.int().nullable() });

/** `meas:<id>` or `sens:<id>`. */
const filter = boundedText(120).min(3);

/** A page draws no more buckets than these; a year of hours, or 20 years of days. */
export const maxBuckets = 10_000;

export const getCounts = endpoint("getCounts", "GET", "/v2/counts", {
  summary: "Counts of a location or a sensor in a range of local days, and their change since an earlier period",
  query: z.strictObject({ filter, range, by: z.enum(steps).optional(), compare: comparison.optional() }),
  reply: z.object({
    timezone: z.string(),
    /** The instant of the answer: what begins after it is neither known nor missing. */
    now: z.string(),
    /** The local day of the answer. */
    today: z.string(),
    ...days,
    by: z.enum(steps),
    total: sum,
    rows: z.array(bucket),
    /**
     * What the change refers to: the previous period unless asked otherwise. Its rows only when asked for: what each of `rows` is
     * compared with, the same local times so many whole weeks before.
     */
    earlier: z.object({ ...days, total: sum, rows: z.array(sum) }),
    /** In whole per cent. */
    change,
  }),
});
export type Counts = z.output<typeof getCounts.reply>;

export const getTypicalWeek = endpoint("getTypicalWeek", "GET", "/v2/counts/week", {
  summary: "Mean number of people by weekday and local hour, over the hours of a range that are known",
  query: z.strictObject({ filter, range }),
  reply: z.object({
    /** Monday to Sunday, 24 hours each; null where no such hour is known. */
    days: z.array(z.array(z.object({ in: z.number(), out: z.number(), hours: z.int() }).nullable())),
  }),
});
export type TypicalWeek = z.output<typeof getTypicalWeek.reply>;

const locationCounts = sum.extend({
  _id: z.string(),
  name: z.string(),
  owner: z.object({ _id: z.string(), name: z.string() }),
  timezone: z.string().nullable(),
  /** In whole per cent, against the period compared with. */
  change,
  /** Place by In among the locations that are complete enough; null for the others: a gap is not a lower count. */
  rank: z.int().nullable(),
  /**
   * It counted no one today although all its sensors are connected and other locations count; false where no one was there in the
   * earlier period, either.
   */
  isUnexpectedZero: z.boolean(),
  /** In per bucket of the range. */
  curve: z.array(z.number().nullable()),
});
export type LocationCounts = z.output<typeof locationCounts>;

/** More locations than these are not compared at once. */
export const maxCompared = 10_000;
/** Locations × days of a comparison or of a total: the most locations over a year. */
export const maxPlaceDays = 4_000_000;

export const listLocationCounts = endpoint("listLocationCounts", "GET", "/v2/counts/locations", {
  summary:
    "Visible locations side by side; sorted by In, those with large gaps last and without a rank. `change` is the one of In, against the previous period unless `compare` says otherwise",
  query: locationCountsQuery,
  reply: pageReply(locationCounts).extend({ ...days, by: z.enum(steps) }),
});

export const totalCounts = endpoint("totalCounts", "GET", "/v2/counts/total", {
  summary: "Counts of all visible locations together, each in its own zone's days",
  query: z.strictObject({ range }),
  reply: sum.extend({
    locations: z.int(),
    /** Of those with a sensor: too little of the range is known to compare them. */
    incomplete: z.int(),
  }),
});
