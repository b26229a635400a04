// API calls that compare counts with an earlier period or between locations, and that return a typical week
// (docs/rules/counts.md#comparison). Unknown values are null, not 0.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { pageReply } from "../kit/page.ts";
import { bucketSizes } from "./count-range.ts";
import { comparisonSchema, locationCountsQuery, openOnly, rangeSchema } from "./counts.query.ts";
import { conversionChangeSchema, salesFiguresSchema, salesTotalSchema } from "./sales-figures.ts";

/** Numbers of people, null if unknown. `completeness` is null if no sensor was assigned. */
const sum = z.object({ in: z.int().nullable(), out: z.int().nullable(), completeness: z.number().nullable() });
export type CountSum = z.output<typeof sum>;
const bucket = sum.extend({
  start: z.string(),
  end: z.string(),
  startUTC: z.string(),
  endUTC: z.string(),
  /** Whether the whole bucket lies outside opening hours. */
  closed: z.boolean(),
});
export type CountBucket = z.output<typeof bucket>;
const days = { first: z.string(), last: z.string() };
const change = z.object({ in: z.int().nullable(), out: z.int().nullable() });
/** People counted outside opening hours; null if there are no hours. */
const outside = z.object({ in: z.int(), out: z.int() }).nullable();
const note = z.object({
  first: z.string(),
  last: z.string(),
  name: z.string(),
  kind: z.enum(["holiday", "exception", "event"]),
});
export type CountNote = z.output<typeof note>;
/** Number of days that a comparison leaves out, because either of the two days is closed or excluded by an event. */
const skippedDays = z.int();

const filter = boundedText(120).min(3);

export const getCounts = endpoint("getCounts", "GET", "/v2/counts", {
  summary: "Counts of a location or a sensor in a range of local days, and their change since an earlier period",
  query: z.strictObject({
    filter,
    range: rangeSchema,
    by: z.enum(bucketSizes).optional(),
    compare: comparisonSchema.optional(),
    open: openOnly,
  }),
  reply: z.object({
    timezone: z.string(),
    /** Time of the response. Buckets that start after it are neither known nor missing. */
    now: z.string(),
    today: z.string(),
    ...days,
    by: z.enum(bucketSizes),
    total: sum,
    rows: z.array(bucket),
    /** Whether the object has opening hours at any time of the range. */
    hasOpeningHours: z.boolean(),
    outside,
    /** Holidays, exceptions of the opening hours, and events of the range, in order. */
    notes: z.array(note),
    /**
     * The period to compare with. `rows` are sums for the same local times a whole number of weeks earlier, and empty unless
     * `compare` requests them.
     */
    earlier: z.object({ ...days, total: sum, rows: z.array(sum), skippedDays }),
    /** In whole percent, over the days that are compared. */
    change,
    /**
     * Sales of a location; null without sales, for sensors, and for callers who may not edit the location. `rows` belong to the rows
     * of counts.
     */
    sales: z
      .object({
        total: salesTotalSchema.nullable(),
        rows: z.array(salesFiguresSchema.nullable()),
        earlier: salesTotalSchema.nullable(),
        conversionChange: conversionChangeSchema,
      })
      .nullable(),
  }),
});
export type Counts = z.output<typeof getCounts.reply>;

export const getTypicalWeek = endpoint("getTypicalWeek", "GET", "/v2/counts/week", {
  summary: "Mean number of people by weekday and local hour, over the hours of a range that are known",
  query: z.strictObject({ filter, range: rangeSchema, open: openOnly }),
  reply: z.object({
    /** Seven days from Monday with 24 hours each. An hour is null if its counts were never known. */
    days: z.array(z.array(z.object({ in: z.number(), out: z.number(), hours: z.int() }).nullable())),
  }),
});
export type TypicalWeek = z.output<typeof getTypicalWeek.reply>;

const compared = sum.extend({
  /** In whole percent. */
  change,
  /** Rank by people in, among rows with sufficient completeness; null for other rows. */
  rank: z.int().nullable(),
  curve: z.array(z.number().nullable()),
  /** Null without sales, and for locations that the caller may not edit. */
  sales: salesTotalSchema.nullable(),
  conversionChange: conversionChangeSchema,
});

const locationCounts = compared.extend({
  _id: z.string(),
  name: z.string(),
  owner: z.object({ _id: z.string(), name: z.string() }),
  timezone: z.string().nullable(),
  /**
   * Whether a count of zero today is suspicious: all sensors of the location are connected, other locations count people, and the
   * earlier period was not zero.
   */
  isUnexpectedZero: z.boolean(),
  /** Whether the whole range, up to now, lies outside opening hours. */
  closed: z.boolean(),
  skippedDays,
});
export type LocationCounts = z.output<typeof locationCounts>;

/** How many locations a sum contains, and how many of them are complete in both periods and therefore included in the change. */
const members = { locations: z.int(), comparable: z.int() };

const groupCounts = compared.extend({
  /** Tag in lower case without accents, id of the owner, or country in lower case; null for locations without one. */
  key: z.string().nullable(),
  name: z.string().nullable(),
  ...members,
});
export type GroupCounts = z.output<typeof groupCounts>;

const sumOfSales = {
  sales: salesTotalSchema.nullable().optional(),
  conversionChange: conversionChangeSchema.optional(),
};

export const maxComparedLocations = 10_000;
/** Maximum number of locations multiplied by days, per request. */
export const maxLocationDays = 4_000_000;

export const listLocationCounts = endpoint("listLocationCounts", "GET", "/v2/counts/locations", {
  summary:
    "Visible locations, or groups of them, side by side; sorted by In, those with large gaps last and without a rank. `change` is the one of In, against the previous period unless `compare` says otherwise",
  query: locationCountsQuery,
  /** With `groupBy`, `objects` is empty, and `groups` is the page. */
  reply: pageReply(locationCounts).extend({
    groups: z.array(groupCounts).optional(),
    /** All matching locations, each once. The change and the sales are known only with `groupBy`. */
    sum: sum.extend({ locations: z.int(), comparable: z.int().optional(), change: change.optional(), ...sumOfSales }),
    ...days,
    by: z.enum(bucketSizes),
    /** Of all locations that match. */
    outside,
  }),
});

export const totalCounts = endpoint("totalCounts", "GET", "/v2/counts/total", {
  summary: "Counts of all visible locations together, each in its own zone's days",
  query: z.strictObject({ range: rangeSchema, open: openOnly }),
  reply: sum.extend({
    locations: z.int(),
    /** Number of locations that have sensors, but whose counts are too incomplete to compare. */
    incomplete: z.int(),
  }),
});

/** In whole percent, over the full hours compared. */
const changedLocation = z.object({ _id: z.string(), name: z.string(), change: z.int() });
export type ChangedLocation = z.output<typeof changedLocation>;

/** People in per local hour 0 to 23; null if unknown, and in hours without a count. */
const hourCurve = z.array(z.number().nullable()).length(24);

const earlierDay = z.object({
  date: z.string().nullable(),
  /** Up to `hours` without locations where the hour has not passed today, so that the days can be compared. */
  curve: hourCurve,
  /** People in until the same local hour; null if unknown. */
  in: z.int().nullable(),
  /** In whole percent, over the locations that are complete on both days. */
  change: z.int().nullable(),
  comparable: z.int(),
  /** Among comparable locations, those that gained most first. */
  best: z.array(changedLocation),
  /** Those that lost most first. No location is in both lists. */
  worst: z.array(changedLocation),
});

export const todayCounts = endpoint("todayCounts", "GET", "/v2/counts/today", {
  summary:
    "People in per local hour at all visible locations: today, and on the same weekday one week and 52 weeks ago, compared over the full hours that have passed",
  query: z.strictObject({ open: openOnly }),
  reply: z.object({
    locations: z.int(),
    /** Local date at the location whose clock is the middle one; null without a sensor at any location. */
    date: z.string().nullable(),
    /** Number of full hours of that date that have passed at half of the locations, so 14 means until 14:00. */
    hours: z.int(),
    /** Locations where fewer hours have passed. They are compared until then. */
    behind: z.int(),
    /** When the numbers change next. */
    next: z.string().nullable(),
    /** Today's hours up to `hours`. */
    curve: hourCurve,
    /** People in until `hours`; null if unknown. */
    in: z.int().nullable(),
    week: earlierDay,
    year: earlierDay,
  }),
});
export type TodayCounts = z.output<typeof todayCounts.reply>;
