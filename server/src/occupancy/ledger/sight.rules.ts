// Computes from view reports and records when a sensor's view was obstructed.
import type { IntervalCount } from "../../count/location-counts.service.ts";
import type { Outage } from "./ledger.rules.ts";

/** A view report; `osd` 0 is clear. */
export type ViewReport = { num: number; atMs: number; osd: number };

/**
 * Returns the periods with an obstructed view. A record contains the worst view of its interval, and applies from its end. A report
 * since the record's start takes precedence, because it tells more exactly how the interval ended.
 */
export function findObstructedPeriods(
  num: number,
  reports: readonly ViewReport[],
  intervals: readonly IntervalCount[],
): Outage[] {
  const said = reports.toSorted((a, b) => a.atMs - b.atMs);
  const recorded = intervals.toSorted((a, b) => a.endMs - b.endMs);
  const changes = [...said.map(({ atMs }) => atMs), ...recorded.map(({ endMs }) => endMs)].toSorted((a, b) => a - b);
  const found: Outage[] = [];
  let open: Outage | null = null;
  let [nextSaid, nextRecorded] = [0, 0];
  for (const ms of changes) {
    while ((said[nextSaid]?.atMs ?? Infinity) <= ms) nextSaid += 1;
    while ((recorded[nextRecorded]?.endMs ?? Infinity) <= ms) nextRecorded += 1;
    const [report, record] = [said[nextSaid - 1], recorded[nextRecorded - 1]];
    const osd = report && (!record || report.atMs >= record.startMs) ? report.osd : (record?.osd ?? 0);
    if (osd !== 0 && open === null) found.push((open = { num, fromMs: ms, toMs: Infinity, kind: "obstructed" }));
    else if (osd === 0 && open !== null) {
      open.toMs = ms;
      open = null;
    }
  }
  return found;
}
