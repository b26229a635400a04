// Marks that facts of monitored sensors are new (ADR 0022): appended in the transaction of the facts, read by monitoring. SQL only.
import { sql } from "kysely";
import { numbers } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";

/** The earliest instant that the new facts of each sensor are about, by its number. */
export type FactMarks = Map<number, number>;

export function noteFact(marks: FactMarks, sensorNum: number, fromMs: number): void {
  marks.set(sensorNum, Math.min(fromMs, marks.get(sensorNum) ?? Infinity));
}

/** Sensors without the license are not monitored: nothing is marked for them. */
export async function markFacts(tx: Tx, marks: FactMarks): Promise<void> {
  if (marks.size === 0) return;
  await sql`
    insert into fact_mark (sensor_num, from_ms)
    select m.num, m.from_ms from unnest(${numbers(marks.keys())}::int[], ${numbers(marks.values())}::bigint[]) m (num, from_ms)
    join sensor s on s.num = m.num where s.license_monitoring`.execute(tx);
}
