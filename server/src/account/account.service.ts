// Use cases of accounts. Each checks rights and rules, writes in a transaction, and publishes the change.
import type { createAccount as createCall, listAccounts as listCall } from "@psp/contract/account/account.api.ts";
import type { Standing } from "@psp/contract/account/rights.api.ts";
import type { Account, AccountChange } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canDelete, canEdit, canView, isRoot } from "@psp/contract/permission/can.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { ancestorRolesAsSeenBy, ownerAsSeenBy, rolesNamedBy } from "@psp/contract/permission/standing.ts";
import { findAccountDeletionDenial } from "@psp/contract/permission/why-not.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import { requireSession } from "../credential/session.service.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { readArrayOrPage, countRows } from "../db/list.ts";
import { lockRights } from "../db/locks.ts";
import { checkVersion, onDuplicate, checkBeforeWrite, requireFreshKey, type UnitOfWork, write } from "../db/write.ts";
import { findAncestorRoles, loadHolder, requireMoveWithinReach } from "../role/reach.service.ts";
import {
  findPermissions,
  reloadCaller,
  requireGivable,
  requireVisibleRole,
  haveViewScopesChanged,
} from "../role/rights.service.ts";
import {
  applyCredentialPlan,
  verifyCurrentPasswords,
  hashNewPasswords,
  type PasswordCheck,
  planCredentialChanges,
  tryPlanCredentialChanges,
  requireCurrentPasswords,
  requireLoginsChangeable,
  findLoginChangeError,
} from "./account.credentials.service.ts";
import { softDeleteAccounts } from "./account.ending.service.ts";
import { insertInvitedAccounts, requireAccountCreator } from "./account.invitation.service.ts";
import { publishAccount, toOwnedResponse } from "../owned/change.ts";
import { findOwners } from "../owned/owner.ts";
import type { NamedOwner } from "../owned/owned.reasons.ts";
import { accountReasons } from "./account.reasons.ts";
import { applyReview, prepareReview, type Review } from "./account.review.service.ts";
import * as store from "./account.store.ts";
import * as writes from "./account.write.store.ts";
import { toAuditedAccount, toAccount } from "./account.wire.ts";

type Judged = Pick<store.LockedAccount, "id" | "name" | "path" | "parent_id" | "ancestor_ids" | "role_id" | "version">;

export async function listAccounts(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const conditions = store.accountConditions(caller, query, query.includeDeleted);
  const roles = store.viewableRoleCondition(caller);
  return readArrayOrPage(
    query,
    query.includeTotals ? ctx.config.pageSize : null,
    async (sort, part) =>
      (await store.findAccountPage(ctx.db, conditions, roles, sort, part)).map((row) => toAccount(ctx, row)),
    () => countRows(ctx.db, "account", conditions),
  );
}

export const accounts = {
  find: (_ctx: Context, reader: Reader, viewer: store.Viewer, id: string) => store.findAccount(reader, viewer, id),
  toWire: toAccount,
};

/** Returns the signed-in account. Always includes its role's name, but the role's owner only if the caller may view the role. */
export async function getOwnAccount(ctx: Context, actor: store.Viewer): Promise<Account> {
  const row = await store.findAccountIgnoringRights(ctx.db, actor.id);
  if (!row) throw new AppError(errorCode.unauthorized);
  const account = toAccount(ctx, row);
  const visible = await store.findAccount(ctx.db, actor, actor.id);
  return visible?.role_ref || !account.role ? account : { ...account, role: { ...account.role, owner: null } };
}

/** Creates a child of the caller's account and sends the invitation (AC-08). */
export async function createAccount(
  ctx: Context,
  caller: Caller,
  { role, otherOrganization = false, ...invited }: HandlerInput<typeof createCall>["body"],
) {
  return write(ctx, caller, async (w) => {
    const creator = await requireAccountCreator(w.tx, caller, role);
    const kind = otherOrganization ? "otherOrganization" : "sameOrganization";
    const made = () => insertInvitedAccounts(ctx, w, creator, role, [invited], { kind });
    const [id = ""] = await onDuplicate("credential_email", errorCode.emailUsed, made);
    return toOwnedResponse(ctx, w.tx, accounts, creator.maker, id);
  });
}

/** Changes name, role, address or logins, or reviews a sign-up; all or nothing. */
export async function updateAccount(
  ctx: Context,
  caller: Caller,
  id: string,
  change: AccountChange,
  confirm: PasswordCheck,
) {
  const hashes = await hashBeforeTransaction(ctx, caller, id, change, confirm);
  const isReview = change.acceptRegistration !== undefined;
  if (isReview)
    await checkBeforeWrite(ctx, caller, async () => {
      // Read before the account. If a sign-up is removed in between, its account is missing, which is better than an account without
      // logins.
      const credentials = await store.findCredentials(ctx.db, id);
      await checkAccountChange(ctx.db, caller, await store.findAccount(ctx.db, caller, id), credentials, change);
    });
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, isReview ? "change" : "use");
    const actor = await reloadCaller(w.tx, caller);
    const locked = await store.lockAccount(w.tx, actor, id);
    // The caller's own login may have been removed during hashing.
    if (change.credentialChanges?.length) await requireSession(ctx, w.tx, actor);
    const credentials = await store.findCredentials(w.tx, id);
    const judged = await checkAccountChange(w.tx, actor, locked, credentials, change);
    const { account, review, newRole, gained, plan } = judged;
    if (review?.parent) await requireMoveWithinReach(w.tx, actor, account, review.parent, newRole ? id : null);
    const roleBefore = account.role_id;
    await writes.updateAccounts(ctx, w.tx, [id], { ...columnsOf(change), ...(newRole ? { role_id: newRole } : {}) });
    const after = await writes.getAccountRow(w.tx, id);
    if (plan) await applyCredentialPlan(ctx, w, after, plan, hashes, caller);
    const moved = review ? await applyReview(ctx, w, after, review) : [];
    if (gained) {
      const viewScopeChanged = haveViewScopesChanged(await findPermissions(w.tx, roleBefore), gained);
      w.announce({ name: "rightsChanged", event: { accountIds: [id], viewScopeChanged } });
    }
    if (moved.length > 0) w.announce({ name: "rightsChanged", event: { accountIds: moved, viewScopeChanged: true } });
    await auditChange(w, account, credentials, plan?.change ?? []);
    for (const one of new Set([id, ...moved]))
      publishAccount(w, "update", one, gained && one === id ? { roleBefore } : {});
    return toOwnedResponse(ctx, w.tx, accounts, actor, id);
  });
}

async function checkAccountChange<Row extends Judged>(
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
  if (gained) await requireRoleChange(reader, actor, account, review, gained);
  if (change.credentialChanges?.length) await requireLoginsChangeable(reader, actor, owner);
  const plan = change.credentialChanges ? planCredentialChanges(credentials, change.credentialChanges) : null;
  checkVersion(actor, account.version);
  return { account, review, newRole, gained, plan };
}

/** Hashes passwords before the transaction, because hashing is slow and the transaction holds locks. */
async function hashBeforeTransaction(
  ctx: Context,
  caller: Caller,
  id: string,
  change: AccountChange,
  confirm: PasswordCheck,
) {
  const changes = change.credentialChanges ?? [];
  if (changes.length === 0) return new Map();
  // A repeated request gets its stored response before the checks below. They would refuse the repeat, because the first run already
  // added the login or changed the password.
  await requireFreshKey(ctx, caller);
  const row = await store.findAccount(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  if (!canEdit(caller, "owner", asOwner(row)))
    throw new AppError(errorCode.noEdit, accountReasons.edit(caller, asOwner(row)));
  const isOwn = id === caller.id;
  requireCurrentPasswords(changes, isOwn);
  if (isOwn) await verifyCurrentPasswords(changes, caller, confirm);
  // If the logins may not be changed, the error is reported later and nothing is hashed.
  if (await findLoginChangeError(ctx.db, caller, asOwner(row))) return new Map();
  const plan = tryPlanCredentialChanges(await store.findCredentials(ctx.db, id), changes);
  if (!plan) return new Map();
  return hashNewPasswords(ctx, plan, change.name ?? row.name);
}

function asOwner(row: { id: string; name: string; ancestor_ids: string[]; role_id: string | null }): NamedOwner {
  return { id: row.id, name: row.name, parentAccounts: row.ancestor_ids, roleId: row.role_id };
}

/** Requires the right to assign the role. The right is checked for the account at its new position, but with its old role. */
async function requireRoleChange(
  reader: Reader,
  actor: Caller,
  account: Judged,
  review: Review | null,
  gained: Parameters<typeof requireGivable>[1],
): Promise<void> {
  const parent = review?.parent;
  const place = parent ? [...parent.ancestor_ids, parent.id] : account.ancestor_ids;
  const receiver = { ...asOwner(account), parentAccounts: place };
  requireGivable(actor, gained, await loadHolder(reader, receiver, gained));
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

/** `renewed`: logins with a new password. The audit log records that they have one, but not the password itself. */
async function auditChange(
  w: UnitOfWork,
  before: store.LockedAccount,
  credentials: store.StoredCredential[],
  renewed: readonly { id: string }[],
): Promise<void> {
  const ids = new Set(renewed.map(({ id }) => id));
  const after = await writes.getAccountRow(w.tx, before.id);
  w.audit({
    action: "update",
    object: { type: "account", _id: before.id },
    owner: after,
    before: toAuditedAccount(before, credentials),
    after: toAuditedAccount(
      after,
      (await store.findCredentials(w.tx, before.id)).map((one) => ({ ...one, newPassword: ids.has(one.id) })),
    ),
  });
}

async function requireDeletable(
  tx: Tx,
  actor: Caller,
  account: store.LockedAccount,
  hasChildren: boolean,
): Promise<void> {
  const owner = asOwner(account);
  const why = findAccountDeletionDenial(actor, owner, hasChildren);
  if (why === null) return;
  if (!canDelete(actor, "owner", owner)) return throwIfDenied(why, () => accountReasons.remove(actor, owner));
  if (isRoot(owner)) return throwIfDenied(why, () => accountReasons.rootStays);
  const { below, seen } = await store.countDescendants(tx, actor, account);
  throwIfDenied(why, () => accountReasons.hasAccountsBelow(below === seen ? below : null));
}

/**
 * Soft-deletes an account whose sub-accounts are all deleted. Ends its sessions and frees its email addresses; owned objects stay
 * (AC-12).
 */
export async function deleteAccount(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "use");
    const actor = await reloadCaller(w.tx, caller);
    const account = await store.lockAccount(w.tx, actor, id);
    if (!account) throw new AppError(errorCode.notFound);
    const hasChildren = (await store.findAccountsWithChildren(w.tx, [id])).has(id);
    await requireDeletable(w.tx, actor, account, hasChildren);
    checkVersion(caller, account.version);
    await softDeleteAccounts(ctx, w, [account]);
    return { _id: id };
  });
}

/**
 * Returns how each account relates to the caller (PE-02), in the order of `ids`. Accounts outside the scopes look like unknown
 * ones.
 */
export async function listStandings(ctx: Context, caller: Caller, ids: readonly string[]): Promise<Standing[]> {
  const asked = ids.map((id) => id.toLowerCase());
  const known = await findOwners(ctx.db, filterUuids(asked));
  const isDeletable = (id: string) => {
    const owner = known.get(id);
    return owner && !owner.isDeleted && findAccountDeletionDenial(caller, owner, false) === null;
  };
  const parents = await store.findAccountsWithChildren(ctx.db, [...known.keys()].filter(isDeletable));
  const visible = [...known.values()].filter((owner) => canView(caller, "owner", owner));
  const rolesAbove = await findAncestorRoles(ctx.db, visible, [...rolesNamedBy(caller)]);
  return asked.map((_id) => {
    const owner = known.get(_id) ?? { id: _id, parentAccounts: [], roleId: null };
    const { parentAccounts, roleId } = ownerAsSeenBy(caller, owner);
    const above = canView(caller, "owner", owner) ? ancestorRolesAsSeenBy(caller, owner, rolesAbove) : [];
    const ancestorRoles = above.length > 0 ? { ancestorRoles: above } : {};
    return { _id, parentAccounts: [...parentAccounts], roleId, ...ancestorRoles, hasChildren: parents.has(_id) };
  });
}

export async function hasAccountsBelow(reader: Reader, id: string): Promise<boolean> {
  return (await store.findAccountsWithChildren(reader, [id])).has(id);
}

/** The types of objects that the caller may create for at least one account; the console offers only these (PE-02). */
export function findCreatableTypes(ctx: Context, caller: Caller) {
  return store.findCreatableByType(ctx.db, caller);
}
