// SQL about roles, nothing else.
import type { roleListQuery } from "@psp/contract/role/role.api.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type Insertable, type Selectable, sql } from "kysely";
import type { z } from "zod";
import type { Database, Reader, Tx } from "../db/database.ts";
import { type Condition, conjunction, type Cut, cut, orderBy } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../kit/caller.ts";
import type { OwnerColumns } from "../owned/owner.ts";
import { inView, ownedConditions, ownerColumns } from "../owned/owned.store.ts";

type RoleFilter = Pick<z.output<typeof roleListQuery>, "ids" | "name" | "ownerID" | "withoutOwn">;

export type RoleRow = OwnerColumns & Selectable<Tables["role"]>;

export const roleTable = { table: "role", sees: inView("role", "role") } as const;

// People sort without case; the exact name decides among equals, so that pages are stable.
const sortable = {
  name: [sql`lower(role.name)`, sql.ref("role.name")],
  owner: [sql`lower(owner.name)`, sql.ref("owner.name")],
  _id: [sql.ref("role.id")],
};
const defaultSort: SortKey[] = ["name", "owner"].map((field) => ({ field, descending: false }));

/** What the caller's list shows: within the view scope, living unless asked otherwise, and every filter given. */
export function roleConditions(caller: Caller, filter: RoleFilter, includeDeleted?: boolean): Condition[] {
  const all = ownedConditions(roleTable, caller, filter, includeDeleted);
  if (filter.withoutOwn && caller.roleId !== null) all.push(sql<boolean>`role.id <> ${caller.roleId}::uuid`);
  return all;
}

/** One page of rows; by name, then by the owner's name, unless asked otherwise. */
export async function findRolePage(db: Reader, conditions: Condition[], sort: SortKey[], part: Cut) {
  const order = orderBy(sort.length > 0 ? sort : defaultSort, sortable, "role.id");
  const { rows } = await sql<RoleRow>`
    select role.*, ${ownerColumns}
    from role join account owner on owner.id = role.owner_id
    where ${conjunction(conditions)} order by ${order} ${cut(part)}`.execute(db);
  return rows;
}

/** One visible living role, or null. */
export async function findRole(db: Reader, caller: Caller, id: string): Promise<RoleRow | null> {
  const [row] = await findRolePage(db, roleConditions(caller, { ids: [id] }), [], { skip: 0, limit: 1 });
  return row ?? null;
}

/** Living roles by id whatever their owner; for the live hub, which asks about rights itself. */
export async function findRolesForLive(db: Reader, ids: string[]): Promise<RoleRow[]> {
  return findRolePage(db, [sql<boolean>`role.id = any(${ids}::uuid[])`, sql<boolean>`not role.is_deleted`], [], {
    skip: 0,
    limit: null,
  });
}

/** Which of these roles live within the caller's view. */
export async function visibleRoleIds(db: Reader, caller: Caller, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from role where ${conjunction(roleConditions(caller, { ids }))}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Has another living role of this owner the name, in whatever case? */
export async function isNameTaken(db: Reader, ownerId: string, name: string, exceptId: string | null) {
  const { rows } = await sql`
    select from role where owner_id = ${ownerId} and lower(name) = lower(${name}) and not is_deleted
      and id is distinct from ${exceptId}::uuid limit 1`.execute(db);
  return rows.length > 0;
}

export async function insertRole(tx: Tx, role: Insertable<Tables["role"]>): Promise<void> {
  await tx.insertInto("role").values(role).execute();
}

/** Living accounts that hold the role, at most `limit`. */
export async function holdersOf(db: Reader, roleId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("account")
    .select("id")
    .where("role_id", "=", roleId)
    .where("is_deleted", "=", false)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Permissions of a living role, or null. */
export async function permissionsOf(db: Reader, roleId: string | null): Promise<Permissions | null> {
  if (roleId === null) return null;
  const row = await db
    .selectFrom("role")
    .select("permissions")
    .where("id", "=", roleId)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
  return row?.permissions ?? null;
}

/** Place, role and rights of a living account as they are committed now. */
export async function findRights(db: Database | Tx, accountId: string) {
  return db
    .selectFrom("account")
    .leftJoin("role", (join) => join.onRef("role.id", "=", "account.role_id").on("role.is_deleted", "=", false))
    .where("account.id", "=", accountId)
    .where("account.is_deleted", "=", false)
    .select(["account.path", "account.ancestor_ids as parentAccounts", "role.id as roleId", "role.permissions"])
    .executeTakeFirst();
}
