// The uptime check: mean hours per local day over the last known days (docs/rules/monitoring.md#checks).
import { formatUtcDate } from "@psp/contract/kit/format-time.ts";
import { dateOf, dayMs } from "@psp/contract/kit/zone.ts";
import { toThresholdMessage, okVerdict, pluralize, undecidedVerdict, type Verdict } from "./verdict.rules.ts";

type Thresholds = {
  warningAverageTime: number;
  warningRepeatingTime: number;
  errorAverageTime: number;
  errorRepeatingTime: number;
};

export type UptimeFacts = {
  /** First and last known local day; null if there is none. A day is known if it is complete and data was delivered on a later day. */
  known: { first: number; last: number } | null;
  /** Uptime in seconds per known day; a missing day had no uptime. */
  seconds: ReadonlyMap<number, number>;
};

export const countNeededDays = (thresholds: Thresholds): number =>
  Math.max(thresholds.warningRepeatingTime, thresholds.errorRepeatingTime);

export function checkUptime(thresholds: Thresholds, { known, seconds }: UptimeFacts, againAt: number): Verdict {
  const error = meanOf(known, seconds, thresholds.errorRepeatingTime);
  if (error && isBelow(error, thresholds.errorAverageTime))
    return low("Error", error, thresholds.errorAverageTime, againAt);
  const warning = meanOf(known, seconds, thresholds.warningRepeatingTime);
  if (warning && isBelow(warning, thresholds.warningAverageTime))
    return low("Warning", warning, thresholds.warningAverageTime, againAt);
  if (warning === null) return undecidedVerdict("Too few days of data to judge the uptime", againAt);
  return okVerdict(meanWords(warning), againAt);
}

type Mean = { mean: number; seconds: number; lastDay: number; days: { date: string; value: number }[] };

/** Compares whole seconds: hours are inexact, and a mean equal to the threshold must not count as below it. */
const isBelow = ({ seconds, days }: Mean, hours: number) => seconds < hours * 3600 * days.length;

/** Hours per day over the last `n` known days; null if fewer are known. */
function meanOf(known: UptimeFacts["known"], seconds: ReadonlyMap<number, number>, n: number): Mean | null {
  if (known === null || known.last - known.first + 1 < n) return null;
  const days = Array.from({ length: n }, (_, i) => known.last - n + 1 + i);
  const each = days.map((day) => seconds.get(day) ?? 0);
  const sum = each.reduce((all, one) => all + one, 0);
  return {
    mean: sum / 3600 / n,
    seconds: sum,
    lastDay: known.last,
    days: days.map((day, i) => ({ date: dateOf(day).toString(), value: (each[i] ?? 0) / 3600 })),
  };
}

/** Rounds down to one decimal, so that a mean below the threshold is never shown as reaching it. */
function meanWords({ mean, days, lastDay }: Mean): string {
  const hours = pluralize(Math.floor(mean * 10) / 10, "hour");
  if (days.length === 1) return `Uptime was ${hours} on ${formatUtcDate(lastDay * dayMs)}`;
  return `Uptime averaged ${hours} a day over ${pluralize(days.length, "day")}`;
}

function low(status: "Warning" | "Error", found: Mean, wanted: number, againAt: number): Verdict {
  const message = toThresholdMessage(meanWords(found), status, `below ${wanted}`);
  const { mean, days } = found;
  return { status, message, facts: { uptime: { mean, wanted, days } }, againAt };
}
