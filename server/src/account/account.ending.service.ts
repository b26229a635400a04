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
): Promise<void> {
  if (accounts.length === 0) return;
  const ids = accounts.map(({ id }) => id);
  const credentials = await store.findCredentials(w.tx, ...ids);
  await writes.updateAccounts(ctx, w.tx, ids, { is_deleted: true, deleted_at: ctx.clock.date() });
  await store.removeCredentials(w.tx, credentials, ctx.clock.date());
  await endSessions(w, { accountIds: ids });
  const byAccount = Map.groupBy(credentials, ({ account_id }) => account_id);
  for (const account of accounts) {
    const { id } = account;
    const before = toAuditedAccount(account, byAccount.get(id) ?? []);
    w.audit({ action: "delete", object: { type: "account", _id: id }, owner: account, before });
    publishAccount(w, "delete", id);
  }
}

export async function removeLogin(
  ctx: Context,
  w: UnitOfWork,
  account: store.LockedAccount,
  { credentialId, action, keepLink = false }: { credentialId: string; action: string; keepLink?: boolean },
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
 * Ends an unwanted registration. Also deletes the account of a sign-up, unless it has other logins or sub-accounts. An account that
 * somebody else created stays. Call it under `lockRights`.
 */
export async function endUnwantedRegistration(
  ctx: Context,
  w: UnitOfWork,
  { accountId, credentialId, invited }: { accountId: string; credentialId: string; invited: boolean },
): Promise<void> {
  const [account] = await store.lockAccounts(w.tx, [accountId]);
  if (!account) return;
  const isAlone = (await store.findCredentials(w.tx, accountId)).every(({ id }) => id === credentialId);
  if (invited || !isAlone || (await store.findAccountsWithChildren(w.tx, [accountId])).has(accountId))
    await removeLogin(ctx, w, account, { credentialId, action: "decline" });
  else await softDeleteAccounts(ctx, w, [account]);
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
