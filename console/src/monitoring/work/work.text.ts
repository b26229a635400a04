// Texts of open issues and of work on them.
import type { IssueType } from "@psp/contract/monitoring/issue-words.ts";
import { paths } from "../../address/paths.ts";
import { formatCount, formatNumber } from "../../ui/text/numbers.ts";

const counted = (count: number) => formatCount(count, "issue");

export const workText = {
  title: "Issues",
  counted,
  loadFailed: "The issues could not be loaded",
  noneTitle: "Nothing needs attention",
  noneText: "Open warnings and errors of your sensors appear here.",
  noMatchTitle: "No issues found",
  noMatchText: "No open issues match the filters.",
  showAll: "Show all issues",
  noneExistTitle: "Nothing needs attention",
  noneExistText: "Open warnings and errors of your sensors appear here.",
  deniedTitle: "No permission to view issues",
  denied: "You need the right to view sensors.",

  issue: "Issue",
  owner: "Owner",
  ownerAny: "Any",
  location: "Location",
  since: "Since",
  assignee: "Assigned to",
  noAssignee: "–",
  notes: "Notes",
  noteCount: (count: number) => formatCount(count, "note"),
  tags: "Location tags",
  tagsHint: "All tags must match",
  age: "Age",
  ages: [
    ["1h", "Longer than 1 h"],
    ["24h", "Longer than 24 h"],
    ["7d", "Longer than 7 d"],
  ] as const,
  assignees: [
    ["me", "Me"],
    ["none", "No one"],
  ] as const,
  snoozed: "Snoozed",
  snoozedOnly: "Snoozed only",
  notSnoozed: "Hide snoozed",
  snoozedUntil: (at: string) => `Snoozed until ${at}`,

  assign: "Assign",
  note: "Add note",
  snooze: "Snooze",
  acknowledge: "Acknowledge",
  of: (action: string, what: string) => `${action}: ${what}`,
  titles: {
    assign: (count: number) => `Assign ${counted(count)}`,
    note: (count: number) => `Add a note to ${counted(count)}`,
    snooze: (count: number) => `Snooze ${counted(count)}`,
  },
  noWork: "You have no permission to edit sensors.",
  assigneeLabel: "Assign to",
  assigneeHint: "Leave empty to remove the assignment. Anyone else you choose is notified by email.",
  noteLabel: "Note",
  noteOptional: "Note (optional)",
  noteMissing: "Enter a note.",
  noteTooLong: (max: number) => `Enter at most ${formatNumber(max)} characters.`,
  noteLimit: (max: number) => `A note can be added to at most ${formatNumber(max)} issues at once.`,
  snoozeHint: "Hides the issue until then, unless it gets worse. Emails and the log are not affected.",
  until: "Until",
  tomorrow: "Tomorrow, 8:00",
  week: "In a week, 8:00",
  date: "Pick a date",
  end: "End the snooze",
  dateLabel: "Date",
  dateWrong: "Choose a date from tomorrow to one year ahead.",
  choose: "Choose when the snooze ends.",
  failed: "The issue could not be changed.",
  saved: {
    assign: (count: number) => `${counted(count)} assigned`,
    note: (count: number) => `Note added to ${counted(count)}`,
    snooze: (count: number) => `${counted(count)} snoozed`,
  },
  undo: "Undo",
  undone: (count: number) => `Change undone for ${counted(count)}`,
  undoFailed: (count: number) => `${counted(count)} could not be restored`,

  next: "What to do",
  work: "Work on this issue",
  notAssigned: "No one",
  notSnoozedNow: "No",
  noNotes: "No notes yet",
  someone: "Someone you can't view",
} as const;

type Advice = { text: string; link: string; to: (sensor: string, location: string | null) => string };

const onSensor = (tab: string) => (sensor: string) => paths.sensorDestination(sensor, tab);
const settings = (sensor: string, location: string | null) =>
  location === null ? paths.sensorDestination(sensor, "monitoring") : paths.locationTab(location, "monitoring");

export const advice: Record<IssueType, Advice> = {
  connection: {
    text: "Check power and network where the sensor is mounted, and whether a firewall blocks it.",
    link: "Open the sensor",
    to: onSensor("general"),
  },
  plauzibilization: {
    text: "Compare the counts with earlier weeks; if the location was closed, enter its opening hours.",
    link: "Compare counts",
    to: onSensor("counts"),
  },
  osd: {
    text: "Clean the lens, remove what covers it, and check the lighting.",
    link: "Look at the sensor's view",
    to: onSensor("general"),
  },
  uptime: {
    text: "Check whether the sensor loses power, for example at night; if that is intended, change the thresholds.",
    link: "Open monitoring settings",
    to: settings,
  },
  reboot: {
    text: "Check the power supply, then install the latest firmware.",
    link: "Open firmware",
    to: onSensor("firmware"),
  },
  watchdog: {
    text: "Install the latest firmware; if the resets continue, contact support.",
    link: "Open firmware",
    to: onSensor("firmware"),
  },
  clock: {
    text: "Check that the sensor can reach its time server; until then, its counts are stored for the wrong time.",
    link: "Open network settings",
    to: onSensor("network"),
  },
  data: {
    text: "See why records were rejected, then install the latest firmware.",
    link: "Open the sensor",
    to: onSensor("general"),
  },
  identity: {
    text: "Find the second device that uses this identity, and disconnect it.",
    link: "Open the sensor",
    to: onSensor("general"),
  },
};
