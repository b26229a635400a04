// Queries for weekly reports.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";

export type Subscription = { credential_id: string; monday: number };

export async function findSubscription(db: Reader, credentialId: string): Promise<Subscription | undefined> {
  return db
    .selectFrom("weekly_report")
    .select(["credential_id", "monday"])
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
}

/** Keeps an existing subscription; true if it inserted a new one. */
export async function insertSubscription(tx: Tx, values: Subscription & { check_at: Date }): Promise<boolean> {
  const row = await tx
    .insertInto("weekly_report")
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning("credential_id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteSubscription(tx: Tx, credentialId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("weekly_report")
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function findDueSubscriptions(db: Reader, now: Date, limit: number): Promise<Subscription[]> {
  return db
    .selectFrom("weekly_report")
    .select(["credential_id", "monday"])
    .where("check_at", "<=", now)
    .orderBy("check_at")
    .orderBy("credential_id")
    .limit(limit)
    .execute();
}

/** Schedules the next report; false if it was changed or disabled since `was` was read. */
export async function scheduleNext(
  tx: Reader,
  was: Subscription,
  next: { monday: number; check_at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("weekly_report")
    .set(next)
    .where("credential_id", "=", was.credential_id)
    .where("monday", "=", was.monday)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type Login = { id: string; email: string; accountId: string; accountName: string; accountPath: string };

/** Finds a login whose registration is complete. Excludes deleted logins and logins of deleted accounts. */
export async function findLogin(db: Reader, credentialId: string): Promise<Login | undefined> {
  const { rows } = await sql<Login>`
    select c.id, c.email, a.id as "accountId", a.name as "accountName", a.path as "accountPath"
    from credential c join account a on a.id = c.account_id
    where c.id = ${credentialId} and not c.is_deleted and c.step = 2 and not a.is_deleted`.execute(db);
  return rows[0];
}
