// Reads the counts of a location by interval, summed over the lines of each sensor. Used by occupancy.
import type { Reader } from "../db/database.ts";
import { maxDurationMs } from "./count.rules.ts";
import {
  type Assignment,
  findAssignments,
  findUnpackedCountsWithin,
  resolveLocation,
  readCounts,
} from "./count.store.ts";
import type { Count } from "./pack.rules.ts";
import { findSensorsEverAt } from "./rollup.store.ts";

/** People counted by a sensor in [startMs, endMs), all lines together. */
export type IntervalCount = {
  num: number;
  startMs: number;
  endMs: number;
  in: number;
  out: number;
  knownMs: number;
  osd: number;
  /** Index in the contract's list of qualities. */
  quality: number;
};
export type SensorAssignments = ReadonlyMap<number, readonly Assignment[]>;

export async function findSensorAssignments(reader: Reader, locationId: string): Promise<SensorAssignments> {
  return findAssignments(reader, await findSensorsEverAt(reader, [locationId]));
}

export function isCountedAt(where: SensorAssignments, num: number, startMs: number, locationId: string): boolean {
  return resolveLocation(where.get(num) ?? [], startMs).locationId === locationId;
}

/** Finds intervals that belong to the location and end after `fromMs`. */
export async function findCountsSince(
  reader: Reader,
  locationId: string,
  where: SensorAssignments,
  fromMs: number,
  toMs: number,
) {
  // A sensor that moved away may have a record that started at this location and ends after the move.
  const firstMs = fromMs - maxDurationMs;
  const there = [...where].filter(([, list]) =>
    list.some((one) => one.locationId === locationId && one.toMs > firstMs),
  );
  const nums = there.map(([num]) => num);
  if (nums.length === 0) return [];
  const counts = await readCounts(reader, nums, firstMs, toMs);
  return [...counts].flatMap(([num, list]) =>
    toIntervals(num, list, locationId, where).filter((one) => one.endMs > fromMs),
  );
}

/** Finds counts of unpacked months that overlap the windows, at any location. */
export async function findCountsWithin(
  reader: Reader,
  windows: readonly { num: number; fromMs: number; toMs: number }[],
) {
  const rows = await findUnpackedCountsWithin(
    reader,
    windows.map(({ num, fromMs, toMs }) => ({ sensorNum: num, fromMs, toMs })),
  );
  return Map.groupBy(rows, ({ sensorNum }) => sensorNum);
}

export function toIntervals(
  num: number,
  counts: readonly Count[],
  locationId: string,
  where: SensorAssignments,
): IntervalCount[] {
  const intervals: IntervalCount[] = [];
  for (const [startMs, lines] of Map.groupBy(counts, (count) => count.startMs)) {
    if (!isCountedAt(where, num, startMs, locationId)) continue;
    const believed = lines.filter(({ ahead }) => !ahead);
    if (believed.length === 0) continue;
    const most = (of: (count: Count) => number) => Math.max(...believed.map(of));
    const sum = (of: (count: Count) => number) => believed.reduce((total, count) => total + of(count), 0);
    intervals.push({
      num,
      startMs,
      endMs: startMs + most((count) => count.durationMs),
      in: sum((count) => count.in),
      out: sum((count) => count.out),
      knownMs: most((count) => count.knownMs),
      osd: most((count) => count.osd),
      quality: most((count) => count.quality),
    });
  }
  return intervals;
}
