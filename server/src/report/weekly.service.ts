// The switch in My account: the weekly report is a report of the login's account (docs/rules/reports.md#weekly-report).
import type { WeeklyReport } from "@psp/contract/report/subscription.api.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../context.ts";
import { toJsonb } from "../db/storable.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { withdrawMails } from "../mail/outbox.ts";
import { publishEntity } from "../owned/change.ts";
import { findNextDue, type Schedule } from "@psp/contract/report/schedule.ts";
import type { ReportQuery } from "@psp/contract/report/report.ts";
import { findFirstZone } from "./creator.service.ts";
import { planCheck } from "./due.rules.ts";
import { createLink } from "./recipient/recipient.service.ts";
import { endRecipient, findSubscription, restoreRecipient } from "./recipient/recipient.store.ts";
import { findReportOfLogin, lockReport, type Login } from "./report.store.ts";
import { insertWeekly, switchWeekly } from "./weekly.store.ts";
import { signWeeklyToken } from "./recipient/weekly-token.rules.ts";

const weeklyQuery: ReportQuery = {
  filters: {},
  range: "lastWeek",
  by: null,
  open: false,
  compare: "previous",
  groupBy: "none",
  content: ["summary", "gaps"],
  formats: [],
};
const weeklySchedule: Schedule = { every: "week", on: "mo", at: "07:00", zone: null };
const weeklyName = "Weekly report";

/** What the switch shows, and the report that it controls. */
async function readSwitch(ctx: Context, caller: Caller) {
  const row = await findReportOfLogin(ctx.db, caller.credentialId);
  const schedule = row?.schedule ?? weeklySchedule;
  const zone = schedule.zone === null ? ((await findFirstZone(ctx, caller)) ?? zoneOf(null)) : zoneOf(schedule.zone);
  const found = row && (await findSubscription(ctx.db, row.id, caller.email.toLowerCase()));
  const isOn = row !== undefined && row.is_enabled && row.stopped === null && found?.isRecipient === true;
  return { row, schedule, zone, isOn };
}

type Switch = Awaited<ReturnType<typeof readSwitch>>;

const nextDueAt = ({ schedule, zone }: Switch, afterMs: number) =>
  new Date(findNextDue(schedule, zone, afterMs)).toISOString();

export async function getWeeklyReport(ctx: Context, caller: Caller): Promise<WeeklyReport> {
  const state = await readSwitch(ctx, caller);
  // A change of zone may move this time into the past, in which case the report is sent soon.
  const after = state.row === undefined ? 0 : state.row.handled_to.getTime();
  return { enabled: state.isOn, nextAt: state.isOn ? nextDueAt(state, after) : null, timezone: state.zone.name };
}

/** If enabled after Monday 7:00, the first report is sent a week later. Idempotent. */
export async function setWeeklyReport(ctx: Context, caller: Caller, enabled: boolean): Promise<WeeklyReport> {
  const state = await readSwitch(ctx, caller);
  await write(ctx, caller, async (w) => {
    if (!enabled) return endWeekly(ctx, w, toLogin(caller));
    if (state.isOn) return;
    const nowMs = ctx.clock.now();
    const { nextMs, checkMs } = planCheck(state.schedule, state.zone, nowMs);
    const plan = { handled_to: new Date(nowMs), next_at: new Date(nextMs), check_at: new Date(checkMs) };
    const id = state.row?.id ?? uuidv7(nowMs);
    if (state.row === undefined) {
      const report = { name: weeklyName, query: toJsonb(weeklyQuery), schedule: toJsonb(weeklySchedule) };
      const inserted = await insertWeekly(w.tx, { id, ...report, ...ownerOf(caller), ...plan });
      // Another call of the same login has just inserted it.
      if (!inserted) return;
    } else await switchWeekly(w.tx, id, plan);
    await restoreRecipient(w.tx, id, caller.email.toLowerCase());
    auditSwitch(w, toLogin(caller), true);
    const op = state.row === undefined ? "create" : "update";
    publishEntity(w, {
      type: "report",
      op,
      id,
      ownerBefore: op === "create" ? null : caller.id,
      ownerAfter: caller.id,
    });
  });
  return getWeeklyReport(ctx, caller);
}

const ownerOf = ({ id, path, credentialId }: Caller) => ({
  owner_id: id,
  owner_path: path,
  creator_id: credentialId,
});

const toLogin = ({ credentialId, email, id, path, name }: Caller): Login => ({
  id: credentialId,
  email,
  accountId: id,
  accountName: name,
  accountPath: path,
});

/** Ends the mails to the login and withdraws queued ones. The report stays on if others get it, too. */
export async function endWeekly(ctx: Context, w: UnitOfWork, login: Login): Promise<void> {
  const known = await findReportOfLogin(w.tx, login.id);
  // Waits for a run that is being mailed, whose mails are then withdrawn.
  const report = known && (await lockReport(w.tx, known.id));
  if (!report) return;
  const email = login.email.toLowerCase();
  const found = await findSubscription(w.tx, report.id, email);
  const wasOn = report.is_enabled && found?.isRecipient === true;
  if (found?.isOnly === false) await endRecipient(w.tx, report.id, email, ctx.clock.date());
  else await switchWeekly(w.tx, report.id, null);
  await withdrawMails(w.tx, login.email, createLink(ctx, "end", report.id, email));
  // Mails from before reports had recipients.
  await withdrawMails(
    w.tx,
    login.email,
    `${ctx.config.publicUrl}/unsubscribe?token=${signWeeklyToken(ctx.config, login.id)}`,
  );
  if (!wasOn) return;
  auditSwitch(w, login, false);
  publishEntity(w, {
    type: "report",
    op: "update",
    id: report.id,
    ownerBefore: report.owner_id,
    ownerAfter: report.owner_id,
  });
}

function auditSwitch(w: UnitOfWork, { id, accountId, accountPath }: Login, enabled: boolean): void {
  const state = (on: boolean) => ({ credential: id, weeklyReport: on });
  const owner = { id: accountId, path: accountPath };
  const object = { type: "account", _id: accountId };
  w.audit({ action: "weekly-report", object, owner, before: state(!enabled), after: state(enabled) });
}
