// What was counted at a location, interval by interval, with all lines of a sensor together; for those who count who is inside.
import type { Reader } from "../db/database.ts";
import { maxDurationMs } from "./count.rules.ts";
import { type Assignment, findAssignments, findHotWithin, placeAt, readCounts } from "./count.store.ts";
import type { Count } from "./pack.rules.ts";
import { sensorsEverAt } from "./rollup.store.ts";

export type IntervalCount = {
  num: number;
  startMs: number;
  endMs: number;
  in: number;
  out: number;
  knownMs: number;
  osd: number;
  quality: number;
};
/** When the sensors were where. */
export type Whereabouts = ReadonlyMap<number, readonly Assignment[]>;

/** Sensors that were ever at the location, and when they were where. */
export async function whereaboutsOf(reader: Reader, locationId: string): Promise<Whereabouts> {
  return findAssignments(reader, await sensorsEverAt(reader, [locationId]));
}

/** Whether what a sensor counts from this instant on belongs to the location. */
export function isCountedAt(where: Whereabouts, num: number, startMs: number, locationId: string): boolean {
  return placeAt(where.get(num) ?? [], startMs).locationId === locationId;
}

/** What belongs to the location by its start and ends after `fromMs`. */
export async function countsSince(
  reader: Reader,
  locationId: string,
  where: Whereabouts,
  fromMs: number,
  toMs: number,
) {
  // A sensor that left before may have a record that began here and ends later.
  const firstMs = fromMs - maxDurationMs;
  const there = [...where].filter(([, list]) =>
    list.some((one) => one.locationId === locationId && one.toMs > firstMs),
  );
  const nums = there.map(([num]) => num);
  if (nums.length === 0) return [];
  const counts = await readCounts(reader, nums, firstMs, toMs);
  return [...counts].flatMap(([num, list]) =>
    intervalsOf(num, list, locationId, where).filter((one) => one.endMs > fromMs),
  );
}

/** Intervals of the last weeks that share time with the windows, by sensor and whatever their location. */
export async function countsWithin(reader: Reader, windows: readonly { num: number; fromMs: number; toMs: number }[]) {
  const rows = await findHotWithin(
    reader,
    windows.map(({ num, fromMs, toMs }) => ({ sensorNum: num, fromMs, toMs })),
  );
  return Map.groupBy(rows, ({ sensorNum }) => sensorNum);
}

/** The counts of a sensor as intervals, as far as they belong to the location. */
export function intervalsOf(
  num: number,
  counts: readonly Count[],
  locationId: string,
  where: Whereabouts,
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
