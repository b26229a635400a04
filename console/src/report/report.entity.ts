// Calls, texts and rights of reports. Only those who may edit a report get its recipients.
import * as api from "@psp/contract/report/report.api.ts";
import type { Report } from "@psp/contract/report/report.ts";
import { paths } from "../address/paths.ts";
import { defineEntity } from "../entity/entity.ts";
import { reportsText } from "./reports.text.ts";

export const mayEditReport = ({ recipients }: Report) => recipients !== undefined;

export const report = defineEntity({
  type: "report",
  calls: {
    list: api.listReports,
    get: api.getReport,
    create: api.createReport,
    update: api.updateReport,
    remove: api.deleteReport,
  },
  text: reportsText,
  nameOf: ({ name }) => name,
  paths: { list: paths.reports, remove: paths.deleteReport },
  rights: {
    type: "measurement",
    owners: "editable",
    edit: (_can, row) => mayEditReport(row),
    remove: (_can, row) => mayEditReport(row),
  },
});
