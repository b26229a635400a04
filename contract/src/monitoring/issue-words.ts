// Issue types and statuses without zod, because lists load them.

/** Types of issues that monitoring finds, which requires a license. The misspelling is part of the API. */
export const monitoredIssueTypes = ["connection", "plauzibilization", "osd", "uptime", "reboot", "watchdog"] as const;
/** Types of issues that are reported for every sensor, without license, configuration or mails. */
export const deviceIssueTypes = ["clock", "data", "identity"] as const;
export const issueTypes = [...monitoredIssueTypes, ...deviceIssueTypes] as const;
export type IssueType = (typeof issueTypes)[number];
/** On screens and in mails. */
export const issueTypeLabels: Record<IssueType, string> = {
  connection: "Connection",
  plauzibilization: "Data plausibility", // fixed
  osd: "OSD",
  uptime: "Uptime",
  reboot: "Reboot",
  watchdog: "Watchdog",
  clock: "Clock",
  data: "Data",
  identity: "Identity",
};
export const issueStatuses = ["Ok", "Warning", "Error"] as const;
export type IssueStatus = (typeof issueStatuses)[number];
export const openIssueStatuses = ["Warning", "Error"] as const;
export type OpenIssueStatus = (typeof openIssueStatuses)[number];
/** Sort order (docs/rules/monitoring.md#issues). */
export const issueSeverity: Record<IssueStatus, number> = { Ok: 1, Warning: 2, Error: 3 };
/** Choices of the filter by age. */
export const issueAges = ["1h", "24h", "7d"] as const;
export type IssueAge = (typeof issueAges)[number];
export const maxNoteLength = 2000;
/** Issues that get a note at once. Each stores its own copy of the text. */
export const maxNotesAtOnce = 1000;
export const maxSnoozeDays = 366;
