// Checks that count events of the last 24 hours: reboots that no one requested and watchdog resets (docs/rules/monitoring.md#checks).
import { dayMs } from "@psp/contract/kit/zone.ts";
import { toThresholdMessage, okVerdict, findReachedThreshold, pluralize, type Verdict } from "./verdict.rules.ts";

type Thresholds = { warningThreshold: number; errorThreshold: number };

export type EventSlice = { startMs: number; count: number };

/** Counts events in slices that begin within the last 24 hours. A warning threshold of 0 acts like 1. */
export function checkEvents(
  { warningThreshold, errorThreshold }: Thresholds,
  slices: readonly EventSlice[],
  nowMs: number,
  noun: { one: string; many: string },
): Verdict {
  const recent = slices.filter(({ startMs, count }) => count > 0 && startMs >= nowMs - dayMs && startMs <= nowMs);
  const count = recent.reduce((sum, slice) => sum + slice.count, 0);
  const words = `${count === 0 ? `No ${noun.many}` : pluralize(count, noun.one, noun.many)} within 24 hours`;
  // One millisecond after the oldest slice leaves the window.
  const againAt = recent.length === 0 ? Infinity : Math.min(...recent.map(({ startMs }) => startMs)) + dayMs + 1;
  const warning = Math.max(1, warningThreshold);
  const status = findReachedThreshold(count, warning, errorThreshold);
  if (status === null) return okVerdict(words, againAt);
  const threshold = status === "Error" ? errorThreshold : warning;
  const at = recent
    .toSorted((a, b) => a.startMs - b.startMs)
    .map((slice) => ({ at: new Date(slice.startMs).toISOString(), count: slice.count }));
  return {
    status,
    message: toThresholdMessage(words, status, `from ${threshold}`),
    facts: { events: { count, threshold, at } },
    againAt,
  };
}

export const rebootWords = { one: "reboot", many: "reboots" };
export const resetWords = { one: "watchdog reset", many: "watchdog resets" };
