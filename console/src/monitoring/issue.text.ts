// Texts about issues in lists, dialogs and on the dashboard; some are fixed: docs/rules/monitoring.md#fixed-texts
import type { IssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

const counted = (count: number) => formatCount(count, "entry", "entries");

export { issueTypeLabels } from "@psp/contract/monitoring/issue-words.ts";

export const issueStatusLabels: Record<IssueStatus, string> = { Ok: "Ok", Warning: "Warning", Error: "Error" }; // fixed

export const issueText = {
  title: "Monitoring Logs", // fixed
  counted,
  loadFailed: "The monitoring logs could not be loaded",
  noneTitle: "No entries yet",
  noneText: "Monitoring adds an entry whenever the status of a check changes.",
  noMatchTitle: "No entries found",
  noMatchText: "No entries found for the given filter criteria.",
  showAll: "Show all entries",

  created: "Date Created", // fixed
  type: "Issue Type", // fixed
  message: "Message", // fixed
  sensor: "Sensor", // fixed
  acknowledged: "Acknowledged", // fixed
  status: "Status", // fixed
  any: "Any",
  presets: { 7: "Last 7 days", 30: "Last 30 days", 90: "Last 90 days" }, // fixed
  from: "From",
  to: "To",
  acknowledgedIs: { true: "acknowledged", false: "unacknowledged" }, // fixed
  rowName: (type: string, sensor: string, at: string) => `${type} of ${sensor}, ${at}`,

  setAcknowledged: "Set acknowledged", // fixed
  acknowledgeTitle: (counted: string) => `Acknowledge ${counted}`,
  acknowledgeQuestion:
    "Acknowledging shows others that someone knows about the problem. You can't undo this. Only warnings and errors can be acknowledged; anything else is not changed.",
  noAcknowledge: "You have no permission to acknowledge issues.",
  acknowledgeFailed: "The issue could not be acknowledged.",
} as const;

export const issueDialogText = {
  location: "Location",
  since: "Since",
  over: "No longer current",
  holds: "Current state",
  noAcknowledging: "Nothing to acknowledge",
  unacknowledged: "Not yet",
  acknowledged: (at: string) => `At ${at}`,
  acknowledgedBy: (name: string, at: string) => `By ${name} at ${at}`,
  mails: "Emails",
  mailed: (to: string, at: string) => `Email sent to ${to} on ${at}`,
  mailedOnce: (to: string) => `Email sent to ${to}`,
  mailWaits: (to: string) => `Email to ${to} is waiting to be sent`,
  mailWaitsUntil: (to: string, at: string) => `Email to ${to} scheduled for ${at}`,
  mailDropped: (to: string, reason: string) => `Email to ${to} not sent: ${reason}`,
  notMailed: (reason: string) => `No email sent: ${reason}`,
  noReason: "for an unknown reason",
  none: "None",
  unknown: "Unknown",
  close: "Close",
  loadFailed: "The issue could not be loaded",
  gone: "This issue doesn't exist, or you can't view it.",
  facts: "Measurements",

  time: "Time",
  day: "Day",
  showTable: "Show table",
  showChart: "Show chart",
  plausibility: "Daily totals",
  total: "Total",
  usual: "Usual for this weekday",
  usualRange: (low: string, high: string) => `${low}–${high}`,
  median: "Median",
  outside: "Unusual",
  uptime: "Uptime per day in hours",
  hours: "Hours",
  wanted: (hours: string) => `At least ${hours} h on average`,
  mean: (hours: string) => `The average over these days is ${hours} h.`,
  events: { reboot: "Reboots in 24 hours", watchdog: "Watchdog resets in 24 hours" },
  count: "Count",
  eventsSum: (count: number, threshold: number) =>
    `${formatNumber(count)} in 24 hours; the threshold is ${formatNumber(threshold)}.`,
  span: { connection: "Offline", osd: "View obstructed" },
  spanOf: (length: string) => `for ${length} at that time`,
  code: "Reported code",
  clock: (length: string, isAhead: boolean) => `${length} ${isAhead ? "ahead" : "behind"}`,
  rejected: (reason: string, count: number) => `${formatNumber(count)} × ${reason}`,
  restarted: "Record numbers restarted",
  identity: (takeovers: number, one: string, other: string) =>
    `${formatNumber(takeovers)} takeovers, most recently from ${one} to ${other}`,
  event: "Event",
  spanBegan: { connection: "Last contact", osd: "Obstruction began" },
  spanNoted: "Entry created",
} as const;

export const openIssuesText = {
  title: "Sensors with issues", // fixed
  sensor: "Sensor", // fixed
  issues: "Issues", // fixed
  include: "include acknowledged unresolved issues", // fixed
  all: "Show all in the sensor list",
  empty: "No sensor has issues",
  emptyText: "Warnings and errors of monitored sensors appear here.",
  loadFailed: "The sensors with issues could not be loaded",
  one: (type: string, status: string) => `${type} · ${status}`,
  chip: (count: number) => formatCount(count, "open issue"),
} as const;
