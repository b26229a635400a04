// Queries that save which monitored sensors have new facts (ADR 0022). The marks are saved in the transaction of the facts, and
// monitoring reads them.
import { sql } from "kysely";
import { toPgArray } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";

/** Start of the earliest new fact by sensor number. */
export type FactMarks = Map<number, number>;

export function addFactMark(marks: FactMarks, sensorNum: number, fromMs: number): void {
  marks.set(sensorNum, Math.min(fromMs, marks.get(sensorNum) ?? Infinity));
}

/** Unlicensed sensors are not monitored and get no marks. */
export async function saveFactMarks(tx: Tx, marks: FactMarks): Promise<void> {
  if (marks.size === 0) return;
  await sql`
    insert into fact_mark (sensor_num, from_ms)
    select m.num, m.from_ms from unnest(${toPgArray(marks.keys())}::int[], ${toPgArray(marks.values())}::bigint[]) m (num, from_ms)
    join sensor s on s.num = m.num where s.license_monitoring`.execute(tx);
}
