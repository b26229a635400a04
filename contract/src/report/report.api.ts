// API calls for scheduled reports.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idResponse } from "../kit/id-reply.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { idFilter, pageQuery, textFilter } from "../kit/page.ts";
import { newReportSchema, reportChangeSchema, reportFormats, reportRunSchema, reportSchema } from "./report.ts";

const report = ownedCalls("Report", "/report", uuid, reportSchema);
const params = report.byId;

export const reportListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "nextAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
});

export const listReports = report.list("listReports", reportListQuery, "Scheduled reports that the caller may view");
export const getReport = report.get("One scheduled report");
export const createReport = report.create(
  newReportSchema,
  "Creates a scheduled report that runs with the rights of the caller; recipients without a login in the owner account or below confirm by a mailed link",
);
export const updateReport = report.update(
  reportChangeSchema,
  "Changes a scheduled report; from then on it runs with the rights of the caller",
);
export const deleteReport = report.remove("Deletes a scheduled report with its runs and files");

export const sendReport = endpoint("sendReport", "POST", "/report/{id}/send", {
  perMinute: 6,
  summary: "Generates the report now and mails it to its confirmed recipients; the response has the id of the run",
  params,
  reply: idResponse,
});
export const previewReport = endpoint("previewReport", "GET", "/report/{id}/preview", {
  perMinute: 20,
  binary: true,
  summary: "The report as a PDF with the rights of the caller; nothing is sent",
  params,
  reply: z.string(),
});
export const listReportRuns = endpoint("listReportRuns", "GET", "/report/{id}/runs", {
  summary: "The last 50 runs of a report, newest first; only for those who may edit it",
  params,
  reply: z.object({ objects: z.array(reportRunSchema) }),
});
export const getReportFile = endpoint("getReportFile", "GET", "/report/{id}/runs/{run}/files/{format}", {
  binary: true,
  summary: "A file of a run, for those who may edit the report and view all locations and sensors in it",
  params: z.strictObject({ id: uuid, run: uuid, format: z.enum(reportFormats) }),
  reply: z.string(),
});
