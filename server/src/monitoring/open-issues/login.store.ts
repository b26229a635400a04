// Queries for logins as assignees: with the rights of their accounts, so that the same code decides what they may view.
import { registrationSteps } from "@psp/contract/account/account.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { type Permissions, withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../../db/database.ts";
import { type Condition, conjunction, containsName, containsText } from "../../db/list.ts";
import { whereViewable } from "../../db/visible.ts";
import type { ActorWithPath, Caller } from "../../kit/caller.ts";

/** A login that can sign in, as the actor of its account. */
export type Login = Actor & ActorWithPath & { credentialId: string; email: string; name: string };

const from = sql`credential c join account a on a.id = c.account_id and not a.is_deleted
  left join role r on r.id = a.role_id and not r.is_deleted`;
const columns = sql`c.id as "credentialId", c.email, a.id, a.name, a.path, a.ancestor_ids as "parentAccounts", r.id as "roleId", r.permissions`;
const canSignIn = sql<boolean>`(not c.is_deleted and c.step = ${registrationSteps.complete})`;

const toLogin = (row: Login & { permissions: Permissions | null }): Login => ({
  ...row,
  permissions: row.permissions ? withOwnAccountView(row.permissions) : null,
});

export async function findLogins(db: Reader, ids: readonly string[], lock = sql``): Promise<Map<string, Login>> {
  const known = filterUuids([...new Set(ids)]);
  if (known.length === 0) return new Map();
  const { rows } = await sql<Login>`
    select ${columns} from ${from} where c.id = any(${known}::uuid[]) and ${canSignIn} ${lock}`.execute(db);
  return new Map(rows.map((row) => [row.credentialId, toLogin(row)]));
}

/** Deletions of these logins wait until the commit, and then end what it assigned. */
export const lockLogins = (tx: Tx, ids: readonly string[]) => findLogins(tx, ids, sql`order by c.id for share of c`);

const isVisible = (caller: Caller) => sql<boolean>`(a.id = ${caller.id}
  or ${whereViewable(caller, "owner", "a")})`;

/** Whether this column is a login that can sign in, and whose account the caller may view. */
export const isVisibleLogin = (caller: Caller, column: string): Condition =>
  sql<boolean>`exists (select from credential c join account a on a.id = c.account_id and not a.is_deleted
    where c.id = ${sql.ref(column)} and ${canSignIn} and ${isVisible(caller)})`;

export type LoginSearch = {
  search: string | undefined;
  /** An account whose sensors the login must view; null for any. */
  owner: { id: string; parentAccounts: readonly string[] } | null;
};

/** Finds possible assignees: the caller's own login first, then its account's, then all others in the caller's view, by account. */
export async function searchLogins(
  db: Reader,
  caller: Caller,
  { search, owner }: LoginSearch,
  part: { skip: number; limit: number },
): Promise<Login[]> {
  const scope = sql`(r.permissions -> 'ownable' -> 'sensor' -> 'canViewObject')`;
  const all: Condition[] = [canSignIn, isVisible(caller), sql<boolean>`${scope} is not null`];
  if (search) all.push(sql<boolean>`(${containsText("c.email", search)} or ${containsName("a", search)})`);
  // Accounts that are not above the owner can view its sensors only with one of these two scopes.
  if (owner)
    all.push(sql<boolean>`(a.id = any(${[owner.id, ...owner.parentAccounts]}::uuid[])
      or coalesce((${scope} ->> 'relativeAncestorLevel')::numeric, 0) >= 1 or ${scope} -> 'roles' <> '[]')`);
  const { rows } = await sql<Login>`
    select ${columns} from ${from} where ${conjunction(all)}
    order by c.id = ${caller.credentialId} desc, a.id = ${caller.id} desc, a.name_sort, a.name, c.position, c.id
    limit ${part.limit} offset ${part.skip}`.execute(db);
  return rows.map(toLogin);
}
