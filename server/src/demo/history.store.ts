// Stores the progress of the demo's generation, so that it can resume after a crash.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { toJsonb } from "../db/storable.ts";

/** The period to generate. `done` is the number of stored sensor months (sensors × months), in the simulator's order. */
export type DemoHistory = { fromMs: number; toMs: number; sensors: number; done: number };

const name = "demo_history";

export async function findHistory(reader: Reader): Promise<DemoHistory | null> {
  const row = await reader.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
  return row === undefined ? null : (row.value as DemoHistory);
}

export async function saveHistory(tx: Tx, history: DemoHistory): Promise<void> {
  const value = toJsonb(history);
  await sql`insert into setting (name, value) values (${name}, ${value}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(tx);
}

export async function lockHistory(tx: Tx): Promise<DemoHistory | null> {
  const { rows } = await sql<{ value: DemoHistory }>`select value from setting where name = ${name} for update`.execute(
    tx,
  );
  return rows[0]?.value ?? null;
}

export async function findSensorNums(reader: Reader, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await reader.selectFrom("sensor").select(["id", "num"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, num }) => [id, num]));
}
