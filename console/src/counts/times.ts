// Formats days and buckets of counts.
import { parseDay, type DayRange, dayCount, type BucketSize } from "@psp/contract/counts/count-range.ts";
import type { CountBucket, CountSum } from "@psp/contract/counts/counts.api.ts";
import type { Slot } from "../ui/chart/slots.ts";
import { type SlotSpan, spansOf } from "../ui/chart/spans.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";

const dayMs = 86_400_000;

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
const dayWords = format({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const daysWords = format({ day: "numeric", month: "short", year: "numeric" });
const shortDay = format({ day: "numeric", month: "short" });
const monthWords = format({ month: "long", year: "numeric" });
const shortMonth = format({ month: "short" });

/** Today's date in a time zone. Uses UTC if the zone is null or unknown to the browser. */
export function todayIn(timeZone: string | null): number {
  return zoneOf(timeZone).dayAt(Date.now());
}

/** "Mon 23 Nov 2026", "17–23 Nov 2026". */
export function formatDateRange({ first, last }: DayRange): string {
  if (first === last) return dayWords.format(first * dayMs).replace(",", "");
  return daysWords.formatRange(first * dayMs, last * dayMs);
}

export function toDayRange({ first, last }: { first: string; last: string }): DayRange {
  return { first: parseDay(first) ?? 0, last: parseDay(last) ?? 0 };
}

const startOf = ({ start }: Pick<CountBucket, "start">) => ({
  day: parseDay(start.slice(0, 10)) ?? 0,
  clock: start.slice(11, 16),
});

function labelOf(bucket: CountBucket, by: BucketSize, days: DayRange): string {
  const { day, clock } = startOf(bucket);
  switch (by) {
    case "hour":
      return dayCount(days) === 1 ? clock : `${formatDateRange({ first: day, last: day })}, ${clock}`;
    case "day":
      return formatDateRange({ first: day, last: day });
    case "week":
      return formatDateRange({ first: day, last: (parseDay(bucket.end.slice(0, 10)) ?? day + 7) - 1 });
    case "month":
      return monthWords.format(day * dayMs);
  }
}

/**
 * Axis label with the hour, day, month or year. At clock changes, a day may start at 1:00 and an hour may occur twice, but
 * each is labeled once.
 */
function tickOf(
  bucket: CountBucket,
  before: CountBucket | undefined,
  by: BucketSize,
  length: number,
): string | undefined {
  const { day, clock } = startOf(bucket);
  const previous = before && startOf(before);
  const beginsDay = previous?.day !== day;
  const date = new Date(day * dayMs);
  const isFirst = date.getUTCDate() === 1;
  const month = () => (date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : shortMonth.format(date));
  if (by === "month") return length > 1000 && date.getUTCMonth() > 0 ? undefined : month();
  if (by === "hour" && length === 2 && beginsDay) return shortDay.format(date);
  if (by === "hour" && length <= 2) {
    const isMarked = Number(clock.slice(0, 2)) % 3 === 0 && clock.endsWith(":00");
    const isNamed = previous?.clock === clock || (length === 2 && clock === "00:00");
    return isMarked && !isNamed ? clock : undefined;
  }
  if (by === "hour" && !beginsDay) return undefined;
  if (by === "week") return length > 400 ? (date.getUTCDate() <= 7 ? month() : undefined) : shortDay.format(date);
  if (length > 100) return isFirst ? month() : undefined;
  return length <= 31 || date.getUTCDay() === 1 ? shortDay.format(date) : undefined;
}

/** "UTC+1", as in "02:00 (UTC+1)". */
function offsetOf(start: string): string {
  const [, sign = "+", hours = "0", minutes = "00"] = /([+-])(\d\d):(\d\d)$/.exec(start) ?? [];
  return `UTC${sign}${Number(hours)}${minutes === "00" ? "" : `:${minutes}`}`;
}

type Answer = { by: BucketSize; now: string; first: string; last: string; rows: readonly CountBucket[] };

/** `earlier` are the buckets of the comparison period. */
export function toSlots(answer: Answer, earlier: readonly CountSum[] | null): Slot[] {
  const days = toDayRange(answer);
  const labels = answer.rows.map((row) => labelOf(row, answer.by, days));
  return answer.rows.map((row, index) => {
    const label = labels[index] ?? "";
    // When clocks go back, two hours have the same name.
    const isTwice = label === labels[index - 1] || label === labels[index + 1];
    const before = earlier?.[index];
    return {
      at: row.startUTC,
      label: isTwice ? `${label} (${offsetOf(row.start)})` : label,
      tick: tickOf(row, answer.rows[index - 1], answer.by, dayCount(days)),
      values: [row.in, row.out, ...(earlier === null ? [] : [before?.in ?? null, before?.out ?? null])],
      gap: gapOf(row, answer),
    };
  });
}

/** With more days, weekends would be stripes that hide the bars. */
const mostDaysWithWeekends = 100;

/** Saturdays and Sundays among the days of a range, or among the days of its hours. */
export function weekendsOf({ by, rows, ...answer }: Answer, label: string): SlotSpan[] {
  const length = dayCount(toDayRange(answer));
  if ((by !== "day" && by !== "hour") || length === 1 || length > mostDaysWithWeekends) return [];
  return spansOf(rows, (row) => (new Date(startOf(row).day * dayMs).getUTCDay() % 6 === 0 ? label : null));
}

/** Why a bucket has no counts: `ahead` if its time has not come or it is the current hour, else `unknown`. */
function gapOf(row: CountBucket, { by, now }: Answer): Slot["gap"] {
  if (row.in !== null) return undefined;
  const at = Date.parse(now);
  const begun = by === "hour" ? Date.parse(row.endUTC) <= at : Date.parse(row.startUTC) < at;
  return begun ? "unknown" : "ahead";
}
