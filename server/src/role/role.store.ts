// Queries for roles, their gifts (ADR 0008), and the objects that a holder would see.
import type { roleListQuery } from "@psp/contract/role/role.query.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type Insertable, type Selectable, sql } from "kysely";
import type { z } from "zod";
import type { Database, Reader, Tx } from "../db/database.ts";
import { nameSortKeys, type Condition, conjunction, type PageSlice, limitClause, orderBy } from "../db/list.ts";
import { toJsonb } from "../db/storable.ts";
import type { Tables } from "../db/tables.ts";
import { type OwnerColumns as OwnerAt, whereOwnerIn, whereViewable } from "../db/visible.ts";
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import type { Caller, ActorWithPath } from "../kit/caller.ts";
import type { OwnerColumns } from "../owned/owner.ts";
import { visibleByOwner, ownedConditions, ownerColumns } from "../owned/owned.store.ts";

type RoleFilter = Pick<z.output<typeof roleListQuery>, "name" | "ownerID" | "withoutOwn"> & {
  ids?: readonly string[] | undefined;
};

export type RoleRow = OwnerColumns & Selectable<Tables["role"]>;

export const roleTable = { table: "role", sees: visibleByOwner("role", "role") } as const;

const sortable = {
  name: nameSortKeys("role"),
  owner: nameSortKeys("owner"),
  _id: [sql.ref("role.id")],
};
const defaultSort: SortKey[] = ["name", "owner"].map((field) => ({ field, descending: false }));

/** Conditions of the list: the view scope, no deleted roles unless requested, and all given filters. */
export function roleConditions(caller: Caller, filter: RoleFilter, includeDeleted?: boolean): Condition[] {
  const all = ownedConditions(roleTable, caller, filter, includeDeleted);
  if (filter.withoutOwn && caller.roleId !== null) all.push(sql<boolean>`role.id <> ${caller.roleId}::uuid`);
  return all;
}

/** Sorted by name and owner's name by default. */
export async function findRolePage(db: Reader, conditions: Condition[], sort: SortKey[], part: PageSlice) {
  const order = orderBy(sort.length > 0 ? sort : defaultSort, sortable, "role.id");
  const { rows } = await sql<RoleRow>`
    select role.*, ${ownerColumns}
    from role join account owner on owner.id = role.owner_id
    where ${conjunction(conditions)} order by ${order} ${limitClause(part)}`.execute(db);
  return rows;
}

export async function findRole(db: Reader, caller: Caller, id: string): Promise<RoleRow | null> {
  const [row] = await findRolePage(db, roleConditions(caller, { ids: [id] }), [], { skip: 0, limit: 1 });
  return row ?? null;
}

/** Ignores rights, which the live hub checks itself. */
export async function findRolesForLive(db: Reader, ids: string[]): Promise<RoleRow[]> {
  return findRolePage(db, [sql<boolean>`role.id = any(${ids}::uuid[])`, sql<boolean>`not role.is_deleted`], [], {
    skip: 0,
    limit: null,
  });
}

/** Names of the visible roles among `ids`, by id; deleted ones are missing. */
export async function findVisibleRoles(
  db: Reader,
  caller: Caller,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from role where ${conjunction(roleConditions(caller, { ids }))}`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function isNameTaken(db: Reader, ownerId: string, name: string, exceptId: string | null) {
  const { rows } = await sql`
    select from role where owner_id = ${ownerId} and lower(name) = lower(${name}) and not is_deleted
      and id is distinct from ${exceptId}::uuid limit 1`.execute(db);
  return rows.length > 0;
}

export async function findEqualRole(db: Reader, ownerId: string, permissions: Permissions, name: string) {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from role
    where owner_id = ${ownerId} and not is_deleted and permissions = ${toJsonb(permissions)}::jsonb
    order by lower(name) <> lower(${name}), created_at, id limit 1`.execute(db);
  return rows[0] ?? null;
}

export async function findFreeName(db: Reader, ownerId: string, name: string): Promise<string> {
  // One more candidate than there are roles, so that one is free.
  const { rows } = await sql<{ name: string }>`
    select candidate.name
    from generate_series(1, 1 + (select count(*) from role where owner_id = ${ownerId} and not is_deleted)) n
      cross join lateral (select case when n = 1 then ${name}::text else ${name}::text || ' ' || n end as name) candidate
    where not exists (
      select from role where owner_id = ${ownerId} and lower(role.name) = lower(candidate.name) and not is_deleted)
    order by n limit 1`.execute(db);
  return rows[0]?.name ?? name;
}

export async function insertRole(tx: Tx, role: Insertable<Tables["role"]>): Promise<void> {
  await tx.insertInto("role").values(role).execute();
}

export async function findHolders(db: Reader, roleId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("account")
    .select("id")
    .where("role_id", "=", roleId)
    .where("is_deleted", "=", false)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function findLivingRole(db: Reader, roleId: string | null) {
  if (roleId === null) return null;
  const row = await db
    .selectFrom("role")
    .select(["name", "permissions"])
    .where("id", "=", roleId)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
  return row ?? null;
}

export async function findPermissions(db: Reader, roleId: string | null): Promise<Permissions | null> {
  return (await findLivingRole(db, roleId))?.permissions ?? null;
}

/** Committed position, role and rights of an account; undefined if it is deleted. */
export async function findRights(db: Database | Tx, accountId: string) {
  return db
    .selectFrom("account")
    .leftJoin("role", (join) => join.onRef("role.id", "=", "account.role_id").on("role.is_deleted", "=", false))
    .where("account.id", "=", accountId)
    .where("account.is_deleted", "=", false)
    .select(["account.path", "account.ancestor_ids as parentAccounts", "role.id as roleId", "role.permissions"])
    .executeTakeFirst();
}

/** Reduces all gifts to this role to the given parts, and deletes empty gifts. */
export async function restrictGifts(tx: Tx, roleId: string, parts: readonly string[]): Promise<void> {
  await sql`update role_gift set parts = array(select unnest(parts) intersect select unnest(${parts}::text[]))
    where role_id = ${roleId} and not parts <@ ${parts}::text[]`.execute(tx);
  await sql`delete from role_gift where role_id = ${roleId} and cardinality(parts) = 0`.execute(tx);
}

export async function addGift(
  tx: Tx,
  { roleId, giverId, parts }: { roleId: string; giverId: string; parts: readonly string[] },
): Promise<void> {
  await sql`insert into role_gift as g (role_id, giver_id, parts) values (${roleId}, ${giverId}, ${parts}::text[])
    on conflict (role_id, giver_id)
    do update set parts = array(select unnest(g.parts) union select unnest(excluded.parts))`.execute(tx);
}

/** Maximum number of roles listed by name; the others are only counted. */
const named = 50;

type StrongerRow = OwnerColumns & { id: string; name: string; kept: string[]; total: number };

/** Finds visible roles, except deleted ones, with gifts from this giver that exceed `parts`. */
export async function findStrongerRoles(db: Reader, viewer: Caller, giverId: string, parts: readonly string[]) {
  const { rows } = await sql<StrongerRow>`
    select role.id, role.name, role.owner_id, owner.name as owner_name, owner.is_deleted as owner_is_deleted,
      owner.last_seen_at as owner_last_seen_at, count(*) over () as total,
      array(select unnest(g.parts) except select unnest(${parts}::text[])) as kept
    from role_gift g join role on role.id = g.role_id join account owner on owner.id = role.owner_id
    where g.giver_id = ${giverId} and not g.parts <@ ${parts}::text[] and ${conjunction(roleConditions(viewer, {}))}
    order by role.name_sort, role.name, role.id limit ${named}`.execute(db);
  return rows;
}

const columns = { id: "account.id", path: "account.path" };

/** Matches the set's accounts as if `holder` had the given role instead of its own. */
function asHolder(set: AccountSet, holder: ActorWithPath & { roleId: string }, at: OwnerAt): Condition {
  const isIn = set.withRole.includes(holder.roleId) ? [holder.id] : [];
  const placed = whereOwnerIn({ ...set, ids: [...set.ids, ...isIn], withRole: [] }, holder, at);
  const others = whereOwnerIn({ ids: [], descendantsOf: null, withRole: set.withRole }, holder, at);
  return sql<boolean>`(${placed} or (${others} and ${sql.ref(at.id)} <> ${holder.id}))`;
}

/**
 * Counts the accounts and sensors in the set that the viewer also sees. Excludes deleted sensors, but includes deleted
 * accounts, because their objects are visible.
 */
export async function countReach(
  db: Reader,
  viewer: Caller,
  holder: ActorWithPath & { roleId: string },
  set: AccountSet,
): Promise<{ accounts: number; sensors: number }> {
  // Uses the counters' own path column, because it is indexed.
  const counted = { ...columns, path: "c.owner_path" };
  const { rows } = await sql<{ accounts: number; sensors: number }>`
    select (select count(*) from account
        where ${asHolder(set, holder, columns)} and ${whereViewable(viewer, "owner", "account")}) as accounts,
      (select coalesce(sum(c.n), 0)::bigint from owned_count c join account on account.path = c.owner_path
        where c.kind = 'sensor' and ${asHolder(set, holder, counted)}
          and ${whereOwnerIn(resolveViewScope(viewer, "sensor"), viewer, counted)}) as sensors`.execute(db);
  return rows[0] ?? { accounts: 0, sensors: 0 };
}
