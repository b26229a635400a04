// Day ranges for counts: presets, bucket sizes, comparisons and adjacent ranges (docs/rules/counts.md#ranges).

/** First and last day, inclusive, in days since 1970. */
export type DayRange = { first: number; last: number };

export const presets = [
  "today",
  "yesterday",
  "last7days",
  "last30days",
  "thisYear",
  "lastWeek",
  "lastMonth",
  "monthToDate",
] as const;
export type Preset = (typeof presets)[number];

/** Presets that end before today, so that counts of today don't change them. */
const pastPresets: readonly string[] = ["yesterday", "lastWeek", "lastMonth"] satisfies Preset[];

/** Whether a range, as in the URL, ends on the current day, whichever that is. */
export const endsToday = (text: string): boolean => !text.includes(",") && !pastPresets.includes(text);

export const bucketSizes = ["hour", "day", "week", "month"] as const;
export type BucketSize = (typeof bucketSizes)[number];

/** Maximum buckets per page: more than a year of hours or 20 years of days. */
export const maxBuckets = 10_000;

export const comparisons = ["previous", "year"] as const;
export type Comparison = (typeof comparisons)[number];

const dayMs = 86_400_000;
/** 20 years including leap days, the maximum of the data service. */
const maxDays = 7_306;

/** Parses a date like `2026-11-23` to days since 1970; returns null if it is invalid. */
export function parseDay(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const ms = Date.parse(`${date}T00:00:00Z`);
  // Some engines parse February 30 as a day in March.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? null : ms / dayMs;
}
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

const yearOf = (day: number) => new Date(day * dayMs).getUTCFullYear();
const newYear = (year: number) => Date.UTC(year, 0, 1) / dayMs;
/** Weeks begin on Monday. Day 0 was a Thursday. */
const mondayOf = (day: number) => day - ((day + 3) % 7);
/** First day of the month that lies `offset` months after the month of the day. */
const monthStart = (day: number, offset = 0) =>
  Date.UTC(yearOf(day), new Date(day * dayMs).getUTCMonth() + offset, 1) / dayMs;

export function dayCount({ first, last }: DayRange): number {
  return last - first + 1;
}

export function presetDays(preset: Preset, today: number): DayRange {
  switch (preset) {
    case "today":
      return { first: today, last: today };
    case "yesterday":
      return { first: today - 1, last: today - 1 };
    case "last7days":
      return { first: today - 6, last: today };
    case "last30days":
      return { first: today - 29, last: today };
    case "thisYear":
      return { first: newYear(yearOf(today)), last: today };
    case "lastWeek":
      return { first: mondayOf(today) - 7, last: mondayOf(today) - 1 };
    case "lastMonth":
      return { first: monthStart(today, -1), last: monthStart(today) - 1 };
    case "monthToDate":
      return { first: monthStart(today), last: today };
  }
}

export type CountRange = DayRange & {
  /** The range as in the URL: the name of a preset, or `first,last`. */
  text: string;
};

/** Parses a range. Returns today if the text is invalid, reversed or longer than 20 years. */
export function parseRange(text: string | null | undefined, today: number): CountRange {
  const preset = presets.find((one) => one === text);
  if (preset !== undefined) return { text: preset, ...presetDays(preset, today) };
  const [from = "", to = "", ...rest] = (text ?? "").split(",");
  const [first, last] = [parseDay(from), parseDay(to)];
  const isReadable = rest.length === 0 && first !== null && last !== null && first <= last && last - first < maxDays;
  return isReadable ? { text: `${from},${to}`, first, last } : { text: "today", ...presetDays("today", today) };
}

/** Returns the name of the preset with these days, or `first,last` if there is none. */
export function formatDayRange(days: DayRange, today: number): string {
  const preset = presets.find((one) => {
    const { first, last } = presetDays(one, today);
    return first === days.first && last === days.last;
  });
  return preset ?? `${dateOfDay(days.first)},${dateOfDay(days.last)}`;
}

export function defaultBucketSize(days: DayRange): BucketSize {
  const length = dayCount(days);
  return length <= 2 ? "hour" : length <= 90 ? "day" : "month";
}

/**
 * Returns how many days earlier the compared range is. Always whole weeks, so that weekdays match: 52 weeks for "year", otherwise
 * the smallest number of weeks that isn't shorter than the range.
 */
export function comparisonShiftDays(days: DayRange, comparison: Comparison): number {
  return comparison === "year" ? 364 : Math.ceil(dayCount(days) / 7) * 7;
}

function calendarYear({ first, last }: DayRange, today: number): number | null {
  const year = yearOf(first);
  if (first !== newYear(year)) return null;
  return last === newYear(year + 1) - 1 || (last === today && yearOf(today) === year) ? year : null;
}

/**
 * Returns the previous or next range of the same length, clipped to today. Calendar years move by one year. Returns null if the
 * range would start after today.
 */
export function adjacentRange(range: CountRange, direction: -1 | 1, today: number): string | null {
  if (direction === 1 && range.last >= today) return null;
  const length = dayCount(range);
  // On January 1, the range of that day is also the current year so far. It counts as a year only if it is the preset `thisYear`.
  const year = length === 1 && range.text !== "thisYear" ? null : calendarYear(range, today);
  if (year !== null) {
    const next = year + direction;
    if (next === yearOf(today)) return "thisYear";
    return next > yearOf(today) ? null : formatDayRange({ first: newYear(next), last: newYear(next + 1) - 1 }, today);
  }
  const last = Math.min(range.last + direction * length, Math.max(today, range.first - 1));
  return formatDayRange({ first: last - length + 1, last }, today);
}

/** Minimum share of time with known counts for comparing sums. With more gaps, the sums would look lower than they are. */
export const minCompleteness = 0.8;

type Sum = { in: number | null; out: number | null; completeness: number | null };

export const isCompleteEnough = ({ completeness }: Pick<Sum, "completeness">) =>
  completeness !== null && completeness >= minCompleteness;

/** Change in whole percent. Null if the earlier count is zero, or if either count is unknown or too incomplete. */
export function percentChange(now: Sum, earlier: Sum, side: "in" | "out"): number | null {
  const [value, before] = [now[side], earlier[side]];
  if (value === null || before === null || before === 0) return null;
  if (!isCompleteEnough(now) || !isCompleteEnough(earlier)) return null;
  // `+ 0` turns -0 into 0, because -0 would be shown as a loss.
  return Math.round((value / before - 1) * 100) + 0;
}

/** Maximum difference of completeness when locations are compared with each other. */
const similar = 0.05;

/** Whether two periods have about the same share of gaps. Otherwise the gaps would look like a change of counts. */
export const hasSimilarCompleteness = (a: Pick<Sum, "completeness">, b: Pick<Sum, "completeness">) =>
  a.completeness !== null &&
  b.completeness !== null &&
  // Tolerates rounding, because 1 - 0.95 is slightly more than 0.05.
  Math.abs(a.completeness - b.completeness) <= similar + 1e-9;

/** Share of known time in whole percent, rounded to 100 only if nothing is missing. */
export function completenessPercent(completeness: number): number {
  return completeness >= 1 ? 100 : Math.min(99, Math.round(completeness * 100));
}
