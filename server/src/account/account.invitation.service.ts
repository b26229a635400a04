// Creates and invites sub-accounts, one or thousands at a time (AC-08, AC-09).
import { type ImportRow } from "@psp/contract/account/account.import.ts";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canCreateAccount } from "@psp/contract/permission/can.ts";
import { futureChildOf } from "@psp/contract/permission/why-not.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import { allocatePathLabels } from "../db/path-label.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { UnitOfWork } from "../db/write.ts";
import { invitationMail } from "../mail/mail-texts.ts";
import { queueMails } from "../mail/outbox.ts";
import { loadHolder } from "../role/reach.service.ts";
import { reloadCaller, requireGivable, requireVisibleRole } from "../role/rights.service.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { accountReasons } from "./account.reasons.ts";
import * as writes from "./account.write.store.ts";
import { releaseAddresses } from "./account.ending.service.ts";
import { publishAccount } from "../owned/change.ts";
import { maxLevels, treeTooDeepReason } from "../owned/tree.store.ts";
import { toAuditedAccount } from "./account.wire.ts";

export type Invitee = Pick<ImportRow, "name" | "email"> & Partial<ImportRow>;

/**
 * Reloads the caller and requires the right to create sub-accounts with this role. Throws 107, 303, 300, and 102 if the tree would
 * become too deep. Locks the rights and the parent until the commit.
 */
export async function requireAccountCreator(tx: Tx, caller: Caller, roleId: string): Promise<Caller> {
  await lockRights(tx, "use");
  const maker = await reloadCaller(tx, caller);
  if (!(await writes.lockParentAccount(tx, maker.id))) throw new AppError(errorCode.unauthorized);
  const permissions = await requireVisibleRole(tx, maker, roleId);
  if (!canCreateAccount(maker)) throw new AppError(errorCode.noCreate, accountReasons.create);
  // No scope can name an account that does not exist yet, so one check is enough for all new accounts.
  const place = futureChildOf(await loadHolder(tx, maker, permissions), roleId);
  requireGivable(maker, permissions, place);
  if (place.parentAccounts.length >= maxLevels) throw new AppError(errorCode.invalidArgument, treeTooDeepReason);
  return maker;
}

/**
 * Creates sub-accounts of `maker` and returns their ids in order. Their logins have no password until it is set through the mailed
 * link. Removes unaccepted sign-ups with these addresses. An address in use violates the unique index
 * `credential_email`.
 */
export async function insertInvitedAccounts(
  ctx: Context,
  w: UnitOfWork,
  maker: Caller,
  roleId: string,
  list: readonly Invitee[],
  options: { bulk: boolean },
): Promise<string[]> {
  if (list.length === 0) return [];
  await releaseAddresses(ctx, w, list);
  const now = ctx.clock.date();
  const labels = await allocatePathLabels(w.tx, list.length);
  const accounts = list.map((one, n) => ({
    id: uuidv7(now.getTime()),
    name: one.name,
    parent_id: maker.id,
    ancestor_ids: [...maker.parentAccounts, maker.id],
    path: maker.path + (labels[n] ?? ""),
    role_id: roleId,
    ...addressOf(one),
    readonly_address: Boolean(one.country),
    created_at: now,
    updated_at: now,
  }));
  const rows = new Map((await writes.insertAccounts(w.tx, accounts)).map((row) => [row.id, row]));
  const invitations = accounts.map(({ id, name }, n) => {
    return { id, name, email: list[n]?.email ?? "", token: randomToken() };
  });
  const credentials = invitations.map(({ id, email, token }) => ({
    id: uuidv7(now.getTime()),
    account_id: id,
    email,
    step: registrationSteps.invited,
    position: 0,
    reg_token: hashToken(token),
    invited_at: now,
    created_at: now,
  }));
  await writes.insertCredentials(w.tx, credentials);
  const mails = invitations.map(({ id, name, email, token }) => {
    const link = `${ctx.config.publicUrl}/account/${id}/registration/${token}`;
    return { to: email, ...invitationMail({ account: name, inviter: maker.name, link }) };
  });
  await queueMails(ctx, w, mails, options);
  for (const { id, email } of invitations) {
    const row = rows.get(id);
    if (!row) continue;
    const after = toAuditedAccount(row, [{ email, step: registrationSteps.invited }]);
    w.audit({ action: "create", object: { type: "account", _id: id }, owner: row, after });
    publishAccount(w, "create", id);
  }
  return accounts.map(({ id }) => id);
}

function addressOf({ phone, street, streetNumber, zip, city, country, supplier }: Invitee) {
  const given = { phone, street, street_number: streetNumber, zip, city, country, supplier };
  return Object.fromEntries(Object.entries(given).map(([column, text]) => [column, text || null]));
}
