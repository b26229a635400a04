// The owner's consent to sessions of accounts above (ADR 0025): who needs it, who gives it, and the mails of question and answer.
import { canEdit } from "@psp/contract/permission/can.ts";
import { formatSessionLength } from "@psp/contract/remote-access/remote-access.ts";
import { findCompleteLogins } from "../account/account.credentials.service.ts";
import type { Context } from "../context.ts";
import type { Write } from "../db/write.ts";
import { before } from "../kit/clock.ts";
import type { Caller } from "../kit/caller.ts";
import { consentAnswerMail, consentQuestionMail } from "../mail/mail-texts.ts";
import { queueMail, queueMails } from "../mail/outbox.ts";
import type { PlacedOwner } from "../owned/owner.ts";
import * as store from "./remote-access.store.ts";

/** A question to the owner that no one answered, and a consent that no one used, end after so long. */
export const unansweredDays = 1;
/** Of one account to one owner; further questions stand on the sensors' pages only. */
const maxMailsADay = 20;

/** The owner's own account alone: an account above could make another one below the owner's and answer itself. */
export function mayConsent(caller: Caller, owner: PlacedOwner): boolean {
  return caller.id === owner.id && canEdit(caller, "sensor", owner);
}

const pageOf = ({ config }: Context, sensorId: string) =>
  `${config.publicUrl}/sensor/${encodeURIComponent(sensorId)}/firmware`;

/** To all who sign in for the owner's account: nothing else would bring them to the sensor's page in time. */
export async function mailQuestion(
  ctx: Context,
  w: Write,
  caller: Caller,
  sensorId: string,
  { owner_id: ownerId, mode, minutes, reason }: store.SessionRow,
): Promise<void> {
  if ((await store.countQuestions(w.tx, ownerId, caller.id, before(ctx, 1))) > maxMailsADay) return;
  const mail = consentQuestionMail({
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

/** To the login that asked, unless it has signed out since: then its question is over. */
export async function mailAnswer(
  ctx: Context,
  w: Write,
  sensorId: string,
  session: store.SessionRow,
  isAllowed: boolean,
): Promise<void> {
  const to = await store.findEmailOfSession(w.tx, session.session_id);
  if (to !== null)
    await queueMail(ctx, w, { to, ...consentAnswerMail({ sensorId, isAllowed, link: pageOf(ctx, sensorId) }) });
}
