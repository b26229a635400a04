// How accounts and logins end, no matter who decides it: by deletion, by an address that somebody else needs, by a link's "That wasn't me".
import { endSessions } from "../credential/session.service.ts";
import type { Context } from "../context.ts";
import type { Write } from "../db/write.ts";
import { announceAccount } from "../owned/change.ts";
import * as store from "./account.store.ts";
import * as writes from "./account.write.store.ts";
import { accountTrail } from "./account.wire.ts";

/** Deletes accounts that are locked: their sessions end, their addresses become free, what they own stays (AC-12). */
export async function endAccounts(ctx: Context, w: Write, accounts: readonly store.LockedAccount[]): Promise<void> {
  if (accounts.length === 0) return;
  const ids = accounts.map(({ id }) => id);
  const credentials = await store.credentialsOf(w.tx, ...ids);
  await writes.updateAccounts(ctx, w.tx, ids, { is_deleted: true, deleted_at: ctx.clock.date() });
  await store.removeCredentials(w.tx, credentials, ctx.clock.date());
  await endSessions(w, { accountIds: ids });
  const byAccount = Map.groupBy(credentials, ({ account_id }) => account_id);
  for (const account of accounts) {
    const { id } = account;
    const before = accountTrail(account, byAccount.get(id) ?? []);
    w.audit({ action: "delete", object: { type: "account", _id: id }, owner: account, before });
    announceAccount(w, "delete", id);
  }
}

/** Takes a login from a locked account that stays. */
export async function endLogin(
  ctx: Context,
  w: Write,
  account: store.LockedAccount,
  { credentialId, action, keepLink = false }: { credentialId: string; action: string; keepLink?: boolean },
): Promise<void> {
  const credentials = await store.credentialsOf(w.tx, account.id);
  await store.removeCredentials(w.tx, [{ id: credentialId }], ctx.clock.date(), { keepLink });
  await endSessions(w, { credentialIds: [credentialId] });
  await writes.updateAccounts(ctx, w.tx, [account.id]);
  const before = accountTrail(account, credentials);
  const left = credentials.filter(({ id }) => id !== credentialId);
  const object = { type: "account", _id: account.id };
  w.audit({ action, object, owner: account, before, after: accountTrail(account, left) });
  announceAccount(w, "update", account.id);
}

/**
 * Ends a registration that no one claims. A sign-up is nothing but its login, so its account goes, too, unless something
 * hangs on it by now; an account that somebody made stays. To be called under `lockRights`.
 */
export async function disown(
  ctx: Context,
  w: Write,
  { accountId, credentialId, invited }: { accountId: string; credentialId: string; invited: boolean },
): Promise<void> {
  const [account] = await store.lockAccounts(w.tx, [accountId]);
  if (!account) return;
  const isAlone = (await store.credentialsOf(w.tx, accountId)).every(({ id }) => id === credentialId);
  if (invited || !isAlone || (await store.parentsAmong(w.tx, [accountId])).has(accountId))
    await endLogin(ctx, w, account, { credentialId, action: "decline" });
  else await endAccounts(ctx, w, [account]);
}

/**
 * Makes room for logins with these addresses: a sign-up that was not accepted holds none; against
 * another sign-up only one that waits for review does. To be called under `lockRights`, which keeps a review away until the commit.
 */
export async function giveWay(
  ctx: Context,
  w: Write,
  logins: readonly { email: string }[],
  who: store.NotAccepted = "waitingOrRejected",
): Promise<void> {
  const signUps = await store.signUpsWith(w.tx, logins, who);
  if (signUps.length === 0) return;
  // In the order of their ids, so that two that need several of them can't wait for each other.
  const accountIds = signUps.map(({ account_id }) => account_id);
  const accounts = await store.lockAccounts(w.tx, accountIds);
  const alone = new Set(signUps.filter((one) => !one.has_more).map((one) => one.account_id));
  const ending = accounts.filter(({ id }) => alone.has(id));
  await endAccounts(ctx, w, ending);
  for (const account of accounts.filter(({ id }) => !alone.has(id))) {
    const { id: credentialId = "" } = signUps.find((one) => one.account_id === account.id) ?? {};
    await endLogin(ctx, w, account, { credentialId, action: "update" });
  }
}
