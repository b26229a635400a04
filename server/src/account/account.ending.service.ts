// Ends accounts and logins for any cause: deletion, an email address that somebody else needs, or the button "That wasn't me".
import { endSessions } from "../credential/session.service.ts";
import type { Context } from "../context.ts";
import type { UnitOfWork } from "../db/write.ts";
import { publishAccount } from "../owned/change.ts";
import * as store from "./account.store.ts";
import * as writes from "./account.write.store.ts";
import { toAuditedAccount } from "./account.wire.ts";

/** Soft-deletes accounts whose rows are locked: sessions end, email addresses can be used again, owned objects stay (AC-12). */
export async function softDeleteAccounts(
  ctx: Context,
  w: UnitOfWork,
  accounts: readonly store.LockedAccount[],
  { keepLink = false } = {},
): Promise<void> {
  if (accounts.length === 0) return;
  const ids = accounts.map(({ id }) => id);
  const credentials = await store.findCredentials(w.tx, ...ids);
  await writes.updateAccounts(ctx, w.tx, ids, { is_deleted: true, deleted_at: ctx.clock.date() });
  await store.removeCredentials(w.tx, credentials, ctx.clock.date(), { keepLink });
  await endSessions(w, { accountIds: ids });
  const byAccount = Map.groupBy(credentials, ({ account_id }) => account_id);
  for (const account of accounts) {
    const { id } = account;
    const before = toAuditedAccount(account, byAccount.get(id) ?? []);
    w.audit({ action: "delete", object: { type: "account", _id: id }, owner: account, before });
    publishAccount(w, "delete", id);
  }
}

async function removeLogin(
  ctx: Context,
  w: UnitOfWork,
  account: store.LockedAccount,
  { credentialId, action, keepLink = false }: Ending,
): Promise<void> {
  const credentials = await store.findCredentials(w.tx, account.id);
  await store.removeCredentials(w.tx, [{ id: credentialId }], ctx.clock.date(), { keepLink });
  await endSessions(w, { credentialIds: [credentialId] });
  await writes.updateAccounts(ctx, w.tx, [account.id]);
  const before = toAuditedAccount(account, credentials);
  const left = credentials.filter(({ id }) => id !== credentialId);
  const object = { type: "account", _id: account.id };
  w.audit({ action, object, owner: account, before, after: toAuditedAccount(account, left) });
  publishAccount(w, "update", account.id);
}

/**
 * Ends an unwanted registration. Also deletes the account of a sign-up or of a colleague, unless it has other logins or sub-accounts.
 * Any other account that somebody else created stays. Call it under `lockRights`.
 */
export async function endUnwantedRegistration(
  ctx: Context,
  w: UnitOfWork,
  { accountId, credentialId, invited }: { accountId: string; credentialId: string; invited: boolean },
): Promise<void> {
  const [account] = await store.lockAccounts(w.tx, [accountId]);
  if (!account) return;
  if (!invited || account.is_colleague) await endWithAccount(ctx, w, account, { credentialId, action: "decline" });
  else await removeLogin(ctx, w, account, { credentialId, action: "decline" });
}

type Ending = { credentialId: string; action: string; keepLink?: boolean };

/** Removes a login, and the account with it unless it has other logins or sub-accounts. Call it under `lockRights`. */
async function endWithAccount(ctx: Context, w: UnitOfWork, account: store.LockedAccount, ending: Ending) {
  const isAlone = (await store.findCredentials(w.tx, account.id)).every(({ id }) => id === ending.credentialId);
  if (isAlone && !(await store.findAccountsWithChildren(w.tx, [account.id])).has(account.id))
    await softDeleteAccounts(ctx, w, [account], ending);
  else await removeLogin(ctx, w, account, ending);
}

/**
 * Ends an unanswered invitation. The link keeps reporting the expiry until the login is purged. The account stays, unless it is a
 * colleague's. Call it under `lockRights`.
 */
export async function endInvitation(ctx: Context, w: UnitOfWork, account: store.LockedAccount, credentialId: string) {
  const ending = { credentialId, action: "invitation-expired", keepLink: true };
  if (account.is_colleague) await endWithAccount(ctx, w, account, ending);
  else await removeLogin(ctx, w, account, ending);
}

/**
 * Ends unaccepted sign-ups with these email addresses. With "rejected", sign-ups that wait for review keep their address.
 * Call it under `lockRights`, which excludes a concurrent review.
 */
export async function releaseAddresses(
  ctx: Context,
  w: UnitOfWork,
  logins: readonly { email: string }[],
  who: store.UnacceptedSignUpState = "waitingOrRejected",
): Promise<void> {
  const signUps = await store.findUnacceptedSignUps(w.tx, logins, who);
  if (signUps.length === 0) return;
  // `lockAccounts` locks in the order of ids, so that concurrent callers can't deadlock.
  const accountIds = signUps.map(({ account_id }) => account_id);
  const accounts = await store.lockAccounts(w.tx, accountIds);
  const alone = new Set(signUps.filter((one) => !one.has_more).map((one) => one.account_id));
  const ending = accounts.filter(({ id }) => alone.has(id));
  await softDeleteAccounts(ctx, w, ending);
  for (const account of accounts.filter(({ id }) => !alone.has(id))) {
    const { id: credentialId = "" } = signUps.find((one) => one.account_id === account.id) ?? {};
    await removeLogin(ctx, w, account, { credentialId, action: "update" });
  }
}
