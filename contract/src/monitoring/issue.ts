// Issues: what monitoring found, as datapoints of the type monitoringStatus, and what explains them (docs/rules/monitoring.md#issues).
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

/** An open issue as a problem; `measurement` is null without a location, or with one that the caller may not see. */
export const problemSchema = issueSchema.extend({ measurement: nameRef.nullable() });
export type Problem = z.output<typeof problemSchema>;

const dayValue = z.object({ date: z.string(), value: z.number().nullable() });

/** The facts that a check looked at when the state changed; which of them are there depends on the type of the issue. */
export const issueFactsSchema = z.object({
  /** When what it is about began: out of contact, obstructed. */
  since: z.string().nullable().optional(),
  /** Reboots or watchdog resets of the last 24 h, where they were, and the threshold that was reached. */
  events: z
    .object({ count: z.int(), threshold: z.int(), at: z.array(z.object({ at: z.string(), count: z.int() })) })
    .optional(),
  /** Uptime: hours per day, the mean of them and the least that is wanted. */
  uptime: z.object({ mean: z.number(), wanted: z.number(), days: z.array(dayValue) }).optional(),
  /** Plausibility: totals of the judged days with the range of their weekday; null where a day is not known. */
  plausibility: z
    .object({
      days: z.array(dayValue.extend({ low: z.number(), high: z.number(), median: z.number() })),
      earlier: z.array(dayValue),
    })
    .optional(),
  /** Obstruction: the code that the sensor reported last. */
  osd: z.int().optional(),
  /** How far the clock is ahead, negative for behind. */
  clock: z.object({ offMs: z.number() }).optional(),
  /** Records of the last 24 h that were rejected, by reason; and whether the sensor restarted its record numbers then. */
  data: z
    .object({
      rejected: z.int(),
      reasons: z.array(z.object({ reason: z.string(), count: z.int() })),
      restartedAt: z.string().nullable(),
    })
    .optional(),
  /** Connections that pushed each other out, and the addresses of the last two. */
  identity: z.object({ takeovers: z.int(), addresses: z.tuple([z.string(), z.string()]) }).optional(),
});
export type IssueFacts = z.output<typeof issueFactsSchema>;

/** What became of the mails about an issue: to whom and when, or why to no one. */
export const issueMailSchema = z.object({
  to: z.string(),
  state: z.enum(["sent", "waiting", "dropped"]),
  /** When it was sent, or will be at the earliest. */
  at: z.string().nullable(),
  reason: z.string().nullable(),
});

export const issueDetailSchema = issueSchema.extend({
  measurement: nameRef.nullable(),
  facts: issueFactsSchema,
  /** False once the state changed again. */
  holds: z.boolean(),
  acknowledgedBy: nameRef.nullable(),
  mails: z.array(issueMailSchema),
  /** Why there are no mails at all, in plain words; null where there are some. */
  notMailed: z.string().nullable(),
});
export type IssueDetail = z.output<typeof issueDetailSchema>;
