// Creates and invites sub-accounts, one or thousands at a time (AC-08, AC-09).
import type { ImportRow } from "@psp/contract/account/account.import.ts";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canCreateAccount } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { futureChildOf } from "@psp/contract/permission/why-not.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import { allocatePathLabels } from "../db/account-path.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { UnitOfWork } from "../db/write.ts";
import { colleagueMail, invitationMail } from "../mail/mail-texts.ts";
import { queueMails } from "../mail/outbox.ts";
import { loadHolder } from "../role/reach.service.ts";
import { reloadCaller, requireGivable, requireVisibleRole } from "../role/rights.service.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { accountReasons } from "./account.reasons.ts";
import * as writes from "./account.write.store.ts";
import { releaseAddresses } from "./account.ending.service.ts";
import { requireParent } from "./account.review.service.ts";
import { publishAccount } from "../owned/change.ts";
import { maxLevels, treeTooDeepReason, type TreePosition } from "../owned/tree.store.ts";
import { toAuditedAccount } from "./account.wire.ts";

export type Invitee = Pick<ImportRow, "name" | "email"> & Partial<ImportRow>;

/** The account below which new ones are made. */
export type NewParent = TreePosition & Owner & { name: string };

/**
 * Reloads the caller and requires the right to create sub-accounts of `parent` with this role, by default of the caller's account.
 * Throws 107, 303, 300, and 102 if the tree would become too deep. Locks the rights and the parent until the commit.
 */
export async function requireAccountCreator(
  tx: Tx,
  caller: Caller,
  roleId: string,
  parent: NewParent | null = null,
): Promise<{ maker: Caller; parent: NewParent }> {
  await lockRights(tx, "use");
  const maker = await reloadCaller(tx, caller);
  const own = await writes.lockParentAccount(tx, maker.id);
  if (!own) throw new AppError(errorCode.unauthorized);
  const permissions = await requireVisibleRole(tx, maker, roleId);
  if (!canCreateAccount(maker)) throw new AppError(errorCode.noCreate, accountReasons.create);
  // No scope can name an account that does not exist yet, so one check is enough for all new accounts.
  const place = futureChildOf(await loadHolder(tx, parent ?? maker, permissions), roleId);
  requireGivable(maker, permissions, place);
  if (place.parentAccounts.length >= maxLevels) throw new AppError(errorCode.invalidArgument, treeTooDeepReason);
  return { maker, parent: parent ?? own };
}

/** Requires a sub-account to which the actor may invite colleagues; 103 otherwise. Locks it against deletion until the commit. */
export async function requireExtendable(reader: Reader, actor: Caller, id: string): Promise<NewParent> {
  const field = "account";
  const parent = await requireParent(reader, actor, id, field);
  if (!parent.parentAccounts.includes(actor.id))
    throw new AppError(errorCode.invalidOwner, { field, ...accountReasons.notBelowYou(parent) });
  if (parent.is_colleague) throw new AppError(errorCode.invalidOwner, { field, ...accountReasons.isColleague(parent) });
  return parent;
}

/** Whom the accounts are for. Below the root account, only colleagues share its organization. */
type InviteeKind = "colleague" | "sameOrganization" | "otherOrganization";

/**
 * Creates sub-accounts of `parent` and returns their ids in order. Their logins have no password until it is set through the mailed
 * link. Removes unaccepted sign-ups with these addresses. An address in use violates the unique index
 * `credential_email`.
 */
export async function insertInvitedAccounts(
  ctx: Context,
  w: UnitOfWork,
  { maker, parent }: { maker: Caller; parent: NewParent },
  roleId: string,
  list: readonly Invitee[],
  { kind, bulk = false }: { kind: InviteeKind; bulk?: boolean },
): Promise<string[]> {
  if (list.length === 0) return [];
  await releaseAddresses(ctx, w, list);
  const areColleagues = kind === "colleague";
  const now = ctx.clock.date();
  const labels = await allocatePathLabels(w.tx, list.length);
  const accounts = list.map((one, n) => ({
    id: uuidv7(now.getTime()),
    name: one.name,
    parent_id: parent.id,
    ancestor_ids: [...parent.parentAccounts, parent.id],
    path: parent.path + (labels[n] ?? ""),
    role_id: roleId,
    ...addressOf(one),
    readonly_address: Boolean(one.country),
    is_colleague: areColleagues,
    shares_organization: areColleagues || (kind === "sameOrganization" && parent.parentAccounts.length > 0),
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
    const mail = areColleagues
      ? colleagueMail({ seen: parent.name, inviter: maker.name, link })
      : invitationMail({ account: name, inviter: maker.name, link });
    return { to: email, ...mail };
  });
  await queueMails(ctx, w, mails, { bulk });
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
