// Stores generated months in bulk. The result is the same as if each record had arrived when it ended.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import type { RecordOutcome, RecordSensor } from "../device/capability.ts";
import { findCountError } from "./count.rules.ts";
import { addDaySums, saveCounters, upsertUnpackedCounts } from "./count.store.ts";
import { saveFactMarks } from "./fact-mark.store.ts";
import { computePackingLimit, writePack } from "./pack.store.ts";
import { applyCounts } from "./record/record.store.ts";
import { utcMonth, utcMonthStart } from "./month.rules.ts";

/**
 * Stores the counts of one sensor in one UTC month, as a pack if the month is old and has no data yet, else as rows. Skips counts
 * that are invalid, exist already, or overlap others.
 */
export async function storePastMonth(tx: Tx, nowMs: number, sensor: RecordSensor, records: readonly CountRecord[]) {
  const outcomes: RecordOutcome[] = [];
  const incoming = records
    .filter((record) => findCountError(record) === null)
    .map((record, index) => ({ index, sensor, record, via: "live" as const }));
  const [first] = incoming;
  if (first === undefined) return;
  const { rows, sums, counters, facts } = await applyCounts(tx, incoming, outcomes, (record) => record.e);
  const month = utcMonth(first.record.s);
  const end = utcMonthStart(month + 1);
  const [counter] = counters;
  const isPacked =
    counter !== undefined && end <= computePackingLimit(nowMs) && !(await isBegun(tx, sensor.num, month));
  if (isPacked) {
    await writePack(tx, sensor.num, month, [...rows.values()]);
    counter.packedToMs = Math.max(counter.packedToMs ?? -Infinity, end);
    await saveCounters(tx, [counter]);
  } else {
    await upsertUnpackedCounts(tx, [...rows.values()]);
    await saveCounters(tx, [...counters]);
  }
  await addDaySums(tx, [...sums.values()]);
  await saveFactMarks(tx, facts);
}

async function isBegun(tx: Tx, num: number, month: number): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`select exists (
      select from count_pack where sensor_num = ${num} and month = ${month}
    ) or exists (
      select from count_hot where sensor_num = ${num} and start_ms >= ${utcMonthStart(month)}
        and start_ms < ${utcMonthStart(month + 1)}
    ) as begun`.execute(tx);
  return rows[0]?.begun ?? true;
}
