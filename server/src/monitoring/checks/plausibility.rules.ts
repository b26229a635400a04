// Checks plausibility: consecutive days whose totals differ too much from earlier days of the same weekday
// (docs/rules/monitoring.md#plausibility).
import { formatUtcDate } from "@psp/contract/kit/format-time.ts";
import { dateOf, dayMs } from "@psp/contract/kit/zone.ts";
import { okVerdict, findReachedThreshold, pluralize, undecidedVerdict, type Verdict } from "./verdict.rules.ts";

type Thresholds = { warningThreshold: number; errorThreshold: number; filterWindowInWeeks: number };

export type CountedDays = {
  /** Total (in plus out) of each known local day. A day is known if counts cover at least 80 % of its opening hours. */
  totals: ReadonlyMap<number, number>;
  /** Closed days are neither judged nor compared with. */
  isClosed(day: number): boolean;
};

export const minKnownShare = 0.8;
const leastDays = 4;
/** Minimum margin in people, for reference days with nearly equal totals. */
const leastMargin = 10;
const leastMarginShare = 0.1;
/** From this median on, a day with zero people is implausible; below it, zero can be chance. */
const leastMedianForZero = 5;

/** How many closed days in a row are skipped at most; longer closures end a sequence. */
const mostClosedDays = 31;

/** Yields open days backwards from `yesterday`. */
function* openDaysBefore(yesterday: number, isClosed: CountedDays["isClosed"]): Generator<number> {
  for (let day = yesterday, closed = 0; closed <= mostClosedDays; day -= 1) {
    closed = isClosed(day) ? closed + 1 : 0;
    if (closed === 0) yield day;
  }
}

export function listCheckedDays(
  { errorThreshold, filterWindowInWeeks }: Thresholds,
  yesterday: number,
  isClosed: CountedDays["isClosed"],
): number[] {
  const days = new Set<number>();
  for (const day of openDaysBefore(yesterday, isClosed).take(errorThreshold))
    for (let week = 0; week <= filterWindowInWeeks; week += 1) days.add(day - 7 * week);
  return [...days];
}

/** `yesterday`: the last complete local day. If it was closed, the last open day before it is judged. */
export function checkPlausibility(
  thresholds: Thresholds,
  { totals, isClosed }: CountedDays,
  yesterday: number,
  againAt: number,
): Verdict {
  const { warningThreshold: warning, errorThreshold: error, filterWindowInWeeks: weeks } = thresholds;
  const run: Judged[] = [];
  const judged = [...openDaysBefore(yesterday, isClosed).take(error)].map((day) => judgeDay(totals, day, weeks));
  const last = judged[0] ?? null;
  for (const one of judged) {
    if (!one?.isImplausible) break;
    run.push(one);
  }
  const status = findReachedThreshold(run.length, warning, error);
  const [latest] = run;
  if (status === null || latest === undefined)
    return last === null || last.isImplausible
      ? undecidedVerdict(fineWords(last), againAt)
      : okVerdict(fineWords(last), againAt);
  const inARow = run.length === 1 ? "" : ` (unusual for ${pluralize(run.length, "day")} in a row)`;
  return {
    status,
    message: `${unusualWords(latest)}${inARow}`,
    facts: {
      plausibility: {
        days: run
          .toReversed()
          .map(({ day, total, low, high, median }) => ({ date: dateText(day), value: total, low, high, median })),
        earlier: weekdaysBefore(latest.day, weeks).map((day) => ({
          date: dateText(day),
          value: totals.get(day) ?? null,
        })),
      },
    },
    againAt,
  };
}

const dateText = (day: number): string => dateOf(day).toString();

/** Example: "0 people on 25 Nov 2026; 586–1,244 expected". */
function unusualWords(judged: Judged): string {
  const least = Math.max(isZeroImplausible(judged.median) ? 1 : 0, Math.ceil(judged.low));
  const most = Math.floor(judged.high);
  const expected = least === most ? number.format(most) : `${number.format(least)}–${number.format(most)}`;
  return `${dayWords(judged)}; ${expected} expected`;
}

const number = new Intl.NumberFormat("en");
const dayWords = ({ day, total }: Judged) => `${pluralize(total, "person", "people")} on ${formatUtcDate(day * dayMs)}`;

function fineWords(last: Judged | null): string {
  if (last === null) return "Too few days of data to judge the counts";
  return last.isImplausible ? unusualWords(last) : `${dayWords(last)}, as expected`;
}

type Judged = { day: number; total: number; low: number; high: number; median: number; isImplausible: boolean };

/** Null if the day is unknown, or fewer than `leastDays` reference days are known. The day itself is not a reference. */
function judgeDay(totals: CountedDays["totals"], day: number, weeks: number): Judged | null {
  const total = totals.get(day);
  if (total === undefined) return null;
  const sorted: number[] = [];
  for (let week = 1; week <= weeks; week += 1) {
    const one = totals.get(day - 7 * week);
    if (one !== undefined) sorted.push(one);
  }
  if (sorted.length < leastDays) return null;
  sorted.sort((a, b) => a - b);
  const [q1, median, q3] = [quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)];
  const margin = Math.max(3 * (q3 - q1), leastMargin, leastMarginShare * median);
  const [low, high] = [q1 - margin, q3 + margin];
  const isImplausible = total < low || total > high || (total === 0 && isZeroImplausible(median));
  return { day, total, low, high, median, isImplausible };
}

const isZeroImplausible = (median: number) => median >= leastMedianForZero;

function weekdaysBefore(day: number, weeks: number): number[] {
  return Array.from({ length: weeks }, (_, i) => day - 7 * (weeks - i));
}

/** Linear interpolation (type 7); `sorted` is not empty. */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const below = Math.floor(at);
  const low = sorted[below] ?? 0;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low;
  return low + (high - low) * (at - below);
}
