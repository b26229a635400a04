// When a report is checked and due (docs/rules/reports.md#schedule).
import { findLastDue, findNextDue, type Schedule } from "@psp/contract/report/schedule.ts";
import { hourMs, type Zone } from "@psp/contract/kit/zone.ts";

/** The largest difference between two zones. A report without a zone of its own may be due that much earlier. */
const maxShiftMs = 26 * hourMs;
const recheckMs = hourMs / 2;

export type NextCheck = { nextMs: number; checkMs: number };

/** A report whose zone is that of a location is checked again until it is due, because the location may change. */
export function planCheck(schedule: Schedule, zone: Zone, nowMs: number): NextCheck {
  const nextMs = findNextDue(schedule, zone, nowMs);
  if (schedule.zone !== null) return { nextMs, checkMs: nextMs };
  return { nextMs, checkMs: Math.min(nextMs, Math.max(nowMs + recheckMs, nextMs - maxShiftMs)) };
}

/** The due instant that has no run yet, or null. Older ones that were missed are skipped. */
export function findMissedDue(schedule: Schedule, zone: Zone, handledToMs: number, nowMs: number): number | null {
  const last = findLastDue(schedule, zone, nowMs);
  return last > handledToMs ? last : null;
}

/** Until this long after it was due, a run waits for counts. */
export const maxWaitMs = 6 * hourMs;
