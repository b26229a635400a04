// Runs of a report on demand: send now, preview, history and files.
import { errorCode } from "@psp/contract/errors.ts";
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { reportDays } from "@psp/contract/report/report-range.ts";
import type { ReportFormat, ReportRun } from "@psp/contract/report/report.ts";
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { lockOwned } from "../../owned/owned.store.ts";
import { findFirstZone } from "../creator.service.ts";
import { reports } from "../report.noun.ts";
import { reportReasons } from "../report.reasons.ts";
import { countEditable, countVisible, countVisibleSensors } from "../report.rights.ts";
import { findReport, mayEdit } from "../report.store.ts";
import { shareKey } from "./due.service.ts";
import { readReportData } from "./report-data.service.ts";
import { createReportFile } from "./report-files.service.ts";
import * as store from "./run.store.ts";

async function requireReport(ctx: Context, caller: Caller, id: string) {
  const report = await findReport(ctx.db, caller, id);
  if (!report) throw new AppError(errorCode.notFound);
  return report;
}

async function requireEditable(ctx: Context, caller: Caller, id: string) {
  const report = await requireReport(ctx, caller, id);
  if (!report.may_edit) throw new AppError(errorCode.noEdit, reportReasons.rights);
  return report;
}

/** Creates a run that does not wait for counts. The job executes it within a second. */
export async function sendNow(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    const report = await lockOwned(w.tx, reports, caller, id);
    if (!report) throw new AppError(errorCode.notFound);
    if (!(await mayEdit(w.tx, caller, id))) throw new AppError(errorCode.noEdit, reportReasons.rights);
    if (await store.hasDueRun(w.tx, id))
      throw new AppError(errorCode.invalidArgument, reportReasons.isRunning, { status: 409 });
    const runId = uuidv7(ctx.clock.now());
    const shared = shareKey({ ownerId: report.owner_id, query: report.query });
    const run = { id: runId, reportId: id, dueAt: ctx.clock.date(), isManual: true, shareKey: shared };
    if ((await store.insertRuns(w.tx, [run])).length === 0)
      throw new AppError(errorCode.invalidArgument, reportReasons.isRunning, { status: 409 });
    const owner = { id: report.owner_id, path: report.owner_path };
    w.audit({ action: "report-sent", object: { type: "report", _id: id }, owner, after: { run: runId } });
    return { _id: runId };
  });
}

/** With the rights of the caller, so that no one reads with the rights of the creator. */
export async function previewReport(ctx: Context, caller: Caller, id: string) {
  const { name, query, schedule, owner_name: account } = await requireReport(ctx, caller, id);
  const zone = schedule.zone === null ? ((await findFirstZone(ctx, caller)) ?? zoneOf(null)) : zoneOf(schedule.zone);
  const days = reportDays(query.range, zone.dayAt(ctx.clock.now()));
  const data = await readReportData(ctx, caller, query, days);
  return createReportFile(ctx, caller, "pdf", { name, account, query, zone: schedule.zone, data });
}

export async function listRuns(ctx: Context, caller: Caller, id: string): Promise<{ objects: ReportRun[] }> {
  await requireEditable(ctx, caller, id);
  const rows = await store.findRuns(ctx.db, id);
  return {
    objects: rows.map((row) => ({
      _id: row.id,
      at: row.dueAt.toISOString(),
      isManual: row.isManual,
      state: row.state,
      reason: row.reason,
      finishedAt: row.finishedAt?.toISOString() ?? null,
      first: row.firstDay === null ? null : dateOfDay(row.firstDay),
      last: row.lastDay === null ? null : dateOfDay(row.lastDay),
      locations: row.state === "done" ? row.locations : null,
      missing: row.missing,
      deliveries: row.deliveries,
      files: row.files as ReportRun["files"],
    })),
  };
}

/** Throws 310 unless the caller may still view every location and sensor in the file, and edit the locations with sales. */
export async function getFile(ctx: Context, caller: Caller, at: { id: string; run: string; format: ReportFormat }) {
  await requireEditable(ctx, caller, at.id);
  const file = await store.findFile(ctx.db, at.id, at.run, at.format);
  if (!file) throw new AppError(errorCode.notFound, reportReasons.noFile);
  const { locationIds, soldLocationIds, sensorIds, name, content } = file;
  if ((await countVisible(ctx.db, caller, locationIds, { withDeleted: true })) < locationIds.length)
    throw new AppError(errorCode.noView, reportReasons.hiddenLocations);
  if ((await countEditable(ctx.db, caller, soldLocationIds)) < soldLocationIds.length)
    throw new AppError(errorCode.noView, reportReasons.hiddenSales);
  if ((await countVisibleSensors(ctx.db, caller, sensorIds)) < sensorIds.length)
    throw new AppError(errorCode.noView, reportReasons.hiddenSensors);
  return { name, content };
}
