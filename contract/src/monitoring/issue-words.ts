// Types and statuses of issues, in the words of the API; free of schemas, lists show them.

/** Issues that monitoring finds by the configuration of a licensed sensor, spelled as the wire has always spelled them. */
export const monitoredTypes = ["connection", "plauzibilization", "osd", "uptime", "reboot", "watchdog"] as const;
/** Issues of the device itself, of any sensor: no license, no configuration, no mails. */
export const deviceIssueTypes = ["clock", "data", "identity"] as const;
export const issueTypes = [...monitoredTypes, ...deviceIssueTypes] as const;
export type IssueType = (typeof issueTypes)[number];
export const issueStatuses = ["Ok", "Warning", "Error"] as const;
export type IssueStatus = (typeof issueStatuses)[number];
/** Those that are issues: Ok is none. */
export const openStatuses = ["Warning", "Error"] as const;
export type OpenStatus = (typeof openStatuses)[number];
/** The order of statuses in lists (docs/rules/monitoring.md#issues). */
export const issueWeights: Record<IssueStatus, number> = { Ok: 1, Warning: 2, Error: 3 };
