// The number of the installation, which every restore raises: desired states and the WAL archive continue above what was lost
// (docs/rules/backup.md#after-a-restore).
import { sql } from "kysely";
import type { Reader, Tx } from "../database.ts";

const settingName = "installation";
/** Restores count in seconds since then, so that numbers grow even if the same backup is restored twice. */
const epochMs = Date.UTC(2026, 0, 1);

/** 0 until the first restore. */
export const installationNumber = sql<number>`coalesce((select (value #>> '{}')::int from setting where name = ${settingName}), 0)`;

/** When the restore with this number was done, or 0 for the first installation. */
export function toInstallationTime(number: number): number {
  return number === 0 ? 0 : epochMs + number * 1000;
}

export async function readInstallationNumber(db: Reader): Promise<number> {
  const { rows } = await sql<{ number: number }>`select ${installationNumber} as number`.execute(db);
  return rows[0]?.number ?? 0;
}

export async function raiseInstallationNumber(tx: Tx, now: Date): Promise<number> {
  const seconds = Math.floor((now.getTime() - epochMs) / 1000);
  const next = Math.max((await readInstallationNumber(tx)) + 1, seconds);
  await sql`insert into setting (name, value) values (${settingName}, ${String(next)}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(tx);
  return next;
}
