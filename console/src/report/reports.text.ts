// Texts of the reports list, its dialogs and the history of a report.
import type { Grouping } from "@psp/contract/counts/counts.query.ts";
import type { RecipientStatus, ReportContent, ReportFormat, RunState } from "@psp/contract/report/report.ts";
import type { ReportRange } from "@psp/contract/report/report-range.ts";
import { ownedText } from "../entity/page/owned.text.ts";

const several = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const reportsText = {
  ...ownedText("report", "reports"),
  search: "Search by name",
  name: "Name",
  create: "Create report",
  noneText: "A report emails the counts of your locations every day, week or month, with a PDF that you can forward.",
  nameRequired: "Enter a name",
  ownerRequired: "Choose an owner",
  recipientsRequired: "Enter at least one email address",
  recipientInvalid: (email: string) => `${email} is not an email address`,
  tooManyRecipients: "At most 50 email addresses",
  contentRequired: "Choose at least one part",
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the report ${name} owned by ${owner}. This also deletes its history and files. Are you sure?`,
  schedule: "Schedule",
  recipients: "Recipients",
  recipientsHint:
    "Separate email addresses with commas. Addresses without a login in this account first get a link to confirm that they want the report.",
  recipientCount: (n: number) => several(n, "recipient", "recipients"),
  statuses: {
    confirmed: "gets the report",
    waiting: "has not confirmed yet",
    ended: "has unsubscribed",
    refused: "can't be reached",
  } satisfies Record<RecipientStatus, string>,
  lastRun: "Last run",
  nextRun: "Next run",
  status: "Status",
  on: "On",
  off: "Off",
  stopped: "Stopped",
  never: "–",
  range: "Period",
  ranges: {
    yesterday: "Yesterday",
    lastWeek: "Last week",
    lastMonth: "Last month",
    monthToDate: "This month until yesterday",
  } satisfies Record<ReportRange, string>,
  compare: "Compare with",
  comparisons: { previous: "Previous", year: "Year before", none: "Nothing" },
  groupBy: "Group by",
  groupings: { none: "None", tag: "Tag", owner: "Owner", country: "Country" } satisfies Record<
    Grouping | "none",
    string
  >,
  /** What the list of locations becomes. */
  groupingHints: {
    none: undefined,
    tag: "The PDF and the files list tags instead of locations. A location with several tags counts for each of them.",
    owner: "The PDF and the files list owners instead of locations.",
    country: "The PDF and the files list countries instead of locations.",
  } satisfies Record<Grouping | "none", string | undefined>,
  every: "How often",
  everyWords: { day: "Every day", week: "Every week", month: "Every month" },
  on_: "On",
  dayOfMonth: "Day of the month",
  dayOfMonthHint: "In shorter months, the last day",
  at: "At",
  zone: "Time zone",
  zoneOfLocation: "Zone of the first location",
  weekdays: {
    mo: "Monday",
    tu: "Tuesday",
    we: "Wednesday",
    th: "Thursday",
    fr: "Friday",
    sa: "Saturday",
    su: "Sunday",
  },
  content: "Content",
  contents: {
    summary: "Summary",
    chart: "Chart",
    ranking: "Locations",
    gaps: "Gaps",
  } satisfies Record<ReportContent, string>,
  formats: { pdf: "PDF", xlsx: "Excel file", csv: "CSV file" } satisfies Record<ReportFormat, string>,
  open: "Opening hours only",
  enabled: "Send this report",
  locations: "Locations",
  allLocations: "All locations",
  reportOnAll: "Report on all locations",
  filters: {
    ids: (n: number) => several(n, "selected location", "selected locations"),
    name: (name: string) => `name or tag contains “${name}”`,
    tag: (tags: string) => `with the tags ${tags}`,
    tagAny: (tags: string) => `with one of the tags ${tags}`,
    ownerID: (n: number) => `of ${several(n, "account", "accounts")}`,
    country: (countries: string) => `in ${countries}`,
    occupancy: (has: boolean) => (has ? "with occupancy measurement" : "without occupancy measurement"),
  },
  prefilledName: (range: ReportRange) =>
    range === "yesterday" ? "Daily numbers" : range === "lastWeek" ? "Weekly numbers" : "Monthly numbers",
  runs: "Runs",
  runsLoadFailed: "The runs could not be loaded",
  noRuns: "No runs yet",
  noRunsText: "This report has not been due yet. Use “Send now” to send it right away.",
  sendNow: "Send now",
  sendNowOf: (name: string) => `Send ${name} now`,
  sending: (name: string) => `${name} is being generated and sent`,
  sendFailed: "The report could not be sent",
  preview: "Preview PDF",
  noEdit: "To send this report, you need permission to edit it",
  manual: "sent manually",
  states: {
    due: "In progress",
    done: "Sent",
    skipped: "Not sent",
    failed: "Failed",
  } satisfies Record<RunState, string>,
  deliveries: (sent: number, queued: number, refused: number) =>
    [
      ...(sent > 0 ? [`sent to ${several(sent, "recipient", "recipients")}`] : []),
      ...(queued > 0 ? [`${queued} waiting for the mail server`] : []),
      ...(refused > 0 ? [`${refused} refused`] : []),
    ].join(", "),
  refusal: (email: string, reason: string | null) => `${email}: ${reason ?? "refused by the mail server"}`,
  missing: (n: number) => `Counts of ${several(n, "sensor", "sensors")} were still missing.`,
  file: (format: string, day: string) => `${format.toUpperCase()} of ${day}`,
} as const;
