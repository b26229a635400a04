// Queries for all owned tables: locks, writes, and owners.
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { type Insertable, sql, type Updateable } from "kysely";
import { type Database, hasKey, type Reader, runByKey, type Tx } from "../db/database.ts";
import { type Condition, containsName } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import { whereViewable } from "../db/visible.ts";
import { bumpVersion } from "../db/write.ts";
import type { Caller } from "../kit/caller.ts";
import type { Clock } from "../kit/clock.ts";
import type { OwnedNoun, OwnedTable, StoredRow } from "./noun.ts";

type Noun<T extends OwnedTable> = Pick<OwnedNoun<T>, "table" | "sees">;

/** Columns of the owner, for lists that join it as `owner`. */
export const ownerColumns = sql`owner.name as owner_name, owner.is_deleted as owner_is_deleted, owner.last_seen_at as owner_last_seen_at`;

/** Filters that all lists of owned objects have. */
export type OwnedFilter = {
  ids?: readonly string[] | undefined;
  ownerID?: readonly string[] | undefined;
  name?: string | undefined;
};

export function ownedConditions(
  { table, sees }: Noun<OwnedTable>,
  caller: Caller,
  { ids, ownerID, name }: OwnedFilter,
  includeDeleted?: boolean,
): Condition[] {
  const column = (of: string) => sql.ref(`${table}.${of}`);
  const all: Condition[] = [sees(caller)];
  if (!includeDeleted) all.push(sql<boolean>`not ${column("is_deleted")}`);
  if (ids) all.push(sql<boolean>`${column("id")} = any(${filterUuids(ids)}::uuid[])`);
  if (ownerID) all.push(sql<boolean>`${column("owner_id")} = any(${filterUuids(ownerID)}::uuid[])`);
  if (name) all.push(containsName(table, name));
  return all;
}

/**
 * Locks a visible row that is not deleted. `update`: to change it. `share`: to prevent its deletion while another row refers to it.
 */
export async function lockOwned<T extends OwnedTable>(
  tx: Tx,
  { table, sees }: Noun<T>,
  caller: Caller,
  id: string,
  how: "update" | "share" = "update",
): Promise<StoredRow<T> | undefined> {
  const { rows } = await sql<StoredRow<T>>`
    select * from ${sql.table(table)} where id = ${id} and not is_deleted and ${sees(caller)}
    ${how === "update" ? sql`for update` : sql`for share`}`.execute(tx);
  return rows[0];
}

// Kysely can't type the columns of a generic table, so its types are bypassed; the functions below check the types of callers.
const asAny = (db: Database | Tx) => db as unknown as Tx;
const tableName = (table: OwnedTable) => table as "role";

export async function insertOwned<T extends OwnedTable>(tx: Tx, table: T, values: Insertable<Tables[T]>) {
  const row: unknown = await asAny(tx)
    .insertInto(tableName(table))
    .values(values as never)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as StoredRow<T>;
}

export async function updateOwned<T extends OwnedTable>(
  ctx: { clock: Clock },
  tx: Tx,
  table: T,
  id: string,
  columns: Updateable<Tables[T]>,
): Promise<StoredRow<T>> {
  const row: unknown = await asAny(tx)
    .updateTable(tableName(table))
    .set({ ...bumpVersion(ctx), ...(columns as object) })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as StoredRow<T>;
}

/** Condition for rows whose owner is in the caller's view scope for this kind of object. */
export function visibleByOwner(table: OwnedTable, rights: OwnableType): (caller: Caller) => Condition {
  return (caller) => whereViewable(caller, rights, table);
}

type PlacedAccount = Owner & { path: string; name: string; isDeleted: boolean };
const placedColumns = sql`id, name, path, ancestor_ids as "parentAccounts", role_id as "roleId", is_deleted as "isDeleted"`;

/** Finds accounts, including deleted ones. */
export async function findOwnerAccounts(reader: Reader, ids: readonly string[]) {
  const known = [...new Set(ids)];
  const query = sql<PlacedAccount>`select ${placedColumns} from account where ${hasKey("id", "uuid", known)}`;
  return runByKey(reader, "owner_accounts", query);
}

/** Finds an account that is not deleted, and locks it against deletion until the commit. */
export async function lockOwnerAccount(reader: Reader, id: string): Promise<PlacedAccount | undefined> {
  const query = sql<PlacedAccount>`select ${placedColumns} from account where id = ${id} and not is_deleted for share`;
  return (await runByKey(reader, "lock_owner_account", query))[0];
}
