// Queries for the accounts whose reach a change affects, in chunks, because a role may have very many holders.
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type RawBuilder, sql } from "kysely";
import { isAtOrBelow } from "../db/account-path.ts";
import type { Reader, Tx } from "../db/database.ts";

export type HolderRow = Owner & { name: string };

/** Maximum of rows in memory. */
const rowsAtOnce = 1000;

const holderColumns = sql`a.id, a.name, a.ancestor_ids as "parentAccounts", a.role_id as "roleId"`;

/** Reads through a cursor: each row is read once, in chunks. A transaction can have one cursor at a time. */
async function* readChunks<Row>(tx: Tx, query: RawBuilder<Row>): AsyncGenerator<Row[]> {
  await sql`declare reach no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsAtOnce)} from reach`.execute(tx);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) break;
  }
  await sql`close reach`.execute(tx);
}

/** The accounts with this role, without deleted ones. */
export function readHolders(tx: Tx, roleId: string): AsyncGenerator<HolderRow[]> {
  return readChunks(
    tx,
    sql<HolderRow>`select ${holderColumns} from account a where a.role_id = ${roleId} and not a.is_deleted`,
  );
}

/** The accounts with a role at this position and below, without deleted ones. */
export function readHoldersFrom(tx: Tx, path: string): AsyncGenerator<HolderRow[]> {
  return readChunks(
    tx,
    sql<HolderRow>`select ${holderColumns} from account a join role r on r.id = a.role_id and not r.is_deleted
      where ${isAtOrBelow("a.path", path)} and not a.is_deleted`,
  );
}

export async function findPermissionsByRole(db: Reader, ids: readonly string[]): Promise<Map<string, Permissions>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("role")
    .select(["id", "permissions"])
    .where("id", "in", [...ids])
    .execute();
  return new Map(rows.map(({ id, permissions }) => [id, permissions]));
}

/** The roles of these accounts, deleted ones included. With `among`, only accounts with one of those roles. */
export async function findRolesOf(
  db: Reader,
  accountIds: readonly string[],
  among?: readonly string[],
): Promise<Map<string, string>> {
  if (accountIds.length === 0 || among?.length === 0) return new Map();
  const { rows } = await sql<{ id: string; role_id: string }>`
    select id, role_id from account where id = any(${accountIds}::uuid[]) and role_id is not null
      ${among ? sql`and role_id = any(${among}::uuid[])` : sql``}`.execute(db);
  return new Map(rows.map(({ id, role_id }) => [id, role_id]));
}
