// Makes the files of a report, one per format.
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import type { FileFormat } from "@psp/contract/counts/counts-file.api.ts";
import type { ReportFormat, ReportQuery } from "@psp/contract/report/report.ts";
import type { Context } from "../../context.ts";
import { createCountsFile } from "../../counts/file/attached.service.ts";
import type { Caller } from "../../kit/caller.ts";
import { fileTypes } from "../../kit/row-stream.ts";
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

/** Files of one mail together; larger mails are refused by many mail servers. */
const maxBytes = 10_000_000;

/** Thrown for files that are too large for a mail. */
export class FileTooLargeError extends Error {}

/** The same file as `GET /data/v2/counts/file` in the long layout. The run checks the rights again before it commits. */
async function readCountsFile(
  ctx: Context,
  caller: Caller,
  format: FileFormat,
  about: ReportedCounts,
): Promise<Buffer> {
  const { query, data } = about;
  const range = `${dateOfDay(data.days.first)},${dateOfDay(data.days.last)}`;
  const { by } = data;
  const { groupBy, open } = query;
  const compare = query.compare ?? undefined;
  const asked = { format, layout: "long", range, by, compare, groupBy, open, style: "people" } as const;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await createCountsFile(
    ctx,
    caller,
    { ...asked, ...query.filters },
    { omitSales: !query.content.includes("sales") },
  )) {
    const bytes = Buffer.from(chunk as Buffer);
    size += bytes.length;
    if (size > maxBytes) throw new FileTooLargeError();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const countsMaker =
  (format: FileFormat): Maker =>
  async (ctx, caller, about) => ({
    name: fileNameOf(about.name, about.data.days, format),
    contentType: fileTypes[format],
    content: await readCountsFile(ctx, caller, format, about),
  });

/** Every format that the schema accepts has a maker. The caller is the creator, or the reader of a preview. */
const makers: Record<ReportFormat, Maker> = {
  async pdf(ctx, _caller, about) {
    const content = await createReportPdf({ ...about, createdAt: ctx.clock.date() });
    return { name: fileNameOf(about.name, about.data.days, "pdf"), contentType: "application/pdf", content };
  },
  xlsx: countsMaker("xlsx"),
  csv: countsMaker("csv"),
};

export const createReportFile = (ctx: Context, caller: Caller, format: ReportFormat, about: ReportedCounts) =>
  makers[format](ctx, caller, about);

/** All files of a mail. Throws FileTooLargeError if they are too large together. */
export async function createReportFiles(ctx: Context, caller: Caller, about: ReportedCounts) {
  const files: { format: ReportFormat; file: AttachedFile }[] = [];
  let size = 0;
  for (const format of about.query.formats) {
    const file = await createReportFile(ctx, caller, format, about);
    size += file.content.length;
    if (size > maxBytes) throw new FileTooLargeError();
    files.push({ format, file });
  }
  return files;
}
