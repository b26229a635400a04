// Keeps marks of the secrets of the process that started last.
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { toJsonb } from "../db/storable.ts";

const settingName = "secret_marks";

/** Stores these marks by variable, and returns those from before; empty at the first start. */
export async function replaceSecretMarks(db: Database, marks: Record<string, string>): Promise<Record<string, string>> {
  const { rows } = await sql<{ before: Record<string, string> | null }>`
    insert into setting (name, value) values (${settingName}, ${toJsonb(marks)}::jsonb)
    on conflict (name) do update set value = excluded.value
    returning (select value from setting where name = ${settingName}) as before`.execute(db);
  return rows[0]?.before ?? {};
}
