// Use cases about accounts: right, rule, transaction, announcement, in this order, always.
import type { createAccount as createCall, listAccounts as listCall } from "@psp/contract/account/account.api.ts";
import type { Standing } from "@psp/contract/account/rights.api.ts";
import type { Account, AccountChange } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canDelete, canEdit, isRoot } from "@psp/contract/permission/can.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { standingOf } from "@psp/contract/permission/standing.ts";
import { whyNotDeleteAccount } from "@psp/contract/permission/why-not.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import { requireSession } from "../credential/session.service.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { arrayOrPage, countRows } from "../db/list.ts";
import { lockRights } from "../db/locks.ts";
import { checkVersion, onDuplicate, refuseAhead, requireFreshKey, type Write, write } from "../db/write.ts";
import {
  permissionsOf,
  refreshed,
  requireGivable,
  requireVisibleRole,
  viewScopesDiffer,
} from "../role/rights.service.ts";
import {
  applyCredentialPlan,
  confirmPasswords,
  hashNewPasswords,
  type PasswordCheck,
  planCredentialChanges,
  planIfPossible,
  requireCurrentPasswords,
  requireInferior,
  whyNotInferior,
} from "./account.credentials.service.ts";
import { endAccounts } from "./account.ending.service.ts";
import { insertInvited, requireMaker } from "./account.invitation.service.ts";
import { announceAccount, answerOwned } from "../owned/change.ts";
import { findOwners } from "../owned/owner.ts";
import type { NamedOwner } from "../owned/owned.reasons.ts";
import { accountReasons } from "./account.reasons.ts";
import { applyReview, prepareReview, type Review } from "./account.review.service.ts";
import * as store from "./account.store.ts";
import * as writes from "./account.write.store.ts";
import { accountTrail, toAccount } from "./account.wire.ts";

type Judged = Pick<store.LockedAccount, "id" | "name" | "path" | "parent_id" | "ancestor_ids" | "role_id" | "version">;

/** The list as an array, or a page when a total was requested. */
export async function listAccounts(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const conditions = store.accountConditions(caller, query, query.includeDeleted);
  const roles = store.viewableRoles(caller);
  return arrayOrPage(
    query,
    query.includeTotals ? ctx.config.pageSize : null,
    async (sort, part) =>
      (await store.findAccountPage(ctx.db, conditions, roles, sort, part)).map((row) => toAccount(ctx, row)),
    () => countRows(ctx.db, "account", conditions),
  );
}

/** How a visible account is found, and how it travels. */
export const accounts = {
  find: (_ctx: Context, reader: Reader, viewer: store.Viewer, id: string) => store.findAccount(reader, viewer, id),
  toWire: toAccount,
};

/** The signed-in account; it knows the name of its role even where it may not look at roles, but then not whose it is. */
export async function ownAccount(ctx: Context, actor: store.Viewer): Promise<Account> {
  const row = await store.findOwnAccount(ctx.db, actor.id);
  if (!row) throw new AppError(errorCode.unauthorized);
  const account = toAccount(ctx, row);
  const visible = await store.findAccount(ctx.db, actor, actor.id);
  return visible?.role_ref || !account.role ? account : { ...account, role: { ...account.role, owner: null } };
}

/** Makes a child of the caller's account and sends the invitation (AC-08). */
export async function createAccount(
  ctx: Context,
  caller: Caller,
  { role, ...invited }: HandlerInput<typeof createCall>["body"],
) {
  return write(ctx, caller, async (w) => {
    const maker = await requireMaker(w.tx, caller, role);
    const made = () => insertInvited(ctx, w, maker, role, [invited], { bulk: false });
    const [id = ""] = await onDuplicate("credential_email", errorCode.emailUsed, made);
    return answerOwned(ctx, w.tx, accounts, maker, id);
  });
}

/** Changes name, role, address or logins, or reviews a sign-up; all of it or nothing. */
export async function updateAccount(
  ctx: Context,
  caller: Caller,
  id: string,
  change: AccountChange,
  confirm: PasswordCheck,
) {
  const hashes = await hashAhead(ctx, caller, id, change, confirm);
  const isReview = change.acceptRegistration !== undefined;
  if (isReview)
    await refuseAhead(ctx, caller, async () => {
      // Before the account: a sign-up that gives way meanwhile takes its account along, and is missing then, not reviewed.
      const credentials = await store.credentialsOf(ctx.db, id);
      await judgeChange(ctx.db, caller, await store.findAccount(ctx.db, caller, id), credentials, change);
    });
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, isReview ? "change" : "use");
    const actor = await refreshed(w.tx, caller);
    const locked = await store.lockAccount(w.tx, actor, id);
    // Hashing takes a while, in which the caller's own login may have been taken away.
    if (change.credentialChanges?.length) await requireSession(ctx, w.tx, actor);
    const credentials = await store.credentialsOf(w.tx, id);
    const judged = await judgeChange(w.tx, actor, locked, credentials, change);
    const { account, review, newRole, gained, plan } = judged;
    const roleBefore = account.role_id;
    await writes.updateAccounts(ctx, w.tx, [id], { ...columnsOf(change), ...(newRole ? { role_id: newRole } : {}) });
    const after = await writes.accountRow(w.tx, id);
    if (plan) await applyCredentialPlan(ctx, w, after, plan, hashes, caller);
    const moved = review ? await applyReview(ctx, w, after, review) : [];
    if (gained) {
      const viewScopeChanged = viewScopesDiffer(await permissionsOf(w.tx, roleBefore), gained);
      w.announce({ name: "rightsChanged", event: { accountIds: [id], viewScopeChanged } });
    }
    if (moved.length > 0) w.announce({ name: "rightsChanged", event: { accountIds: moved, viewScopeChanged: true } });
    await leaveTrail(w, account, credentials, plan?.change ?? []);
    for (const one of new Set([id, ...moved]))
      announceAccount(w, "update", one, gained && one === id ? { roleBefore } : {});
    return answerOwned(ctx, w.tx, accounts, actor, id);
  });
}

/** The result of the change, unless something speaks against it. */
async function judgeChange<Row extends Judged>(
  reader: Reader,
  actor: Caller,
  account: Row | null | undefined,
  credentials: store.StoredCredential[],
  change: AccountChange,
) {
  if (!account) throw new AppError(errorCode.notFound);
  const owner = asOwner(account);
  if (!canEdit(actor, "owner", owner)) throw new AppError(errorCode.noEdit, accountReasons.edit(actor, owner));
  const review = await prepareReview(reader, actor, account, credentials, change);
  const newRole = change.role !== undefined && change.role !== account.role_id ? change.role : null;
  const gained = newRole ? await requireVisibleRole(reader, actor, newRole) : null;
  if (gained) requireRoleChange(actor, account, review, gained);
  if (change.credentialChanges?.length) requireInferior(actor, account, await permissionsOf(reader, account.role_id));
  const plan = change.credentialChanges ? planCredentialChanges(credentials, change.credentialChanges) : null;
  checkVersion(actor, account.version);
  return { account, review, newRole, gained, plan };
}

/** Passwords are compared, judged and hashed before the transaction: it must not hold rows while it waits for the processor. */
async function hashAhead(ctx: Context, caller: Caller, id: string, change: AccountChange, confirm: PasswordCheck) {
  const changes = change.credentialChanges ?? [];
  if (changes.length === 0) return new Map();
  // A repeat would find its own change made: what is known by then, and what the current password is.
  await requireFreshKey(ctx, caller);
  const row = await store.findAccount(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  if (!canEdit(caller, "owner", asOwner(row)))
    throw new AppError(errorCode.noEdit, accountReasons.edit(caller, asOwner(row)));
  const isOwn = id === caller.id;
  requireCurrentPasswords(changes, isOwn);
  if (isOwn) await confirmPasswords(changes, caller, confirm);
  // What the logins can't be changed for is reported in its turn, and nothing is hashed for it.
  if (whyNotInferior(caller, row, await permissionsOf(ctx.db, row.role_id))) return new Map();
  const plan = planIfPossible(await store.credentialsOf(ctx.db, id), changes);
  if (!plan) return new Map();
  return hashNewPasswords(ctx, plan, change.name ?? row.name);
}

function asOwner(row: { id: string; name: string; ancestor_ids: string[]; role_id: string | null }): NamedOwner {
  return { id: row.id, name: row.name, parentAccounts: row.ancestor_ids, roleId: row.role_id };
}

/** The giver is asked about the place that the account is going to have, and the role that it holds until now. */
function requireRoleChange(
  actor: Caller,
  account: Judged,
  review: Review | null,
  gained: Parameters<typeof requireGivable>[1],
): void {
  const parent = review?.parent;
  const place = parent ? [...parent.ancestor_ids, parent.id] : account.ancestor_ids;
  requireGivable(actor, gained, { ...asOwner(account), parentAccounts: place });
}

function columnsOf(change: AccountChange) {
  const { name, phone, street, streetNumber, zip, city, country, supplier } = change;
  const given = { name, phone, street, street_number: streetNumber, zip, city, country, supplier };
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, value === "" ? null : value]),
  );
}

/** `renewed` are the logins that got a new password: that they did is said, nothing else of it. */
async function leaveTrail(
  w: Write,
  before: store.LockedAccount,
  credentials: store.StoredCredential[],
  renewed: readonly { id: string }[],
): Promise<void> {
  const ids = new Set(renewed.map(({ id }) => id));
  const after = await writes.accountRow(w.tx, before.id);
  w.audit({
    action: "update",
    object: { type: "account", _id: before.id },
    owner: after,
    before: accountTrail(before, credentials),
    after: accountTrail(
      after,
      (await store.credentialsOf(w.tx, before.id)).map((one) => ({ ...one, newPassword: ids.has(one.id) })),
    ),
  });
}

async function refuseDeletion(
  tx: Tx,
  actor: Caller,
  account: store.LockedAccount,
  hasChildren: boolean,
): Promise<void> {
  const owner = asOwner(account);
  const why = whyNotDeleteAccount(actor, owner, hasChildren);
  if (why === null) return;
  if (!canDelete(actor, "owner", owner)) return refuseIf(why, () => accountReasons.remove(actor, owner));
  if (isRoot(owner)) return refuseIf(why, () => accountReasons.rootStays);
  const { below, seen } = await store.countBelow(tx, actor, account);
  refuseIf(why, () => accountReasons.hasAccountsBelow(below === seen ? below : null));
}

/** Soft-deletes an account without living children: sessions end, addresses become free, what it owns stays (AC-12). */
export async function deleteAccount(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "use");
    const actor = await refreshed(w.tx, caller);
    const account = await store.lockAccount(w.tx, actor, id);
    if (!account) throw new AppError(errorCode.notFound);
    const hasChildren = (await store.parentsAmong(w.tx, [id])).has(id);
    await refuseDeletion(w.tx, actor, account, hasChildren);
    checkVersion(caller, account.version);
    await endAccounts(ctx, w, [account]);
    return { _id: id };
  });
}

/** How owners relate to the caller (PE-02): one answer for each id, in order; of what the caller's scopes don't reach nothing is revealed, not even that it exists. */
export async function listStandings(ctx: Context, caller: Caller, ids: readonly string[]): Promise<Standing[]> {
  const asked = ids.map((id) => id.toLowerCase());
  const known = await findOwners(ctx.db, filterUuids(asked));
  const isDeletable = (id: string) => {
    const owner = known.get(id);
    return owner && !owner.isDeleted && whyNotDeleteAccount(caller, owner, false) === null;
  };
  const parents = await store.parentsAmong(ctx.db, [...known.keys()].filter(isDeletable));
  return asked.map((_id) => {
    const owner = known.get(_id) ?? { id: _id, parentAccounts: [], roleId: null };
    const { parentAccounts, roleId } = standingOf(caller, owner);
    return { _id, parentAccounts: [...parentAccounts], roleId, hasChildren: parents.has(_id) };
  });
}

/** Do living accounts hang below this one? */
export async function hasAccountsBelow(reader: Reader, id: string): Promise<boolean> {
  return (await store.parentsAmong(reader, [id])).has(id);
}

/** For whom the caller may make anything: what the console asks before it offers (PE-02). */
export function findCreation(ctx: Context, caller: Caller) {
  return store.findCreatable(ctx.db, caller);
}
