// Makes one due run of a report: reads the counts, and stores files, mails and the outcome in one transaction, if nothing changed.
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
import { maxGaps } from "../pdf/report-pdf.service.ts";
import { createLink } from "../recipient/recipient.service.ts";
import { findRecipients } from "../recipient/recipient.store.ts";
import { skipReasons, stopReasons } from "../report.reasons.ts";
import { lockReport } from "../report.store.ts";
import type { ReportData, SharedReports } from "./report-data.service.ts";
import { createReportFiles, FileTooLargeError } from "./report-files.service.ts";
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
    // The run stays due, and the next attempt uses the report and the rights of then.
    if (!(error instanceof RightsChangedError)) await noteFailure(ctx, claimed, error);
    return true;
  }
}

/** Thrown to roll back the transaction, because the report or the rights changed meanwhile; the run stays due. */
class RightsChangedError extends Error {}

/** Whether a limit was exceeded, which would happen again in a later attempt. */
const isTooLarge = (error: unknown) =>
  error instanceof FileTooLargeError || (error instanceof AppError && error.code === errorCode.invalidArgument);

async function noteFailure(ctx: Context, run: store.DueRun, error: unknown): Promise<void> {
  const isFinal = isTooLarge(error);
  if (!isFinal) ctx.log.error({ err: error, report: run.reportId, run: run.id }, "a report was not made");
  const now = ctx.clock.date();
  await write(ctx, { system: "report" }, async (w) => {
    // The claim ended with the transaction that failed, so another lane may make the run now, or have finished it.
    if (!(await store.claimAgain(w.tx, run.id))) return;
    if (isFinal) return finish(ctx, w, run, { state: "failed", reason: skipReasons.tooLarge });
    if (now.getTime() >= run.dueAt.getTime() + maxWaitMs)
      return finish(ctx, w, run, { state: "failed", reason: "An internal error occurred." });
    const reason = "An internal error occurred. The server will try again.";
    await store.postponeRun(w.tx, run.id, reason, new Date(now.getTime() + retryMs));
  });
}

const nothing = { days: null, locationIds: [], soldLocationIds: [], sensorIds: [], missing: null };

async function makeRun(ctx: Context, w: UnitOfWork, run: store.DueRun, shared: SharedReports): Promise<void> {
  const report = await store.findReportOfRun(w.tx, run.reportId);
  if (!report || report.is_deleted || (!run.isManual && (!report.is_enabled || report.stopped !== null)))
    return finish(ctx, w, run, { state: "skipped", reason: skipReasons.isOff });
  const creator = await loadCreator(w.tx, report.creator_id);
  if (!creator?.caller.permissions) return lose(ctx, w, run, { report, creator, what: "creatorGone" });
  const { caller } = creator;
  const named = { ownerId: report.owner_id, locationIds: report.query.filters.ids };
  const may = (await isForItself(w, report, creator)) || (await mayManage(w.tx, caller, named));
  if (!may && !(await isLeftWithoutLocations(w, report)))
    return lose(ctx, w, run, { report, creator, what: "rightsGone" });
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
  await send(ctx, w, run, { report, creator, data });
}

/** A weekly report that no one but its creator gets needs no right to edit. */
async function isForItself(w: UnitOfWork, report: Stored, { login, caller }: Creator): Promise<boolean> {
  if (!report.is_weekly) return false;
  const [first, ...others] = await findRecipients(w.tx, caller, report.id);
  return others.length === 0 && (first === undefined || first.email === login.email.toLowerCase());
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

/**
 * Locks the report, so that changes and recipients who unsubscribe wait until the commit. Throws if it is no longer the one that was
 * read, or if its creator may see something else now. Turning a weekly report off does not raise its version.
 */
async function lockUnchanged(w: UnitOfWork, run: store.DueRun, read: Stored, creator: Creator | null): Promise<void> {
  const report = await lockReport(w.tx, run.reportId);
  const isSame =
    report?.version === read.version &&
    report.creator_id === read.creator_id &&
    report.stopped === read.stopped &&
    !report.is_deleted &&
    (run.isManual || report.is_enabled);
  if (!isSame) throw new RightsChangedError();
  const now = await loadCreator(w.tx, read.creator_id);
  const keyOf = (one: Creator | null) => (one === null ? null : rightsKey(one.caller));
  if (keyOf(now) !== keyOf(creator)) throw new RightsChangedError();
}

type Content = { report: Stored; creator: Creator; data: ReportData };

async function findReaders(w: UnitOfWork, run: store.DueRun, { report, creator }: Content) {
  const recipients = await findRecipients(w.tx, creator.caller, report.id);
  return recipients.filter(({ status }) => status === "confirmed" || (run.isManual && status === "refused"));
}

async function send(ctx: Context, w: UnitOfWork, run: store.DueRun, content: Content): Promise<void> {
  const { report, creator, data } = content;
  const { days, summary } = data;
  const owner = await getOwner(w.tx, report.owner_id);
  const about = { name: report.name, account: owner.name, query: report.query, zone: report.schedule.zone, data };
  // Made before the report is locked, because it takes seconds.
  const hasReaders = (await findReaders(w, run, content)).length > 0;
  const files = hasReaders
    ? await ctx.replica.read((db) => createReportFiles({ ...ctx, db }, creator.caller, about))
    : [];
  await lockUnchanged(w, run, report, creator);
  const recipients = hasReaders ? await findReaders(w, run, content) : [];
  if (recipients.length === 0) return finish(ctx, w, run, { state: "skipped", reason: skipReasons.noRecipient, days });
  const attachmentIds: string[] = [];
  for (const { format, file } of files) {
    const id = await keepAttachment(ctx, w.tx, file);
    await store.insertFile(w.tx, run.id, format, id);
    attachmentIds.push(id);
  }
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
  const soldLocationIds = summary.ranking.filter(({ sales }) => sales !== null).map(({ id }) => id);
  const sensorIds = report.query.content.includes("gaps") ? summary.blind.slice(0, maxGaps).map(({ id }) => id) : [];
  const missing = summary.pending.length;
  await finish(ctx, w, run, { state: "done", days, locationIds, soldLocationIds, sensorIds, missing });
}

async function finish(
  ctx: Context,
  w: UnitOfWork,
  run: store.DueRun,
  outcome: Pick<store.Outcome, "state"> & Partial<store.Outcome>,
): Promise<void> {
  if (!(await store.finishRun(w.tx, run, { ...nothing, reason: null, ...outcome }, ctx.clock.date()))) return;
  await store.deleteOldRuns(w.tx, run.reportId);
  const report = await store.findReportOfRun(w.tx, run.reportId);
  if (!report || report.is_deleted) return;
  const owners = { ownerBefore: report.owner_id, ownerAfter: report.owner_id };
  publishEntity(w, { type: "report", op: "update", id: run.reportId, ...owners });
}

/** Stops the report and tells the owner's logins. A weekly report belongs to one login, so it only skips the run. */
async function lose(
  ctx: Context,
  w: UnitOfWork,
  run: store.DueRun,
  { report, creator, what }: { report: Stored; creator: Creator | null; what: keyof typeof stopReasons },
): Promise<void> {
  await lockUnchanged(w, run, report, creator);
  if (report.is_weekly && what === "creatorGone")
    return finish(ctx, w, run, { state: "skipped", reason: skipReasons.creatorGone });
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
