// Makes one due run of a report: reads the counts, and stores files, mails and the outcome in one transaction.
import { errorCode } from "@psp/contract/errors.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { reportDays } from "@psp/contract/report/report-range.ts";
import { findCompleteLogins } from "../../account/account.credentials.service.ts";
import type { Context } from "../../context.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { keepAttachment, queueMails } from "../../mail/outbox.ts";
import { publishEntity } from "../../owned/change.ts";
import { getOwner } from "../../owned/owner.ts";
import { type Creator, findFirstZone, loadCreator, mayManage, rightsKey } from "../creator.service.ts";
import { maxWaitMs } from "../due.rules.ts";
import { createLink } from "../recipient/recipient.service.ts";
import { findRecipients } from "../recipient/recipient.store.ts";
import { skipReasons, stopReasons } from "../report.reasons.ts";
import { lockReport } from "../report.store.ts";
import type { ReportData, SharedReports } from "./report-data.service.ts";
import { createReportFile, FileTooLargeError, type ReportedCounts } from "./report-files.service.ts";
import { reportMail, stoppedMail } from "./report-mail.rules.ts";
import { several } from "./report-words.rules.ts";
import * as store from "./run.store.ts";

/** A run that waits for counts is checked again after a sixth of the time that it has waited. */
const recheckMs = { least: 2 * 60_000, most: 20 * 60_000 };
/** Delay before a failed run is retried. Other runs are not delayed. */
const retryMs = 15 * 60_000;

type Stored = NonNullable<Awaited<ReturnType<typeof lockReport>>>;

/** Returns false if no run is due. */
export async function makeNextRun(ctx: Context, shared: SharedReports): Promise<boolean> {
  let claimed: store.DueRun | undefined;
  try {
    return await write(ctx, { system: "report" }, async (w) => {
      claimed = await store.lockDueRun(w.tx, ctx.clock.date());
      if (claimed === undefined) return false;
      await makeRun(ctx, w, claimed, shared);
      return true;
    });
  } catch (error) {
    if (claimed === undefined) throw error;
    // The run stays due, and the next attempt uses the new rights.
    if (!(error instanceof RightsChangedError)) await noteFailure(ctx, claimed, error);
    return true;
  }
}

/** Thrown to roll back the transaction; the run stays due. */
class RightsChangedError extends Error {}

/** Whether a limit was exceeded, which would happen again in a later attempt. */
const isTooLarge = (error: unknown) =>
  error instanceof FileTooLargeError || (error instanceof AppError && error.code === errorCode.invalidArgument);

async function noteFailure(ctx: Context, run: store.DueRun, error: unknown): Promise<void> {
  if (isTooLarge(error))
    return write(ctx, { system: "report" }, (w) =>
      finish(ctx, w, run, { state: "failed", reason: skipReasons.tooLarge }),
    );
  ctx.log.error({ err: error, report: run.reportId, run: run.id }, "a report was not made");
  const now = ctx.clock.date();
  if (now.getTime() < run.dueAt.getTime() + maxWaitMs)
    return store.postponeRun(
      ctx.db,
      run.id,
      "An internal error occurred. The server will try again.",
      new Date(now.getTime() + retryMs),
    );
  await write(ctx, { system: "report" }, async (w) => {
    const outcome = { ...nothing, state: "failed", reason: "An internal error occurred." } as const;
    await store.finishRun(w.tx, run, outcome, now);
  });
}

const nothing = { days: null, locationIds: [], missing: null };

async function makeRun(ctx: Context, w: UnitOfWork, run: store.DueRun, shared: SharedReports): Promise<void> {
  const report = await store.findReportOfRun(w.tx, run.reportId);
  if (!report || report.is_deleted || (!run.isManual && (!report.is_enabled || report.stopped !== null)))
    return finish(ctx, w, run, { state: "skipped", reason: skipReasons.isOff });
  const creator = await loadCreator(w.tx, report.creator_id);
  if (!creator?.caller.permissions) return lose(ctx, w, run, report, "creatorGone");
  const { caller } = creator;
  const named = { ownerId: report.owner_id, locationIds: report.query.filters.ids };
  const may = report.is_weekly || (await mayManage(w.tx, caller, named));
  if (!may && !(await isLeftWithoutLocations(w, report))) return lose(ctx, w, run, report, "rightsGone");
  const data = await shared(caller, report.query, await daysOf(ctx, report, caller, run));
  const { summary, days } = data;
  if (summary.locations === 0) return finish(ctx, w, run, { state: "skipped", reason: skipReasons.noLocation, days });
  const isLate = ctx.clock.now() >= run.dueAt.getTime() + maxWaitMs;
  if (summary.pending.length > 0 && !run.isManual && !isLate) {
    const reason = `Waiting for the counts of ${several(summary.pending.length, "sensor", "sensors")}, for at most 6 hours.`;
    const nowMs = ctx.clock.now();
    const waitMs = Math.min(recheckMs.most, Math.max(recheckMs.least, (nowMs - run.dueAt.getTime()) / 6));
    const latestMs = run.dueAt.getTime() + maxWaitMs;
    return store.postponeRun(w.tx, run.id, reason, new Date(Math.min(nowMs + waitMs, latestMs)));
  }
  await send(ctx, w, run, { creator, data });
}

/** Whether all locations that the report names were deleted. Then no rights are missing, but there is nothing to report. */
async function isLeftWithoutLocations(w: UnitOfWork, { query }: Stored): Promise<boolean> {
  const { ids } = query.filters;
  return ids !== undefined && (await store.countLiving(w.tx, ids)) === 0;
}

async function daysOf(ctx: Context, { schedule, query }: Stored, caller: Caller, run: store.DueRun) {
  const zone = schedule.zone === null ? ((await findFirstZone(ctx, caller)) ?? zoneOf(null)) : zoneOf(schedule.zone);
  return reportDays(query.range, zone.dayAt(run.dueAt.getTime()));
}

async function send(
  ctx: Context,
  w: UnitOfWork,
  run: store.DueRun,
  { creator, data }: { creator: Creator; data: ReportData },
): Promise<void> {
  // Waits for changes and for recipients who unsubscribe, which lock the report as well.
  const report = await lockReport(w.tx, run.reportId);
  const now = await loadCreator(w.tx, creator.login.id);
  if (!report || !now || rightsKey(now.caller) !== rightsKey(creator.caller)) throw new RightsChangedError();
  const recipients = (await findRecipients(w.tx, now.caller, report.id)).filter(
    ({ status }) => status === "confirmed" || (run.isManual && status === "refused"),
  );
  const { days, summary } = data;
  if (recipients.length === 0) return finish(ctx, w, run, { state: "skipped", reason: skipReasons.noRecipient, days });
  const owner = await getOwner(w.tx, report.owner_id);
  const about = { name: report.name, account: owner.name, query: report.query, zone: report.schedule.zone, data };
  const attachmentIds = await makeFiles(ctx, w, run, now.caller, about);
  const mails = recipients.map(({ email }) => {
    const unsubscribeUrl = createLink(ctx, "end", report.id, email);
    const { publicUrl } = ctx.config;
    return {
      to: email,
      ...reportMail({ ...about, publicUrl, unsubscribeUrl, isWeekly: report.is_weekly }),
      unsubscribeUrl,
      attachmentIds,
    };
  });
  const { ids } = await queueMails(ctx, w, mails, { bulk: true });
  await store.insertDeliveries(
    w.tx,
    run.id,
    recipients.map(({ email }, index) => ({ email, mailId: ids[index] ?? "" })),
  );
  const locationIds = summary.ranking.map(({ id }) => id);
  await finish(ctx, w, run, { state: "done", days, locationIds, missing: summary.pending.length });
}

async function makeFiles(ctx: Context, w: UnitOfWork, run: store.DueRun, caller: Caller, about: ReportedCounts) {
  const ids: string[] = [];
  for (const format of about.query.formats) {
    const id = await keepAttachment(ctx, w.tx, await createReportFile(ctx, caller, format, about));
    await store.insertFile(w.tx, run.id, format, id);
    ids.push(id);
  }
  return ids;
}

async function finish(
  ctx: Context,
  w: UnitOfWork,
  run: store.DueRun,
  outcome: Pick<store.Outcome, "state"> & Partial<store.Outcome>,
): Promise<void> {
  await store.finishRun(w.tx, run, { ...nothing, reason: null, ...outcome }, ctx.clock.date());
  await store.deleteOldRuns(w.tx, run.reportId);
  const report = await store.findReportOfRun(w.tx, run.reportId);
  if (!report) return;
  const owners = { ownerBefore: report.owner_id, ownerAfter: report.owner_id };
  publishEntity(w, { type: "report", op: "update", id: run.reportId, ...owners });
}

/** Stops the report and tells the owner's logins. A weekly report belongs to one login, so it only skips the run. */
async function lose(
  ctx: Context,
  w: UnitOfWork,
  run: store.DueRun,
  report: Stored,
  what: keyof typeof stopReasons,
): Promise<void> {
  if (report.is_weekly) return finish(ctx, w, run, { state: "skipped", reason: skipReasons.creatorGone });
  await store.stopReport(w.tx, report.id, stopReasons[what]);
  await finish(ctx, w, run, { state: "failed", reason: stopReasons[what] });
  const owner = { id: report.owner_id, path: report.owner_path };
  w.audit({
    action: "report-stopped",
    object: { type: "report", _id: report.id },
    owner,
    after: { stopped: stopReasons[what] },
  });
  const logins = await findCompleteLogins(w.tx, report.owner_id);
  const mail = stoppedMail({
    name: report.name,
    reason: stopReasons[what],
    link: `${ctx.config.publicUrl}/location/reports/${report.id}`,
  });
  await queueMails(
    ctx,
    w,
    logins.map(({ email }) => ({ to: email, ...mail })),
    { bulk: false },
  );
}
