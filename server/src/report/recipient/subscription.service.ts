// Use cases behind the links in report mails: show, confirm or end the mails to one address, without a session.
import { errorCode } from "@psp/contract/errors.ts";
import type { MailSubscription } from "@psp/contract/report/subscription.api.ts";
import type { Context } from "../../context.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import { withdrawMails } from "../../mail/outbox.ts";
import {
  confirmAlertAddress,
  findAlertSubscription,
  unsubscribeFromAlerts,
} from "../../monitoring/alert/alert.service.ts";
import { publishEntity } from "../../owned/change.ts";
import { findLogin, findReportOfLogin, lockReport } from "../report.store.ts";
import { endWeekly } from "../weekly.service.ts";
import { readRecipientToken, type RecipientToken } from "./recipient-token.rules.ts";
import { createLink } from "./recipient.service.ts";
import * as store from "./recipient.store.ts";
import { verifyWeeklyToken } from "./weekly-token.rules.ts";

const invalidToken = () => new AppError(errorCode.invalidArgument, { field: "token" });

export async function getSubscription(ctx: Context, token: string): Promise<MailSubscription> {
  const alerts = await findAlertSubscription(ctx, token);
  if (alerts) return { ...alerts, about: "alerts" };
  const recipient = readRecipientToken(ctx.config, token);
  return recipient === null ? getWeeklySubscription(ctx, token) : getReportSubscription(ctx, recipient);
}

async function getReportSubscription(ctx: Context, token: RecipientToken): Promise<MailSubscription> {
  const found = await store.findSubscription(ctx.db, token.reportId, token.email);
  // The recipient was removed, or the report was purged.
  if (!found) return { email: token.email, enabled: false, about: "report", confirmed: true, purpose: token.purpose };
  const isConfirming = token.purpose === "confirm";
  return {
    email: token.email,
    enabled: found.isRecipient && (!found.isWeekly || found.isEnabled || !found.isOnly),
    about: found.isWeekly && !isConfirming ? "weekly-report" : "report",
    confirmed: isConfirming ? found.isConfirmed : true,
    name: found.name,
    purpose: token.purpose,
  };
}

async function getWeeklySubscription(ctx: Context, token: string): Promise<MailSubscription> {
  const login = await requireLogin(ctx, token);
  const report = await findReportOfLogin(ctx.db, login.id);
  const email = login.email.toLowerCase();
  const found = report && (await store.findSubscription(ctx.db, report.id, email));
  const enabled = report?.is_enabled === true && found?.isRecipient === true;
  return { email: login.email, enabled, about: "weekly-report", confirmed: true };
}

async function requireLogin(ctx: Context, token: string) {
  const credentialId = verifyWeeklyToken(ctx.config, token);
  const login = credentialId === null ? undefined : await findLogin(ctx.db, credentialId);
  if (!login) throw invalidToken();
  return login;
}

/** Throws 102 for any token that does not confirm. */
export async function confirmMails(ctx: Context, token: string, requestId: string): Promise<MailSubscription> {
  const recipient = readRecipientToken(ctx.config, token);
  if (recipient === null) {
    const alerts = await confirmAlertAddress(ctx, token, requestId);
    if (alerts === null) throw invalidToken();
    return { ...alerts, about: "alerts" };
  }
  if (recipient.purpose !== "confirm") throw invalidToken();
  const { reportId, email } = recipient;
  await write(ctx, { system: requestId }, async (w) => {
    const report = await lockReport(w.tx, reportId);
    const found = await store.findSubscription(w.tx, reportId, email);
    if (!report || !found) return;
    await store.confirmRecipient(w.tx, report.owner_id, reportId, email, ctx.clock.date());
    noteChange(w, "report-confirmed", report);
  });
  return getSubscription(ctx, token);
}

/** Ends mails for good: about issues, or those of one report to one address, whichever the token is about. Idempotent. */
export async function unsubscribe(ctx: Context, token: string, requestId: string): Promise<MailSubscription> {
  const alerts = await unsubscribeFromAlerts(ctx, token, requestId);
  if (alerts) return { ...alerts, about: "alerts" };
  const recipient = readRecipientToken(ctx.config, token);
  if (recipient?.purpose === "confirm") throw invalidToken();
  if (recipient === null) {
    const login = await requireLogin(ctx, token);
    await write(ctx, { system: requestId }, (w) => endWeekly(ctx, w, login));
    return { email: login.email, enabled: false, about: "weekly-report", confirmed: true };
  }
  const { reportId, email } = recipient;
  await write(ctx, { system: requestId }, async (w) => {
    const report = await lockReport(w.tx, reportId);
    if (!report) return;
    const login = report.is_weekly && report.creator_id !== null ? await findLogin(w.tx, report.creator_id) : undefined;
    if (login?.email.toLowerCase() === email) return endWeekly(ctx, w, login);
    const ended = await store.endRecipient(w.tx, reportId, email, ctx.clock.date());
    await withdrawMails(w.tx, email, createLink(ctx, "end", reportId, email));
    if (ended) noteChange(w, "report-unsubscribed", report);
  });
  return { ...(await getSubscription(ctx, token)), enabled: false };
}

function noteChange(w: UnitOfWork, action: string, report: { id: string; owner_id: string; owner_path: string }): void {
  const owner = { id: report.owner_id, path: report.owner_path };
  w.audit({ action, object: { type: "report", _id: report.id }, owner });
  publishEntity(w, { type: "report", op: "update", id: report.id, ownerBefore: owner.id, ownerAfter: owner.id });
}
