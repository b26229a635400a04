// The check of uptime: the mean hours per local day over the last known days (decisions 8, 13).
import { dateOf } from "../../count/zone.rules.ts";
import { ok, rounded, several, undecided, type Verdict } from "./verdict.rules.ts";

type Thresholds = {
  warningAverageTime: number;
  warningRepeatingTime: number;
  errorAverageTime: number;
  errorRepeatingTime: number;
};

export type UptimeFacts = {
  /** The first and the last local day that is known: over, and followed by any delivery; null when none is. */
  known: { first: number; last: number } | null;
  /** Seconds per known day; a day that is missing has none. */
  seconds: ReadonlyMap<number, number>;
};

/** How many days the check looks at. */
export const daysNeeded = (thresholds: Thresholds): number =>
  Math.max(thresholds.warningRepeatingTime, thresholds.errorRepeatingTime);

export function checkUptime(thresholds: Thresholds, { known, seconds }: UptimeFacts, againAt: number): Verdict {
  const error = meanOf(known, seconds, thresholds.errorRepeatingTime);
  if (error && isBelow(error, thresholds.errorAverageTime))
    return low("Error", error, thresholds.errorAverageTime, thresholds.errorRepeatingTime, againAt);
  const warning = meanOf(known, seconds, thresholds.warningRepeatingTime);
  if (warning && isBelow(warning, thresholds.warningAverageTime))
    return low("Warning", warning, thresholds.warningAverageTime, thresholds.warningRepeatingTime, againAt);
  if (warning === null) return undecided("Not enough days are known", againAt);
  return ok(`${rounded(warning.mean)} h of uptime a day`, againAt);
}

type Mean = { mean: number; seconds: number; days: { date: string; value: number }[] };

/** In whole seconds: hours have no exact fractions, and a mean of just the wanted hours is not below them. */
const isBelow = ({ seconds, days }: Mean, hours: number) => seconds < hours * 3600 * days.length;

/** Hours a day over the last `n` known days; null when fewer are known. */
function meanOf(known: UptimeFacts["known"], seconds: ReadonlyMap<number, number>, n: number): Mean | null {
  if (known === null || known.last - known.first + 1 < n) return null;
  const days = Array.from({ length: n }, (_, i) => known.last - n + 1 + i);
  const each = days.map((day) => seconds.get(day) ?? 0);
  const sum = each.reduce((all, one) => all + one, 0);
  return {
    mean: sum / 3600 / n,
    seconds: sum,
    days: days.map((day, i) => ({ date: dateOf(day).toString(), value: (each[i] ?? 0) / 3600 })),
  };
}

function low(status: "Warning" | "Error", { mean, days }: Mean, wanted: number, n: number, againAt: number): Verdict {
  const message = `${rounded(mean)} h of uptime a day in ${several(n, "day")}, ${status.toLowerCase()} below ${wanted} h`;
  return { status, message, facts: { uptime: { mean, wanted, days } }, againAt };
}
