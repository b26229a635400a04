// Recipients of reports: who gets the mails, and who must confirm first (docs/rules/reports.md#recipients).
import { errorCode } from "@psp/contract/errors.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import type { Context } from "../../context.ts";
import type { UnitOfWork } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { queueMails } from "../../mail/outbox.ts";
import { reportReasons } from "../report.reasons.ts";
import { confirmationMail } from "./recipient-mail.rules.ts";
import { signRecipientToken } from "./recipient-token.rules.ts";
import * as store from "./recipient.store.ts";

/** Confirmation mails of an account within 24 hours. */
export const maxAskedPerDay = 50;
/** Confirmation mails to an address within 24 hours, from all accounts together. */
export const maxAskedPerAddress = 3;

type Asking = { id: string; name: string; ownerId: string; ownerName: string };

export const createLink = ({ config }: Context, purpose: "confirm" | "end", reportId: string, email: string) =>
  `${config.publicUrl}/unsubscribe?token=${signRecipientToken(config, { purpose, reportId, email })}`;

/**
 * Asks recipients without a login in the owner's accounts to confirm, each at most once a day. `added` are new recipients, who are
 * also asked if they had unsubscribed. Addresses that other accounts asked too often are left out without a word, because the reply would
 * reveal it; saving the recipients later asks them. Throws 429 (102) above the daily limit of the account.
 */
export async function askRecipients(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  report: Asking,
  added: readonly string[],
): Promise<void> {
  const now = ctx.clock.date();
  const since = new Date(now.getTime() - dayMs);
  await store.lockAsking(w.tx, report.ownerId);
  const recipients = await store.findRecipients(w.tx, caller, report.id);
  const asked = recipients.filter(
    ({ email, status, askedAt }) =>
      (status === "waiting" || (status === "ended" && added.includes(email))) && (askedAt === null || askedAt <= since),
  );
  if (asked.length === 0) return;
  const left = maxAskedPerDay - (await store.countAsked(w.tx, report.ownerId, since));
  if (asked.length > left)
    throw new AppError(
      errorCode.invalidArgument,
      { field: "recipients", ...reportReasons.tooManyAsked(Math.max(0, left), maxAskedPerDay) },
      { status: 429, headers: { "retry-after": String(dayMs / 1000) } },
    );
  const wanted = asked.map(({ email }) => email);
  const often = await store.lockOftenAsked(w.tx, wanted, { since, max: maxAskedPerAddress });
  const emails = wanted.filter((email) => !often.has(email));
  await store.markAsked(w.tx, report.ownerId, emails, now);
  const mails = emails.map((email) => ({
    to: email,
    ...confirmationMail({
      report: report.name,
      account: report.ownerName,
      link: createLink(ctx, "confirm", report.id, email),
    }),
  }));
  await queueMails(ctx, w, mails, { bulk: false });
}
