// Packs old months of each sensor and merges later corrections (ADR 0020).
import { sql } from "kysely";
import type { Database, Tx } from "../db/database.ts";
import { findUnpackedCounts, findPacks, lockCounters, saveCounters } from "./count.store.ts";
import { type Count, pack } from "./pack.rules.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import { utcMonth, utcMonthStart } from "./month.rules.ts";

/** A month stays unpacked for this long after its end, because most back-fill has arrived by then. */
const restMs = 5 * dayMs;

/** Returns the start of the first month that must stay unpacked. */
export function computePackingLimit(nowMs: number): number {
  return utcMonthStart(utcMonth(nowMs - restMs));
}

/**
 * Packs all old months and returns the number of counts. Packs each sensor and month in a transaction of its own, so that writers
 * wait only milliseconds.
 */
export async function packOldMonths(db: Database, nowMs: number, signal?: AbortSignal): Promise<number> {
  const beforeMs = computePackingLimit(nowMs);
  let moved = 0;
  for (let after = -1; ;) {
    const sensors = await sensorsWithOldRows(db, after, beforeMs);
    if (sensors.length === 0) return moved;
    for (const num of sensors) {
      for (;;) {
        if (signal?.aborted) return moved;
        const n = await db.transaction().execute((tx) => packOldestMonth(tx, num, beforeMs));
        if (n === 0) break;
        moved += n;
      }
      after = num;
    }
  }
}

/** `offset 0` makes PostgreSQL look up each sensor. It has no statistics to join a partitioned table well. */
async function sensorsWithOldRows(db: Database, after: number, beforeMs: number): Promise<number[]> {
  const { rows } = await sql<{ num: number }>`
    select c.sensor_num as num from counter c where c.sensor_num > ${after} and exists (
      select from count_hot h where h.sensor_num = c.sensor_num and h.start_ms < ${beforeMs} offset 0
    ) order by c.sensor_num limit 500`.execute(db);
  return rows.map((row) => row.num);
}

/** Packs a sensor's oldest month that has unpacked counts before `beforeMs`. Returns the number of these counts. */
export async function packOldestMonth(tx: Tx, num: number, beforeMs: number): Promise<number> {
  const counter = (await lockCounters(tx, [num])).get(num);
  const { rows } = await sql<{ first: number | null }>`select min(start_ms) as first from count_hot
    where sensor_num = ${num} and start_ms < ${beforeMs}`.execute(tx);
  const first = rows[0]?.first ?? null;
  if (!counter || first === null) return 0;
  const month = utcMonth(first);
  const fromMs = utcMonthStart(month);
  const toMs = utcMonthStart(month + 1);
  const unpacked = await findUnpackedCounts(tx, { sensorNum: num, fromMs, toMs });
  const merged = new Map<string, Count>();
  const packs = await findPacks(tx, [{ sensorNum: num, month }]);
  for (const count of packs.get(`${num}/${month}`) ?? []) merged.set(`${count.lineNo}/${count.startMs}`, count);
  for (const count of unpacked) merged.set(`${count.lineNo}/${count.startMs}`, count);
  await writePack(tx, num, month, [...merged.values()]);
  await sql`delete from count_hot where sensor_num = ${num} and start_ms >= ${fromMs}
    and start_ms < ${toMs}`.execute(tx);
  if ((counter.packedToMs ?? -Infinity) < toMs) await saveCounters(tx, [{ ...counter, packedToMs: toMs }]);
  return unpacked.length;
}

/** Replaces an existing pack. */
export async function writePack(tx: Tx, num: number, month: number, counts: readonly Count[]): Promise<void> {
  const fromMs = utcMonthStart(month);
  const points = Array.from({ length: (utcMonthStart(month + 1) - fromMs) / dayMs }, () => 0);
  for (const count of counts) {
    const day = Math.floor((count.startMs - fromMs) / dayMs);
    points[day] = (points[day] ?? 0) + 1;
  }
  await sql`insert into count_pack (sensor_num, month, day_points, body) values (${num}, ${month}, ${points}, ${pack(counts)})
    on conflict (sensor_num, month) do update set day_points = excluded.day_points, body = excluded.body`.execute(tx);
}
