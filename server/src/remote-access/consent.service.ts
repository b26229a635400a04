// The owner's consent to sessions of parent accounts (ADR 0025): who needs it, who gives it, and the mails about it.
import { canEdit } from "@psp/contract/permission/can.ts";
import { formatSessionLength } from "@psp/contract/remote-access/remote-access.ts";
import { findCompleteLogins } from "../account/account.credentials.service.ts";
import type { Context } from "../context.ts";
import type { UnitOfWork } from "../db/write.ts";
import { daysAgo } from "../kit/clock.ts";
import type { Caller } from "../kit/caller.ts";
import { consentResponseMail, consentRequestMail } from "../mail/mail-texts.ts";
import { queueMail, queueMails } from "../mail/outbox.ts";
import type { OwnerWithPath } from "../owned/owner.ts";
import * as store from "./remote-access.store.ts";

/** Lifetime of an unanswered request, and of an unused consent. */
export const unansweredDays = 1;
/** Consent mails per day from one account to one owner. Further requests are only shown in the console. */
const maxMailsADay = 20;

/**
 * Whether the caller may consent. Only the owner's account may, because a parent account could create one below the owner and consent
 * with it.
 */
export function canConsent(caller: Caller, owner: OwnerWithPath): boolean {
  return caller.id === owner.id && canEdit(caller, "sensor", owner);
}

const pageOf = ({ config }: Context, sensorId: string) =>
  `${config.publicUrl}/sensor/${encodeURIComponent(sensorId)}/firmware`;

/** Mails all logins of the owner's account, who would otherwise not see the request in time. */
export async function mailConsentRequest(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  sensorId: string,
  { owner_id: ownerId, mode, minutes, reason }: store.SessionRow,
): Promise<void> {
  if ((await store.countConsentRequests(w.tx, ownerId, caller.id, daysAgo(ctx, 1))) > maxMailsADay) return;
  const mail = consentRequestMail({
    by: caller.name,
    sensorId,
    isChange: mode === "edit",
    length: formatSessionLength(minutes),
    reason,
    link: pageOf(ctx, sensorId),
  });
  const logins = await findCompleteLogins(w.tx, ownerId);
  await queueMails(
    ctx,
    w,
    logins.map(({ email }) => ({ to: email, ...mail })),
    { bulk: false },
  );
}

/** Mails the login that asked, unless it has signed out, which cancels the request. */
export async function mailConsentAnswer(
  ctx: Context,
  w: UnitOfWork,
  sensorId: string,
  session: store.SessionRow,
  isAllowed: boolean,
): Promise<void> {
  const to = await store.findEmailOfSession(w.tx, session.session_id);
  if (to !== null)
    await queueMail(ctx, w, { to, ...consentResponseMail({ sensorId, isAllowed, link: pageOf(ctx, sensorId) }) });
}
