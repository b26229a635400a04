// What of the demo's past is stored already, in the database that holds it: a start after a kill goes on from there.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { toJsonb } from "../db/storable.ts";

/** The past to be made, and how many of its months by sensor are stored, in the order in which the simulator gives them. */
export type History = { fromMs: number; toMs: number; sensors: number; done: number };

const name = "demo_history";

export async function findHistory(reader: Reader): Promise<History | null> {
  const row = await reader.selectFrom("setting").select("value").where("name", "=", name).executeTakeFirst();
  return row === undefined ? null : (row.value as History);
}

export async function saveHistory(tx: Tx, history: History): Promise<void> {
  const value = toJsonb(history);
  await sql`insert into setting (name, value) values (${name}, ${value}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(tx);
}

/** The same, locked: two processes on one database take turns. */
export async function lockHistory(tx: Tx): Promise<History | null> {
  const { rows } = await sql<{ value: History }>`select value from setting where name = ${name} for update`.execute(tx);
  return rows[0]?.value ?? null;
}

/** Numbers of sensors by their ids. */
export async function findSensorNums(reader: Reader, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await reader.selectFrom("sensor").select(["id", "num"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, num }) => [id, num]));
}
