// Declares reports as an owned noun and a live source. Live messages omit recipients.
import type { Report } from "@psp/contract/report/report.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { reportReasons } from "./report.reasons.ts";
import { findReport, findReportsForLive, type ReportRow, reportTable } from "./report.store.ts";
import { reportTrail, toReport } from "./report.wire.ts";

export const reports: OwnedNoun<"report", ReportRow, Report> = {
  ...reportTable,
  type: "report",
  rights: "measurement",
  reasons: reportReasons,
  find: (_ctx, reader, caller, id) => findReport(reader, caller, id),
  toWire: toReport,
  trail: reportTrail,
};

export const reportLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "measurement",
    load: (ids) => findReportsForLive(ctx.db, ids),
    render: (row) => toReport(ctx, row),
  });
