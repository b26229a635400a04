// Stores months of the past at once, as if each record had come when it ended: what storing and packing would have made of them.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import type { Outcome, StoringSensor } from "../device/capability.ts";
import { badCount } from "./count.rules.ts";
import { addDaySums, saveCounters, upsertHot } from "./count.store.ts";
import { markFacts } from "./fact-mark.store.ts";
import { packedBefore, writePack } from "./pack.store.ts";
import { applyCounts } from "./record/record.store.ts";
import { utcMonth, utcMonthStart } from "./month.rules.ts";

/**
 * Counts of one sensor within one month of UTC. A month that would be packed by now, and of which nothing is stored yet,
 * is written as a pack at once; any other as rows, which are packed in their turn. What is stored already, overlaps it or
 * can't be is left out.
 */
export async function storePastMonth(tx: Tx, nowMs: number, sensor: StoringSensor, records: readonly CountRecord[]) {
  const outcomes: Outcome[] = [];
  const incoming = records
    .filter((record) => badCount(record) === null)
    .map((record, index) => ({ index, sensor, record, via: "live" as const }));
  const [first] = incoming;
  if (first === undefined) return;
  const { rows, sums, counters, facts } = await applyCounts(tx, incoming, outcomes, (record) => record.e);
  const month = utcMonth(first.record.s);
  const end = utcMonthStart(month + 1);
  const [counter] = counters;
  const isPacked = counter !== undefined && end <= packedBefore(nowMs) && !(await isBegun(tx, sensor.num, month));
  if (isPacked) {
    await writePack(tx, sensor.num, month, [...rows.values()]);
    counter.packedToMs = Math.max(counter.packedToMs ?? -Infinity, end);
    await saveCounters(tx, [counter]);
  } else {
    await upsertHot(tx, [...rows.values()]);
    await saveCounters(tx, [...counters]);
  }
  await addDaySums(tx, [...sums.values()]);
  await markFacts(tx, facts);
}

/** Whether anything of a sensor's month is stored. */
async function isBegun(tx: Tx, num: number, month: number): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`select exists (
      select from count_pack where sensor_num = ${num} and month = ${month}
    ) or exists (
      select from count_hot where sensor_num = ${num} and start_ms >= ${utcMonthStart(month)}
        and start_ms < ${utcMonthStart(month + 1)}
    ) as begun`.execute(tx);
  return rows[0]?.begun ?? true;
}
