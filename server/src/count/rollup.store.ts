// Recomputes daily sums from the counts, after changes of time zone or assignment, and in checks.
import { sql } from "kysely";
import { toPgArray } from "../db/arrays.ts";
import type { Reader, Tx } from "../db/database.ts";
import { sumCounts } from "./count.rules.ts";
import {
  addDaySums,
  addToDaySum,
  type Assignment,
  createDaySum,
  type DaySum,
  findAssignments,
  findCounters,
  lockCounters,
  resolveLocation,
  readCounts,
} from "./count.store.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import { utcMonth, utcMonthStart } from "./month.rules.ts";

export type DaySumScope = { locationId: string } | { sensorNums: readonly number[] };

/**
 * Call it after the change of time zone or `sensor_location`, in the same transaction. Assignments before `fromMs` must be the same
 * as before the change.
 */
export async function rebuildDaySums(tx: Tx, scope: DaySumScope, fromMs = -Infinity): Promise<void> {
  const nums = await sensorsOf(tx, scope);
  if ("sensorNums" in scope) await waitForZones(tx, nums, fromMs);
  const counters = await lockCounters(tx, nums);
  const fromDay = firstDay(fromMs);
  const later = await countingSince(tx, nums, fromMs);
  for (const num of nums) {
    const counter = counters.get(num);
    // Skips sensors without counts after `fromMs`: thousands may move at once, and most have none.
    if (!counter || counter.firstMs === null || !(later.has(num) || (counter.packedToMs ?? -Infinity) > fromMs))
      continue;
    const assignments = (await findAssignments(tx, [num])).get(num) ?? [];
    const sums = await computeDaySums(tx, num, assignments, fromDay);
    await sql`delete from count_day where sensor_num = ${num} and day >= ${fromDay}`.execute(tx);
    await addDaySums(tx, sums);
  }
}

/**
 * Waits for concurrent changes of the locations' time zones, because their transactions can't see yet that these sensors are at the
 * locations. Call it before the counters are locked: changes of zone lock in the same order, which avoids deadlocks.
 */
async function waitForZones(tx: Tx, nums: readonly number[], fromMs: number): Promise<void> {
  const since = sql`to_timestamp(${fromMs}::float8 / 1000)`;
  await sql`select id from location where id in
    (select location_id from sensor_location where sensor_num = any(${toPgArray(nums)}::int[]) and to_at > ${since})
    order by id for share`.execute(tx);
}

async function countingSince(tx: Tx, nums: readonly number[], fromMs: number): Promise<Set<number>> {
  const { rows } = await sql<{ num: number }>`select num from unnest(${toPgArray(nums)}::int[]) w (num)
    where exists (select from count_hot where sensor_num = num
      and start_ms >= ${Math.max(fromMs, Number.MIN_SAFE_INTEGER)} offset 0)`.execute(tx);
  return new Set(rows.map((row) => row.num));
}

async function sensorsOf(reader: Reader, scope: DaySumScope): Promise<number[]> {
  if ("sensorNums" in scope) return [...new Set(scope.sensorNums)].toSorted((a, b) => a - b);
  return findSensorsEverAt(reader, [scope.locationId]);
}

export async function findSensorsEverAt(reader: Reader, locationIds: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ num: number }>`select distinct sensor_num as num from sensor_location
    where location_id = any(${[...locationIds]}::uuid[]) order by sensor_num`.execute(reader);
  return rows.map((row) => row.num);
}

const firstDayEver = -100_000;
/** Returns a day that begins before the instant in every zone. */
function firstDay(ms: number): number {
  return Number.isFinite(ms) ? Math.max(firstDayEver, Math.floor(ms / dayMs) - 2) : firstDayEver;
}

async function computeDaySums(reader: Reader, num: number, assignments: readonly Assignment[], fromDay: number) {
  const sums = new Map<string, DaySum>();
  const range = await rangeOf(reader, num);
  if (!range) return [];
  const from = Math.max(range.fromMs, (fromDay - 1) * dayMs);
  for (let month = utcMonth(from); month <= utcMonth(range.toMs); month += 1) {
    const counts = (await readCounts(reader, [num], utcMonthStart(month), utcMonthStart(month + 1))).get(num) ?? [];
    for (const [startMs, group] of Map.groupBy(counts, (count) => count.startMs)) {
      if (group.every((count) => count.ahead)) continue;
      const { locationId, zone, hours } = resolveLocation(assignments, startMs);
      const day = zone.dayAt(startMs);
      if (day < fromDay) continue;
      const key = `${day}/${locationId}`;
      const sum = sums.getOrInsertComputed(key, () => createDaySum({ sensorNum: num, day, locationId, hours }));
      addToDaySum(sum, hours, startMs, sumCounts(group), 1);
    }
  }
  return [...sums.values()];
}

/** Returns the first and last start. A packed month counts as a whole. */
async function rangeOf(reader: Reader, num: number): Promise<{ fromMs: number; toMs: number } | null> {
  const counter = (await findCounters(reader, [num])).get(num);
  if (!counter || counter.firstMs === null) return null;
  const { rows } = await sql<{
    last: number | null;
  }>`select max(start_ms) as last from count_hot where sensor_num = ${num}`.execute(reader);
  return { fromMs: counter.firstMs, toMs: Math.max(rows[0]?.last ?? -Infinity, (counter.packedToMs ?? -Infinity) - 1) };
}

/** Returns the days whose stored sums differ from their counts, for tests and checks. */
export async function findWrongDaySums(reader: Reader, sensorNums: readonly number[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const num of sensorNums) {
    const assignments = (await findAssignments(reader, [num])).get(num) ?? [];
    const right = new Map(
      (await computeDaySums(reader, num, assignments, firstDayEver)).map((sum) => [keyOf(sum), sum]),
    );
    const { rows } = await sql<DaySum>`select sensor_num as "sensorNum", day, location_id as "locationId", n_in as "in",
      n_out as "out", known_ms as "knownMs" from count_day where sensor_num = ${num}`.execute(reader);
    const stored = new Map(rows.map((sum) => [keyOf(sum), sum]));
    for (const key of new Set([...right.keys(), ...stored.keys()])) {
      const a = right.get(key);
      const b = stored.get(key);
      // A zero sum may remain when all counts of a day moved away.
      const same =
        (a?.in ?? 0) === (b?.in ?? 0) && (a?.out ?? 0) === (b?.out ?? 0) && (a?.knownMs ?? 0) === (b?.knownMs ?? 0);
      if (!same) wrong.push(`${key}: ${JSON.stringify(b ?? null)} should be ${JSON.stringify(a ?? null)}`);
    }
  }
  return wrong;
}

function keyOf(sum: DaySum): string {
  return `sensor ${sum.sensorNum} day ${sum.day} location ${sum.locationId}`;
}
