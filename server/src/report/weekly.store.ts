// Queries of the switch for the weekly report.
import type { Insertable } from "kysely";
import type { Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

/** False if the login already has a weekly report. */
export async function insertWeekly(
  tx: Tx,
  row: Omit<Insertable<Tables["report"]>, "is_weekly" | "is_enabled" | "language">,
): Promise<boolean> {
  const inserted = await tx
    .insertInto("report")
    .values({ ...row, is_weekly: true, is_enabled: true, language: "en" })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

type Plan = { handled_to: Date; next_at: Date; check_at: Date };

/** Switches the report on with its next times, or off. */
export async function switchWeekly(tx: Tx, id: string, plan: Plan | null): Promise<void> {
  const columns = plan === null ? { is_enabled: false, next_at: null, check_at: null } : { is_enabled: true, ...plan };
  await tx
    .updateTable("report")
    .set({ ...columns, stopped: null })
    .where("id", "=", id)
    .execute();
}
