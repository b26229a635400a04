// Queries for accounts and their credentials.
import type { accountListQuery } from "@psp/contract/account/account.query.ts";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import {
  selectableOwnerSets,
  ownerChoiceForNew,
  type CreatableType,
  creatableTypes,
  type OwnerChoiceKind,
} from "@psp/contract/permission/standing.ts";
import { type Expression, type Selectable, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import { isBelow } from "../db/account-path.ts";
import type { Reader, Tx } from "../db/database.ts";
import {
  nameSortKeys,
  type Condition,
  conjunction,
  containsName,
  containsText,
  type PageSlice,
  limitClause,
  orderBy,
} from "../db/list.ts";
import type { LegalDetails } from "../credential/credential.tables.ts";
import type { Tables } from "../db/tables.ts";
import { whereOwnerIn, whereViewable } from "../db/visible.ts";
import type { ActorWithPath } from "../kit/caller.ts";

export type Viewer = Actor & ActorWithPath;
type AccountFilter = Pick<
  z.output<typeof accountListQuery>,
  "ids" | "name" | "email" | "roleID" | "accountState" | "parentID" | "exclude" | "topLevel" | "choice" | "keep"
>;

export type LockedAccount = Selectable<Tables["account"]>;
export type AccountRow = LockedAccount & {
  role_ref: { _id: string; name: string; owner: { _id: string; name: string } } | null;
  credentials: { email: string; step: number; legal: LegalDetails | null }[] | null;
};

// An account is its own owner.
const columns = { id: "account.id", path: "account.path" };

const sortable = {
  name: nameSortKeys("account"),
  role: nameSortKeys("r"),
  createdAt: [sql.ref("account.created_at")],
  _id: [sql.ref("account.id")],
};
const defaultSort: SortKey[] = ["name", "role"].map((field) => ({ field, descending: false }));

const hasCredential = (condition: Condition) =>
  sql<boolean>`exists (select 1 from credential c where c.account_id = account.id and not c.is_deleted and ${condition})`;

export function accountConditions(viewer: Viewer, filter: AccountFilter, includeDeleted?: boolean): Condition[] {
  const all: Condition[] = [whereViewable(viewer, "owner", "account")];
  if (!includeDeleted) all.push(sql<boolean>`not account.is_deleted`);
  if (filter.ids) all.push(sql<boolean>`account.id = any(${filterUuids(filter.ids)}::uuid[])`);
  if (filter.parentID) all.push(sql<boolean>`account.parent_id = any(${filterUuids(filter.parentID)}::uuid[])`);
  if (filter.exclude) all.push(sql<boolean>`account.id <> all(${filterUuids(filter.exclude)}::uuid[])`);
  if (filter.topLevel) {
    const parentInView = whereViewable(viewer, "owner", "p");
    all.push(sql<boolean>`not exists (select 1 from account p where p.id = account.parent_id and not p.is_deleted
      and ${parentInView} and p.id <> all(${filterUuids(filter.exclude ?? [])}::uuid[]))`);
  }
  if (filter.choice) {
    const allowed = chosenFor(viewer, filter.choice);
    all.push(filter.keep ? sql<boolean>`(account.id = ${filter.keep} or ${allowed})` : allowed);
  }
  if (filter.roleID) {
    // This filter must not reveal which accounts have a role that the viewer can't see.
    all.push(sql<boolean>`exists (select 1 from role r where r.id = account.role_id and not r.is_deleted
      and r.id = any(${filterUuids(filter.roleID)}::uuid[]) and ${viewableRoleCondition(viewer)})`);
  }
  if (filter.name) all.push(containsName("account", filter.name));
  if (filter.email) all.push(hasCredential(containsText("c.email", filter.email)));
  if (filter.accountState) all.push(hasCredential(sql<boolean>`c.step = any(${filter.accountState}::smallint[])`));
  return all;
}

function chosenFor(viewer: Viewer, choice: OwnerChoiceKind): Condition {
  const sets = selectableOwnerSets(viewer, choice).map((set) => whereOwnerIn(set, viewer, columns));
  return conjunction(choice === "invite" ? [...sets, sql<boolean>`not account.is_colleague`] : sets);
}

/** Returns for each type whether the viewer may create such an object for any visible account. */
export async function findCreatableByType(db: Reader, viewer: Viewer): Promise<Record<CreatableType, boolean>> {
  const isVisible = conjunction(accountConditions(viewer, {}));
  const answers = creatableTypes.map(
    (type) => sql`exists (select 1 from account where ${isVisible} and ${chosenFor(viewer, ownerChoiceForNew(type))})
      as ${sql.ref(type)}`,
  );
  const { rows } = await sql<Record<CreatableType, boolean>>`select ${sql.join(answers)}`.execute(db);
  return rows[0] as Record<CreatableType, boolean>;
}

export async function findAccountsWithChildren(db: Reader, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as asked (id)
    where exists (select 1 from account where parent_id = asked.id and not is_deleted)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export function viewableRoleCondition(viewer: Viewer): Expression<SqlBool> {
  return whereViewable(viewer, "role", "r");
}
const anyRole: Expression<SqlBool> = sql<boolean>`true`;

export async function findAccountPage(
  db: Reader,
  conditions: Condition[],
  roles: Expression<SqlBool>,
  sort: SortKey[],
  part: PageSlice,
): Promise<AccountRow[]> {
  const order = orderBy(sort.length > 0 ? sort : defaultSort, sortable, "account.id");
  const { rows } = await sql<AccountRow>`
    select account.*, case when ro.id is not null then jsonb_build_object('_id', account.shown_role_id, 'name', account.shown_role_name,
        'owner', jsonb_build_object('_id', ro.id, 'name', ro.name)) end as role_ref,
      (select jsonb_agg(jsonb_build_object('email', c.email, 'step', c.step, 'legal', c.legal) order by c.position, c.id)
        from credential c where c.account_id = account.id and not c.is_deleted) as credentials
    from (
      select account.*, r.id as shown_role_id, r.name as shown_role_name, r.owner_id as shown_role_owner,
        row_number() over (order by ${order}) as place
      from account left join role r on r.id = account.role_id and not r.is_deleted and ${roles}
      where ${conjunction(conditions)} order by ${order} ${limitClause(part)}
    ) account left join account ro on ro.id = account.shown_role_owner
    order by account.place`.execute(db);
  return rows;
}

const first: PageSlice = { skip: 0, limit: 1 };

export async function findAccount(db: Reader, viewer: Viewer, id: string): Promise<AccountRow | null> {
  const [row] = await findAccountPage(
    db,
    accountConditions(viewer, { ids: [id] }),
    viewableRoleCondition(viewer),
    [],
    first,
  );
  return row ?? null;
}

export async function findAccountIgnoringRights(db: Reader, id: string): Promise<AccountRow | null> {
  const [row] = await findAccountPage(db, [sql<boolean>`account.id = ${id}`], anyRole, [], first);
  return row ?? null;
}

/** Ignores rights: the live hub checks them itself. */
export async function findAccountsForLive(db: Reader, ids: string[]): Promise<AccountRow[]> {
  const conditions = [sql<boolean>`account.id = any(${ids}::uuid[])`, sql<boolean>`not account.is_deleted`];
  return findAccountPage(db, conditions, anyRole, [], { skip: 0, limit: null });
}

/** Locks in the order of ids, so that concurrent callers can't deadlock. Skips deleted accounts; ignores rights. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<LockedAccount[]> {
  return tx
    .selectFrom("account")
    .selectAll()
    .where("id", "in", [...ids])
    .where("is_deleted", "=", false)
    .orderBy("id")
    .forUpdate()
    .execute();
}

export async function lockAccount(tx: Tx, viewer: Viewer, id: string) {
  return tx
    .selectFrom("account")
    .selectAll()
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .where(whereViewable(viewer, "owner", "account"))
    .forUpdate()
    .executeTakeFirst();
}

export async function findOpeningHours(db: Reader, id: string) {
  const row = await db.selectFrom("account").select("opening_hours").where("id", "=", id).executeTakeFirst();
  return row?.opening_hours;
}

export type StoredCredential = Pick<
  Selectable<Tables["credential"]>,
  "id" | "account_id" | "email" | "step" | "position"
>;

export async function findCredentials(db: Reader, ...accountIds: string[]): Promise<StoredCredential[]> {
  return db
    .selectFrom("credential")
    .select(["id", "account_id", "email", "step", "position"])
    .where("account_id", "in", accountIds)
    .where("is_deleted", "=", false)
    .orderBy("position")
    .orderBy("id")
    .execute();
}

export type UnacceptedSignUpState = "waitingOrRejected" | "rejected";

/** Finds unaccepted sign-ups with these addresses. `has_more`: the account now has other logins or sub-accounts. */
export async function findUnacceptedSignUps(tx: Tx, logins: readonly { email: string }[], who: UnacceptedSignUpState) {
  const below = who === "rejected" ? registrationSteps.toReview : registrationSteps.invited;
  const { rows } = await sql<{ id: string; account_id: string; has_more: boolean }>`
    select c.id, c.account_id,
      exists (select from credential o where o.account_id = c.account_id and o.id <> c.id and not o.is_deleted)
        or exists (select from account child where child.parent_id = c.account_id and not child.is_deleted) as has_more
    from credential c
    where lower(c.email) = any(${logins.map(({ email }) => email.toLowerCase())}::text[]) and not c.is_deleted
      and c.step < ${below}`.execute(tx);
  return rows;
}

/**
 * Soft-deletes logins and removes their passwords, codes and known browsers. With `keepLink`, the invitation link keeps reporting
 * that it expired.
 */
export async function removeCredentials(
  tx: Tx,
  credentials: readonly { id: string }[],
  at: Date,
  { keepLink = false } = {},
): Promise<void> {
  if (credentials.length === 0) return;
  const ids = credentials.map(({ id }) => id);
  await tx
    .updateTable("credential")
    .set({ is_deleted: true, deleted_at: at, password_hash: null, verify_token: null, token_expires_at: null })
    .$if(!keepLink, (update) => update.set({ reg_token: null }))
    .where("id", "in", ids)
    .execute();
  await tx.deleteFrom("known_browser").where("credential_id", "in", ids).execute();
}

/** Also unlocks a login that was locked after wrong passwords. `fromAboveAt` is null unless a parent account sets the password. */
export async function setPassword(
  tx: Tx,
  credentialId: string,
  passwordHash: string,
  fromAboveAt: Date | null,
): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ password_hash: passwordHash, failed_logins: 0, ...(fromAboveAt ? { from_above_at: fromAboveAt } : {}) })
    .where("id", "=", credentialId)
    .execute();
  await tx.deleteFrom("known_browser").where("credential_id", "=", credentialId).execute();
}

/** `below`: accounts below this one that are not deleted. `seen`: those of them that the viewer may see. */
export async function countDescendants(tx: Tx, viewer: Viewer, account: { id: string; path: string }) {
  const { rows } = await sql<{ below: number; seen: number }>`
    select count(*)::int as below, (count(*) filter (where ${whereViewable(viewer, "owner", "account")}))::int as seen
    from account where ${isBelow("path", account.path)} and not is_deleted`.execute(tx);
  return rows[0] ?? { below: 0, seen: 0 };
}

export async function findNextCredentialPosition(tx: Tx, accountId: string): Promise<number> {
  const row = await tx
    .selectFrom("credential")
    .select((eb) => eb.fn.max("position").as("last"))
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return (row?.last ?? -1) + 1;
}

/** Returns the addresses in use, in lower case. Sign-ups that were not accepted don't count as use. */
export async function findTakenEmails(tx: Tx, emails: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ email: string }>`
    select lower(email) as email from credential
    where lower(email) = any(${emails}::text[]) and not is_deleted
      and step >= ${registrationSteps.invited}`.execute(tx);
  return new Set(rows.map(({ email }) => email));
}
