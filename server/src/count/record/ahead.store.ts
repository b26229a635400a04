// Includes records from fast clocks in the sums when their time arrives.
import { sql } from "kysely";
import { toPgArray } from "../../db/arrays.ts";
import type { Database, Tx } from "../../db/database.ts";
import type { RefusedRecord } from "../../device/capability.ts";
import { maxAheadMs, createTimeline } from "../count.rules.ts";
import * as store from "../count.store.ts";
import { startsWithin } from "../partition/pruning.store.ts";
import { type FactMarks, saveFactMarks, addFactMark } from "../fact-mark.store.ts";
import {
  createEmptyChanges,
  putCounts,
  type StoredSpan,
  type SensorCountUpdate,
  toRefusedRecord,
  writeChanges,
} from "./record.store.ts";
import { findCountsNearIntervals } from "./stored-near.store.ts";

/** Limits per transaction. */
const sensorsAtOnce = 200;
const recordsAtOnce = 5_000;

export type IncludedCounts = { counts: StoredSpan[]; displaced: RefusedRecord[]; more: boolean };

/** Includes counts that are no longer ahead. Deletes those that now overlap others, and returns their records as displaced. */
export async function includeDueCounts(tx: Tx, nowMs: number): Promise<IncludedCounts> {
  const { rows: due } = await sql<{ num: number; id: string }>`
    select s.num, s.id from (
      select distinct sensor_num as num from count_hot
      where is_ahead and start_ms < ${nowMs + maxAheadMs} and start_ms + duration_ms <= ${nowMs + maxAheadMs}
      order by num limit ${sensorsAtOnce}
    ) d join sensor s on s.num = d.num order by s.num`.execute(tx);
  const nums = due.map(({ num }) => num);
  const counters = await store.lockCounters(tx, nums);
  const assignments = await store.findAssignments(tx, nums);
  const ahead = await findAhead(tx, nums, nowMs);
  const near = await findCountsNearIntervals(
    tx,
    new Map([...ahead].map(([num, counts]) => [num, counts.map((one) => ({ s: one.startMs, e: endOf(one) }))])),
    counters,
  );
  const changes = createEmptyChanges();
  const removed: store.UnpackedCount[] = [];
  for (const sensor of due) {
    const counter = counters.get(sensor.num);
    if (!counter) continue;
    const timeline = createTimeline(near.get(sensor.num) ?? []);
    const target: SensorCountUpdate = {
      sensor,
      counter,
      timeline,
      assignments: assignments.get(sensor.num) ?? [],
      changes,
    };
    for (const [s, counts] of Map.groupBy(ahead.get(sensor.num) ?? [], ({ startMs }) => startMs)) {
      const e = Math.max(...counts.map(endOf));
      if (timeline.overlapping(s, e) === null) {
        putCounts(
          target,
          { s, e },
          counts.map((count) => ({ ...count, ahead: false })),
          nowMs,
        );
      } else {
        removed.push(...counts);
        changes.displaced.push(
          toRefusedRecord(target, counts, "It was dated in the future and overlaps records counted since"),
        );
      }
    }
  }
  await writeChanges(tx, changes);
  await remove(tx, removed);
  await saveFactMarks(tx, changes.facts);
  return {
    counts: [...changes.spans.values()],
    displaced: changes.displaced,
    more: due.length === sensorsAtOnce,
  };
}

const endOf = ({ startMs, durationMs }: store.UnpackedCount) => startMs + durationMs;

async function findAhead(tx: Tx, nums: readonly number[], nowMs: number): Promise<Map<number, store.UnpackedCount[]>> {
  const { rows } = await sql<store.UnpackedCount>`select ${store.unpackedColumns} from count_hot h
    where sensor_num = any(${toPgArray(nums)}::int[]) and is_ahead and start_ms < ${nowMs + maxAheadMs}
      and start_ms + duration_ms <= ${nowMs + maxAheadMs}
    order by sensor_num, start_ms, line_no`.execute(tx);
  return Map.groupBy(rows, ({ sensorNum }) => sensorNum);
}

async function remove(tx: Tx, counts: readonly store.UnpackedCount[]): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    delete from count_hot h using unnest(${toPgArray(counts.map((one) => one.sensorNum))}::int[],
      ${toPgArray(counts.map((one) => one.startMs))}::bigint[], ${toPgArray(counts.map((one) => one.lineNo))}::int[]) r (num, start, line)
    where h.sensor_num = r.num and h.start_ms = r.start and h.line_no = r.line
      and ${startsWithin(counts, ({ startMs }) => ({ from: startMs, to: startMs + 1 }))}`.execute(tx);
}

export async function includeDueOtherRecords(db: Database, nowMs: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ num: number; start: number }>`
      update device_record d set is_ahead = false from (
        select kind, sensor_num, start_ms, sub from device_record where is_ahead and end_ms <= ${nowMs + maxAheadMs}
        order by kind, sensor_num, start_ms, sub limit ${recordsAtOnce} for update
      ) due
      where d.kind = due.kind and d.sensor_num = due.sensor_num and d.start_ms = due.start_ms and d.sub = due.sub
      returning d.sensor_num as num, d.start_ms as start`.execute(tx);
    const marks: FactMarks = new Map();
    for (const { num, start } of rows) addFactMark(marks, num, start);
    await saveFactMarks(tx, marks);
    return rows.length === recordsAtOnce;
  });
}
