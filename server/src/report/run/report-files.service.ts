// Makes the files of a report, one per format.
import type { ReportFormat, ReportQuery } from "@psp/contract/report/report.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import type { AttachedFile } from "../../mail/outbox.ts";
import { createReportPdf } from "../pdf/report-pdf.service.ts";
import type { ReportData } from "./report-data.service.ts";
import { fileNameOf } from "./report-mail.rules.ts";

export type ReportedCounts = {
  name: string;
  account: string;
  query: ReportQuery;
  zone: string | null;
  data: ReportData;
};

type Maker = (ctx: Context, caller: Caller, about: ReportedCounts) => Promise<AttachedFile>;

/** Every format that the schema accepts has a maker. The caller is the creator, or the reader of a preview. */
const makers: Record<ReportFormat, Maker> = {
  async pdf(ctx, _caller, about) {
    const content = await createReportPdf({ ...about, createdAt: ctx.clock.date() });
    return { name: fileNameOf(about.name, about.data.days, "pdf"), contentType: "application/pdf", content };
  },
};

export const createReportFile = (ctx: Context, caller: Caller, format: ReportFormat, about: ReportedCounts) =>
  makers[format](ctx, caller, about);
