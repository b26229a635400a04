// Use cases of the weekly report: a login's switch, unsubscribing by a link, and sending due reports.
import { errorCode } from "@psp/contract/errors.ts";
import type { MailSubscription, WeeklyReport } from "@psp/contract/report/report.api.ts";
import type { Context } from "../context.ts";
import { zoneOf, type Zone } from "@psp/contract/kit/zone.ts";
import { summarizeWeek } from "../counts/week.service.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { findLocationsAfter } from "../location/location.service.ts";
import {
  confirmAlertAddress,
  unsubscribeFromAlerts,
  findAlertSubscription,
} from "../monitoring/alert/alert.service.ts";
import { queueMails, withdrawMails } from "../mail/outbox.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { dueMs, earliestDueMs, mondayOf, nextMonday, weekBefore } from "./monday.rules.ts";
import { weeklyReportMail } from "./report-mail.rules.ts";
import * as store from "./report.store.ts";
import { verifyUnsubscribeToken, signUnsubscribeToken } from "./unsubscribe-token.rules.ts";

/** Zone of the oldest visible location, or null. Ids are sorted by creation. */
async function firstZone(ctx: Context, caller: Caller): Promise<Zone | null> {
  const [first] = await findLocationsAfter(ctx, caller, null, 1);
  return first === undefined ? null : zoneOf(first.timezone);
}

export async function getWeeklyReport(ctx: Context, caller: Caller): Promise<WeeklyReport> {
  const zone = (await firstZone(ctx, caller)) ?? zoneOf(null);
  const row = await store.findSubscription(ctx.db, caller.credentialId);
  // A change of zone may move this time into the past, in which case the report is sent soon.
  const nextAt = row === undefined ? null : new Date(dueMs(zone, row.monday)).toISOString();
  return { enabled: row !== undefined, nextAt, timezone: zone.name };
}

/** If enabled after Monday 7:00, the first report is sent a week later. Idempotent. */
export async function setWeeklyReport(ctx: Context, caller: Caller, enabled: boolean): Promise<WeeklyReport> {
  const zone = (await firstZone(ctx, caller)) ?? zoneOf(null);
  return write(ctx, caller, async (w) => {
    const { credentialId } = caller;
    const monday = nextMonday(zone, ctx.clock.now());
    const changed = enabled
      ? await store.insertSubscription(w.tx, {
          credential_id: credentialId,
          monday,
          check_at: new Date(earliestDueMs(monday)),
        })
      : await endReport(ctx, w, { id: credentialId, email: caller.email });
    if (changed) auditSwitch(w, credentialId, caller, enabled);
    const row = await store.findSubscription(w.tx, credentialId);
    const nextAt = row === undefined ? null : new Date(dueMs(zone, row.monday)).toISOString();
    return { enabled, nextAt, timezone: zone.name };
  });
}

/** Disables the report and withdraws a queued mail. True if it was enabled. */
async function endReport(ctx: Context, w: UnitOfWork, { id, email }: { id: string; email: string }): Promise<boolean> {
  const ended = await store.deleteSubscription(w.tx, id);
  await withdrawMails(w.tx, email, createUnsubscribeUrl(ctx, id));
  return ended;
}

const createUnsubscribeUrl = ({ config }: Context, credentialId: string) =>
  `${config.publicUrl}/unsubscribe?token=${signUnsubscribeToken(config, credentialId)}`;

function auditSwitch(w: UnitOfWork, credentialId: string, owner: { id: string; path: string }, enabled: boolean): void {
  const state = (on: boolean) => ({ credential: credentialId, weeklyReport: on });
  const object = { type: "account", _id: owner.id };
  w.audit({ action: "weekly-report", object, owner, before: state(!enabled), after: state(enabled) });
}

async function findLoginByToken(ctx: Context, token: string): Promise<store.Login> {
  const credentialId = verifyUnsubscribeToken(ctx.config, token);
  const login = credentialId === null ? undefined : await store.findLogin(ctx.db, credentialId);
  if (!login) throw new AppError(errorCode.invalidArgument, { field: "token" });
  return login;
}

export async function getReportSubscription(ctx: Context, token: string): Promise<MailSubscription> {
  const alerts = await findAlertSubscription(ctx, token);
  if (alerts) return { ...alerts, about: "alerts" };
  const login = await findLoginByToken(ctx, token);
  const enabled = (await store.findSubscription(ctx.db, login.id)) !== undefined;
  return { email: login.email, enabled, about: "weekly-report", confirmed: true };
}

/** Confirms an address for issue mails. Throws 102 for any other token. */
export async function confirmAlertMails(ctx: Context, token: string, requestId: string): Promise<MailSubscription> {
  const alerts = await confirmAlertAddress(ctx, token, requestId);
  if (alerts === null) throw new AppError(errorCode.invalidArgument, { field: "token" });
  return { ...alerts, about: "alerts" };
}

/** Unsubscribes for good, from issue mails or the weekly report, whichever the token is about. Idempotent. */
export async function unsubscribe(ctx: Context, token: string, requestId: string): Promise<MailSubscription> {
  const alerts = await unsubscribeFromAlerts(ctx, token, requestId);
  if (alerts) return { ...alerts, about: "alerts" };
  const login = await findLoginByToken(ctx, token);
  await write(ctx, { system: requestId }, async (w) => {
    const ended = await endReport(ctx, w, login);
    if (ended) auditSwitch(w, login.id, { id: login.accountId, path: login.accountPath }, false);
  });
  return { email: login.email, enabled: false, about: "weekly-report", confirmed: true };
}

const checkEveryMs = 30 * 60_000;

/** Sends a subscription's report if due, and schedules the next check. */
export async function processSubscription(ctx: Context, was: store.Subscription): Promise<void> {
  const found = await findRecipient(ctx, was.credential_id);
  const nowMs = ctx.clock.now();
  const zone = (found && (await firstZone(ctx, found.caller))) ?? null;
  if (!found || !zone) return skipWeek(ctx, was, nowMs);
  // A report that was not sent within its week is skipped.
  const monday = Math.max(was.monday, mondayOf(zone.dayAt(nowMs)));
  const due = dueMs(zone, monday);
  if (due > nowMs) {
    const check_at = new Date(Math.min(due, Math.max(nowMs + checkEveryMs, earliestDueMs(monday))));
    await store.scheduleNext(ctx.db, was, { monday, check_at });
    return;
  }
  const { caller, login } = found;
  const days = weekBefore(monday);
  const week = await summarizeWeek(ctx, caller, days);
  await write(ctx, { system: "weekly report" }, async (w) => {
    // Schedule and mail commit together, so concurrent processes send only one mail.
    if (!(await store.scheduleNext(w.tx, was, { monday: monday + 7, check_at: new Date(earliestDueMs(monday + 7)) })))
      return;
    // If the rights changed while the counts were read, the report is tried again.
    const now = await reloadCaller(w.tx, caller);
    const still = await store.findLogin(w.tx, login.id);
    if (still === undefined || rightsOf(now) !== rightsOf(caller)) throw new RightsChangedError();
    const { publicUrl } = ctx.config;
    const unsubscribeUrl = createUnsubscribeUrl(ctx, login.id);
    const mail = weeklyReportMail({ account: login.accountName, days, week, publicUrl, unsubscribeUrl });
    await queueMails(ctx, w, [{ to: login.email, ...mail, unsubscribeUrl }], { bulk: true });
  });
}

/** Thrown to roll back the transaction; the subscription stays due. */
export class RightsChangedError extends Error {}

const rightsOf = ({ path, parentAccounts, permissions }: Caller) => JSON.stringify([path, parentAccounts, permissions]);

/**
 * Handles a subscription without a recipient or a visible location. Until the report is due, schedules another check,
 * because a location may be created or a right restored. Once the report is due, skips the week.
 */
async function skipWeek(ctx: Context, was: store.Subscription, nowMs: number): Promise<void> {
  const utc = zoneOf(null);
  const monday = Math.max(was.monday, mondayOf(utc.dayAt(nowMs)));
  const due = dueMs(utc, monday);
  const next =
    due > nowMs
      ? { monday, check_at: new Date(Math.min(due, nowMs + checkEveryMs)) }
      : { monday: monday + 7, check_at: new Date(earliestDueMs(monday + 7)) };
  await store.scheduleNext(ctx.db, was, next);
}

/** Returns the login, and its account as a caller with current rights. Null if the login can't sign in. */
async function findRecipient(ctx: Context, credentialId: string) {
  return ctx.db.transaction().execute(async (tx) => {
    const login = await store.findLogin(tx, credentialId);
    if (!login) return null;
    const request = { id: "weekly report", idempotency: null, ifMatch: null };
    const unknown = { path: login.accountPath, parentAccounts: [], roleId: null, permissions: null };
    const { accountId: id, accountName: name, email } = login;
    const caller = await reloadCaller(tx, { ...unknown, id, name, email, sessionId: "", credentialId, request });
    return { login, caller };
  });
}
