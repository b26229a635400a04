// Ranges of local days in which counts are looked at: their names, steps, comparisons and neighbors (docs/rules/counts.md#ranges).

/** Both days included, in days since 1970. */
export type Days = { first: number; last: number };

export const presets = ["today", "yesterday", "last7days", "last30days", "thisYear"] as const;
export type Preset = (typeof presets)[number];

/** Lengths of the buckets that a range is shown in. */
export const steps = ["hour", "day", "week", "month"] as const;
export type Step = (typeof steps)[number];

export const comparisons = ["previous", "year"] as const;
export type Comparison = (typeof comparisons)[number];

const dayMs = 86_400_000;
/** What the data service reaches back by itself: 20 years with their leap days. */
const maxDays = 7_306;

/** `2026-11-23` to its day; null for what is no date. */
export function dayOf(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const ms = Date.parse(`${date}T00:00:00Z`);
  // Some engines take February 30 for a day in March.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? null : ms / dayMs;
}
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

const yearOf = (day: number) => new Date(day * dayMs).getUTCFullYear();
const newYear = (year: number) => Date.UTC(year, 0, 1) / dayMs;

export function lengthOf({ first, last }: Days): number {
  return last - first + 1;
}

/** The days of a preset. */
export function presetDays(preset: Preset, today: number): Days {
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
  }
}

export type Range = Days & {
  /** As it stands in an address: a preset's name, or `first,last`. */
  text: string;
};

/** Reads a range; what can't be read, is turned around or longer than 20 years is today. */
export function parseRange(text: string | null | undefined, today: number): Range {
  const preset = presets.find((one) => one === text);
  if (preset !== undefined) return { text: preset, ...presetDays(preset, today) };
  const [from = "", to = "", ...rest] = (text ?? "").split(",");
  const [first, last] = [dayOf(from), dayOf(to)];
  const isReadable = rest.length === 0 && first !== null && last !== null && first <= last && last - first < maxDays;
  return isReadable ? { text: `${from},${to}`, first, last } : { text: "today", ...presetDays("today", today) };
}

/** The shortest name of these days: a preset where one fits. */
export function rangeText(days: Days, today: number): string {
  const preset = presets.find((one) => {
    const { first, last } = presetDays(one, today);
    return first === days.first && last === days.last;
  });
  return preset ?? `${dateOfDay(days.first)},${dateOfDay(days.last)}`;
}

export function defaultStep(days: Days): Step {
  const length = lengthOf(days);
  return length <= 2 ? "hour" : length <= 90 ? "day" : "month";
}

/**
 * How many days before a range the one lies that it is compared with. Weekdays match: a year is 52 weeks, and the previous
 * period is the smallest number of whole weeks away that is not shorter than the range.
 */
export function comparisonShift(days: Days, comparison: Comparison): number {
  return comparison === "year" ? 364 : Math.ceil(lengthOf(days) / 7) * 7;
}

/** The whole calendar year that the days are, or that is running. */
function calendarYear({ first, last }: Days, today: number): number | null {
  const year = yearOf(first);
  if (first !== newYear(year)) return null;
  return last === newYear(year + 1) - 1 || (last === today && yearOf(today) === year) ? year : null;
}

/**
 * The neighbor of the same length; years step by calendar years. Null where it would begin after today; one that would
 * reach beyond today ends today.
 */
export function neighbor(range: Range, direction: -1 | 1, today: number): string | null {
  if (direction === 1 && range.last >= today) return null;
  const length = lengthOf(range);
  // On New Year's Day the one day is the year, too; only who asked for the year means it.
  const year = length === 1 && range.text !== "thisYear" ? null : calendarYear(range, today);
  if (year !== null) {
    const next = year + direction;
    if (next === yearOf(today)) return "thisYear";
    return next > yearOf(today) ? null : rangeText({ first: newYear(next), last: newYear(next + 1) - 1 }, today);
  }
  const last = Math.min(range.last + direction * length, Math.max(today, range.first - 1));
  return rangeText({ first: last - length + 1, last }, today);
}

/** Below this share of known time a sum is not compared: a gap is no lower count. */
export const comparable = 0.8;

type Sum = { in: number | null; out: number | null; completeness: number | null };

/** Whether enough of the time is known to say that it was more or less than another. */
export const isKnownEnough = ({ completeness }: Pick<Sum, "completeness">) =>
  completeness !== null && completeness >= comparable;

/** Change in whole per cent; null where the earlier period is zero, or either is unknown or has large gaps. */
export function changeBetween(now: Sum, earlier: Sum, side: "in" | "out"): number | null {
  const [value, before] = [now[side], earlier[side]];
  if (value === null || before === null || before === 0) return null;
  if (!isKnownEnough(now) || !isKnownEnough(earlier)) return null;
  // Not -0, which reads as a loss.
  return Math.round((value / before - 1) * 100) + 0;
}

/** Share of known time by which two periods may differ where locations stand side by side. */
const similar = 0.05;

/** Whether two periods are about equally complete: side by side, what one of them missed would look like a change. */
export const isSimilarlyKnown = (a: Pick<Sum, "completeness">, b: Pick<Sum, "completeness">) =>
  a.completeness !== null &&
  b.completeness !== null &&
  // 0.95 is not exactly five points below 1.
  Math.abs(a.completeness - b.completeness) <= similar + 1e-9;

/** Known time in whole per cent; 100 only where nothing is missing. */
export function completenessPercent(completeness: number): number {
  return completeness >= 1 ? 100 : Math.min(99, Math.round(completeness * 100));
}
