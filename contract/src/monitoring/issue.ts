// Issues found by monitoring, stored as datapoints of type monitoringStatus, and their details (docs/rules/monitoring.md#issues).
import { z } from "zod";
import { datapointSchema } from "../datapoint/datapoint.ts";
import { issueStatuses, issueTypes } from "./issue-words.ts";

export const issueSchema = datapointSchema.extend({
  type: z.literal("monitoringStatus"),
  sens: z.string(),
  data: z.object({
    issueType: z.enum(issueTypes),
    issueStatus: z.enum(issueStatuses),
    issueMessage: z.string(),
    acknowledgedAt: z.string().nullable(),
  }),
});
export type Issue = z.output<typeof issueSchema>;

const nameRef = z.object({ _id: z.string(), name: z.string() });

/** An open issue; `measurement` is null if there is no location or the caller may not see it. */
export const problemSchema = issueSchema.extend({ measurement: nameRef.nullable() });
export type Problem = z.output<typeof problemSchema>;

/** A login that an issue is assigned to, and its account. */
export const assigneeSchema = z.object({
  _id: z.string(),
  email: z.string(),
  account: z.object({ _id: z.string(), name: z.string() }),
});
export type Assignee = z.output<typeof assigneeSchema>;

/** `by` is null if the caller may not view the author's account, `email` if the login was deleted. */
export const issueNoteSchema = z.object({
  _id: z.string(),
  text: z.string(),
  at: z.string(),
  by: z.object({ _id: z.string(), name: z.string(), email: z.string().nullable() }).nullable(),
});
export type IssueNote = z.output<typeof issueNoteSchema>;

/** An issue as listed, with the work on it. */
const issueWork = {
  /** Owner of the sensor; null if the caller may not view the account. */
  owner: nameRef.nullable(),
  location: nameRef.nullable(),
  /** When the outage or obstruction began, or the issue was found; null if this is no longer the sensor's state. */
  since: z.string().nullable(),
  assignee: assigneeSchema.nullable(),
  /** The latest note. */
  note: issueNoteSchema.nullable(),
  notesCount: z.int(),
  snoozedUntil: z.string().nullable(),
};
export const listedIssueSchema = issueSchema.extend(issueWork);
export type ListedIssue = z.output<typeof listedIssueSchema>;

const dayValue = z.object({ date: z.string(), value: z.number().nullable() });

/** The facts that caused the last change of the issue's status. The issue type determines which facts are present. */
export const issueFactsSchema = z.object({
  /** When the outage or obstruction began. */
  since: z.string().nullable().optional(),
  /** Reboots or watchdog resets of the last 24 hours, and the threshold that they reached. */
  events: z
    .object({ count: z.int(), threshold: z.int(), at: z.array(z.object({ at: z.string(), count: z.int() })) })
    .optional(),
  /** Hours per day, their mean and the required minimum. */
  uptime: z.object({ mean: z.number(), wanted: z.number(), days: z.array(dayValue) }).optional(),
  /** Daily totals, null if unknown, with the expected range for their weekday. */
  plausibility: z
    .object({
      days: z.array(dayValue.extend({ low: z.number(), high: z.number(), median: z.number() })),
      earlier: z.array(dayValue),
    })
    .optional(),
  osd: z.int().optional(),
  /** `offMs` is positive if the clock is ahead. */
  clock: z.object({ offMs: z.number() }).optional(),
  /** Rejected records of the last 24 hours by reason. `restartedAt` is when the record numbers last restarted. */
  data: z
    .object({
      rejected: z.int(),
      reasons: z.array(z.object({ reason: z.string(), count: z.int() })),
      restartedAt: z.string().nullable(),
    })
    .optional(),
  /** How often two connections replaced each other, and the IP addresses of the last two. */
  identity: z.object({ takeovers: z.int(), addresses: z.tuple([z.string(), z.string()]) }).optional(),
});
export type IssueFacts = z.output<typeof issueFactsSchema>;

/** A mail about an issue: recipient and time, or why it was not sent. */
export const issueMailSchema = z.object({
  to: z.string(),
  state: z.enum(["sent", "waiting", "dropped"]),
  /** When the mail was sent, or the earliest time at which it will be sent. */
  at: z.string().nullable(),
  reason: z.string().nullable(),
});

export const issueDetailSchema = listedIssueSchema.extend({
  measurement: nameRef.nullable(),
  facts: issueFactsSchema,
  /** Whether this is still the current status; false once it has changed again. */
  holds: z.boolean(),
  acknowledgedBy: nameRef.nullable(),
  mails: z.array(issueMailSchema),
  /** Why no mails were sent; null if there are mails. */
  notMailed: z.string().nullable(),
  /** The notes, oldest first; at most the last 100. */
  notes: z.array(issueNoteSchema),
});
export type IssueDetail = z.output<typeof issueDetailSchema>;
