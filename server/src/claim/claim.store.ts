// Queries for wrong registration codes.
import { sql } from "kysely";
import type { Database, Reader, Tx } from "../db/database.ts";

/** Serializes an account's attempts until the end of the transaction, so that concurrent ones can't exceed the limit. */
export async function lockAttempts(tx: Tx, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`claim ${accountId}`}, 0))`.execute(tx);
}

/** Returns the times of the newest wrong codes, at most `limit`, oldest first. */
export async function findWrongCodes(tx: Tx, accountId: string, since: Date, limit: number): Promise<Date[]> {
  const { rows } = await sql<{ at: Date }>`select at from claim_miss
    where account_id = ${accountId} and at > ${since} order by at desc limit ${limit}`.execute(tx);
  return rows.map((row) => row.at).toReversed();
}

export async function insertWrongCode(tx: Tx, accountId: string, at: Date): Promise<void> {
  await sql`insert into claim_miss (account_id, at) values (${accountId}, ${at})`.execute(tx);
}

export async function deleteWrongCodes(db: Database, until: Date): Promise<void> {
  await sql`delete from claim_miss where at <= ${until}`.execute(db);
}

export async function countWrongCodes(reader: Reader, since: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from claim_miss where at > ${since}`.execute(
    reader,
  );
  return rows[0]?.n ?? 0;
}
