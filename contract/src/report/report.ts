// Scheduled reports about counts by e-mail (docs/rules/reports.md).
import { z } from "zod";
import { emailSchema, ownerRefSchema } from "../account/account.ts";
import { bucketSizes, comparisons } from "../counts/count-range.ts";
import { groupBySchema } from "../counts/grouping.ts";
import { uuid } from "../kit/ids.ts";
import { textFilter } from "../kit/page.ts";
import { safeName } from "../kit/safe-text.ts";
import { reportRanges } from "./report-range.ts";
import { scheduleSchema } from "./schedule.ts";

export const maxRecipients = 50;
/** Weekly reports of logins are not counted. */
export const maxReportsPerOwner = 200;
export const maxReportLocations = 500;
const maxTags = 20;

/** As in the list of locations. Without filters, the report covers all locations that its creator may view. */
const filters = z.strictObject({
  ids: z.array(uuid).min(1).max(maxReportLocations).optional(),
  name: textFilter.optional(),
  tag: z.array(textFilter).max(maxTags).optional(),
  tagAny: z.array(textFilter).min(1).max(maxTags).optional(),
  ownerID: z.array(uuid).min(1).max(maxReportLocations).optional(),
  country: z.array(textFilter).min(1).max(maxReportLocations).optional(),
  occupancy: z.boolean().optional(),
});
export type ReportFilters = z.output<typeof filters>;

/** `sales` are included as far as the creator may edit the locations. */
export const reportContents = ["summary", "ranking", "chart", "gaps", "sales"] as const;
export type ReportContent = (typeof reportContents)[number];
export const reportFormats = ["pdf", "xlsx", "csv"] as const;
export type ReportFormat = (typeof reportFormats)[number];
export const reportLanguages = ["en"] as const;

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];
/** In lower case, so that all spellings of an address are one recipient. */
const recipients = z
  .array(emailSchema.transform((email) => email.toLowerCase()))
  .transform(unique)
  .refine((all) => all.length > 0, { error: "Enter at least one recipient" })
  .refine((all) => all.length <= maxRecipients, { error: `At most ${maxRecipients} recipients` });

const query = {
  filters,
  range: z.enum(reportRanges),
  /** Null: hours for one day, otherwise days. */
  by: z.enum(bucketSizes).nullable(),
  /** Only what lies within opening hours. */
  open: z.boolean(),
  compare: z.enum(comparisons).nullable(),
  /** What the ranking and the files of counts list: locations, or groups of them. */
  groupBy: groupBySchema,
  content: z.array(z.enum(reportContents)).min(1).max(reportContents.length).transform(unique),
  /** Empty: the numbers are in the mail only. */
  formats: z.array(z.enum(reportFormats)).max(reportFormats.length).transform(unique),
};
export const reportQuerySchema = z.object(query);
export type ReportQuery = z.output<typeof reportQuerySchema>;

const settings = {
  name: safeName(),
  ...query,
  schedule: scheduleSchema,
  language: z.enum(reportLanguages),
};

export const newReportSchema = z.strictObject({
  ...settings,
  owner: uuid,
  recipients,
  filters: filters.default({}),
  by: query.by.default(null),
  open: query.open.default(false),
  compare: query.compare.default("previous"),
  groupBy: query.groupBy.default("none"),
  content: query.content.default(["summary", "ranking", "chart", "gaps"]),
  formats: query.formats.default(["pdf"]),
  language: settings.language.default("en"),
  enabled: z.boolean().default(true),
});
export type NewReport = z.output<typeof newReportSchema>;

export const reportChangeSchema = z
  .strictObject({ ...settings, owner: uuid, recipients, enabled: z.boolean() })
  .partial();
export type ReportChange = z.output<typeof reportChangeSchema>;

/** `waiting`: asked to confirm, or not asked yet. `ended`: unsubscribed. `refused`: the mail server permanently refuses mails to it. */
export const recipientStatuses = ["confirmed", "waiting", "ended", "refused"] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** `due`: not finished yet. `skipped`: there was nothing to send, or no one to send it to. */
export const runStates = ["due", "done", "skipped", "failed"] as const;
export type RunState = (typeof runStates)[number];

export const reportSchema = z.object({
  _id: z.string(),
  owner: ownerRefSchema,
  ...settings,
  /** Included only for callers who may edit the report, never in live messages. */
  recipients: z.array(z.object({ email: z.string(), status: z.enum(recipientStatuses) })).optional(),
  recipientCount: z.int(),
  enabled: z.boolean(),
  /** Why the report has stopped until someone saves it again; null if it has not. */
  stopped: z.string().nullable(),
  /** Whether it is the weekly report that a login switches on in its own account. */
  isWeekly: z.boolean(),
  /** The account with whose rights it is made; null if it is gone or not visible. Not in live messages. */
  creator: z.object({ _id: z.string(), name: z.string() }).nullable().optional(),
  /** Null while it is switched off or stopped. */
  nextAt: z.string().nullable(),
  lastRun: z.object({ at: z.string(), state: z.enum(runStates) }).nullable(),
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Report = z.output<typeof reportSchema>;

export const deliveryStates = ["queued", "sent", "refused"] as const;

export const reportRunSchema = z.object({
  _id: z.string(),
  /** When it was due, or when someone asked for it. */
  at: z.string(),
  isManual: z.boolean(),
  state: z.enum(runStates),
  /** Why it waits, was skipped or failed. */
  reason: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** The first and last day that it covers. */
  first: z.string().nullable(),
  last: z.string().nullable(),
  locations: z.int().nullable(),
  /** Sensors whose counts were still missing. */
  missing: z.int().nullable(),
  deliveries: z.array(z.object({ email: z.string(), state: z.enum(deliveryStates), reason: z.string().nullable() })),
  /** Kept for 30 days. */
  files: z.array(z.object({ format: z.enum(reportFormats), name: z.string(), size: z.int() })),
});
export type ReportRun = z.output<typeof reportRunSchema>;
