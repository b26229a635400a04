// Generates counts from before the first connection as bulk records: months of many sensors, newest month first.
import { computeTallies } from "../counting/tally.ts";
import { profileOf } from "../device/identity.ts";
import { buildFaults } from "../faults/scripts.ts";
import { uptimeIn, viewIn } from "../faults/world.ts";
import { localMoment } from "../local-time.ts";
import { createIntervalRecords, type RecordBody } from "../records/records.ts";
import type { Member } from "./fleet.ts";

const dayMinutes = 24 * 60;

export type BulkHistoryOptions = { from: number; to: number; intervalS: number };
export type HistoryMonth = { sensor: string; records: RecordBody[] };

/**
 * Yields the months of [from, to) of all members, newest first, then by sensor. Skips the first `skip` results. Fault
 * times are relative to the end of the history.
 */
export function* generateHistory(
  members: readonly Member[],
  seed: string,
  options: BulkHistoryOptions,
  skip: number,
): Generator<HistoryMonth> {
  let passed = 0;
  for (const { from, to } of monthsOf(options)) {
    for (const member of members) {
      passed += 1;
      if (passed > skip) yield { sensor: member.id, records: recordsOf(member, seed, options, { from, to }) };
    }
  }
}

function monthsOf({ from, to }: { from: number; to: number }): { from: number; to: number }[] {
  const months: { from: number; to: number }[] = [];
  for (let end = to; end > from;) {
    const date = new Date(end - 1);
    const start = Math.max(from, Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
    months.push({ from: start, to: end });
    end = start;
  }
  return months;
}

function recordsOf(
  member: Member,
  seed: string,
  options: BulkHistoryOptions,
  month: { from: number; to: number },
): RecordBody[] {
  const { id, type, kind, country, zone = "UTC", faults = [], until = Infinity } = member;
  const lengthMs = options.intervalS * 1000;
  // Starts at midnight, because in a partial day people would leave who never entered.
  const from = Math.max(month.from, nextMidnight(zone, options.from));
  const n = Math.floor((Math.min(month.to, until) - from) / lengthMs);
  if (n <= 0) return [];
  const profile = profileOf(id, type, seed, { kind, zone, country });
  const world = buildFaults(faults, zone, options.to);
  return computeTallies(profile, world, from, lengthMs, n).flatMap((tally) => {
    const upMs = uptimeIn(world, tally.s, tally.e);
    if (upMs === 0) return [];
    const osd = world.plain ? 0 : viewIn(world, tally.s, tally.e).worst;
    return createIntervalRecords(type, profile, tally, { osd, upS: Math.round(upMs / 1000) }).slice(0, 1);
  });
}

function nextMidnight(zone: string, at: number): number {
  const { minute } = localMoment(zone, at);
  return minute === 0 ? at : at + Math.round((dayMinutes - minute) * 60_000);
}
