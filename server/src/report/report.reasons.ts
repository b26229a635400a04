// Texts that explain refusals about reports, and why reports stop or send nothing.
import { maxReportsPerOwner } from "@psp/contract/report/report.ts";
import { createOwnedReasons } from "../owned/owned.reasons.ts";

export const reportReasons = {
  ...createOwnedReasons("measurement", { one: "report", many: "reports" }),
  rights: {
    reason: "You need the right to edit the account that owns the report, or all locations that the report names.",
  },
  newRights: {
    reason:
      "You need the right to edit the account that owns the report. For your own account, the right to edit all locations that the report names is enough.",
  },
  tooMany: { reason: `An account can own at most ${maxReportsPerOwner} reports.` },
  tooManyAsked: (left: number, max: number) => ({
    reason: `Addresses without a login in the account must confirm by email. An account can ask at most ${max} addresses within 24 hours, so you can add ${left} more now.`,
  }),
  isRunning: { reason: "The report is already being generated. Wait until it is finished." },
  hiddenSensors: { reason: "The file names sensors that you can't view." },
  hiddenSales: { reason: "The file contains sales of locations that you can't edit." },
  hiddenLocations: { reason: "The file contains locations that you can't view." },
  noFile: { reason: "The file does not exist. Files of reports are kept for 30 days." },
};

export const stopReasons = {
  creatorGone:
    "The login that last saved this report no longer exists or has no rights. Save the report to restart it with your rights.",
  rightsGone:
    "The login that last saved this report can no longer edit it. Save the report to restart it with your rights.",
} as const;

export const skipReasons = {
  creatorGone: "The login no longer exists or has no rights.",
  noLocation: "No location matches the filters of the report.",
  noRecipient: "No recipient has confirmed, or all have unsubscribed.",
  isOff: "The report was turned off.",
  tooLarge: "The files of the report would be too large to email. Narrow the filters or remove files from the report.",
} as const;
