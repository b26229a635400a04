// Ends everything that gives access in a restored database.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";

/**
 * Ends sessions with their tickets, links of displays and feeds, links to reset passwords, and sessions on sensors' own pages. The
 * links of invitations and sign-ups stay, because they give no access yet.
 */
export async function endAccess(tx: Tx, now: Date): Promise<void> {
  for (const table of ["ticket", "session", "display_token", "feed_token"])
    await sql`delete from ${sql.table(table)}`.execute(tx);
  await sql`update display_link set is_revoked = true where not is_revoked`.execute(tx);
  await sql`update password_reset set binding = null where binding is not null`.execute(tx);
  await sql`update remote_session set ended_at = ${now}, ended_why = 'restore', token_hash = null, cookie_hash = null
    where ended_at is null`.execute(tx);
  await sql`update tunnel set host_id = null where host_id is not null`.execute(tx);
}

export async function countProductConnections(db: Reader): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where application_name = 'ps-platform' and datname = current_database() and pid <> pg_backend_pid()`.execute(db);
  return rows[0]?.n ?? 0;
}
