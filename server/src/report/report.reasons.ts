// Texts that explain refusals about reports, and why they stop or send nothing.
import { createOwnedReasons } from "../owned/owned.reasons.ts";

export const reportReasons = {
  ...createOwnedReasons("measurement", { one: "report", many: "reports" }),
  rights: {
    reason: "This needs the right to edit the account that owns the report, or all locations that the report names.",
  },
  tooManyAsked: (left: number, max: number) => ({
    reason: `Addresses that are no login of the account must confirm by email, and an account can ask ${max} addresses a day. Today you can add ${left} more.`,
  }),
  isRunning: { reason: "The report is being made. Wait until it is finished." },
  hiddenLocations: { reason: "The file contains locations that you may not view." },
  noFile: { reason: "The file is no longer kept." },
};

export const stopReasons = {
  creatorGone: "The login that made this report no longer exists or has no rights. Save the report to make it yours.",
  rightsGone: "The login that made this report may no longer edit the report. Save the report to make it yours.",
} as const;

export const skipReasons = {
  creatorGone: "The login no longer exists or has no rights.",
  noLocation: "No location matches the filters of the report any more.",
  noRecipient: "No recipient has confirmed the address, or all have unsubscribed.",
  isOff: "The report was turned off.",
  tooLarge: "A file of the report would be too large for an email. Narrow the filters or leave the file out.",
} as const;
