// API calls for the issue log, acknowledgment, open issues, and affected sensors and locations (MO-04, MO-05).
import { z } from "zod";
import { batchReplySchema, batchSafeguards, checkBatchTarget, maxBatchBytes, maxBatchIds } from "../kit/batch.ts";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { idText, pageQuery, pageReply, queryFlag, textFilter } from "../kit/page.ts";
import { instant } from "../kit/time.ts";
import { issueDetailSchema, listedIssueSchema, problemSchema } from "./issue.ts";
import { issueAges, issueStatuses, issueTypes, openIssueStatuses } from "./issue-words.ts";
import { issueListQuery } from "./issue.query.ts";

const issueId = z.strictObject({ id: uuid });

export const listIssues = endpoint("listIssues", "GET", "/v2/issue", {
  summary:
    "The monitoring log of sensors and locations that the caller may view, the newest first; with open=true the open issues, the worst first",
  query: issueListQuery,
  reply: pageReply(listedIssueSchema).extend({
    /** Open issues: when the next snooze ends, which shows the issue again; null if nothing is snoozed. */
    changesAt: z.string().nullable().optional(),
  }),
});
export const getIssue = endpoint("getIssue", "GET", "/v2/issue/{id}", {
  summary: "One issue with the facts behind it and what became of the mails about it",
  params: issueId,
  reply: issueDetailSchema,
});

const idList = z.array(idText).max(maxBatchIds);
/** Filters in a body are JSON values, unlike those in a query string. */
const oneOrMore = <S extends z.ZodType>(item: S) => z.union([z.array(item).max(500), item]);
/** Issues by ids, or by the filters of the list. */
export const issueTarget = {
  ids: idList.optional(),
  query: z
    .strictObject({
      measID: oneOrMore(idText).optional(),
      sensorIDs: oneOrMore(idText).optional(),
      issueType: oneOrMore(z.enum(issueTypes)).optional(),
      issueStatus: oneOrMore(z.enum(issueStatuses)).optional(),
      acknowledged: z.boolean().optional(),
      from: instant.optional(),
      to: instant.optional(),
      open: z.boolean().optional(),
      ownerID: oneOrMore(idText).optional(),
      tag: oneOrMore(textFilter).optional(),
      olderThan: z.enum(issueAges).optional(),
      assigneeID: oneOrMore(idText).optional(),
      snoozed: oneOrMore(z.boolean()).optional(),
      exclude: idList.optional(),
    })
    .optional(),
  ...batchSafeguards,
};

type Target = { ids?: string[] | undefined; query?: Record<string, unknown> | undefined; all?: boolean | undefined };

/** `open` alone is not a filter. */
export function checkIssueTarget({ ids, query, all }: Target, ctx: z.RefinementCtx): void {
  const { open: _, ...filters } = query ?? {};
  checkBatchTarget({ ids, query: query && filters, all }, { ids: "ids", query: "query" }, ctx);
}

export const acknowledgeIssues = endpoint("acknowledgeIssues", "PUT", "/datapoints", {
  summary: "Acknowledges issues by ids or by the log's filters; only Warning and Error, never reverted",
  maxBodyBytes: maxBatchBytes,
  body: z
    .strictObject({
      ...issueTarget,
      /** The server ignores this value and uses its own time. */
      changes: z.strictObject({ data: z.strictObject({ acknowledgedAt: instant }) }),
    })
    .superRefine(checkIssueTarget),
  reply: batchReplySchema,
});

export const listProblems = endpoint("listProblems", "GET", "/error", {
  summary: "Open issues: the present Warning and Error states of sensors that the caller may view",
  query: z.strictObject({ ...pageQuery(["startUTC"]) }),
  reply: z.union([z.array(problemSchema), pageReply(problemSchema)]),
});
export const solveProblem = endpoint("solveProblem", "PUT", "/error/{id}", {
  summary: "Marks one problem solved: acknowledges it; it stays until its state is Ok",
  params: issueId,
  reply: problemSchema,
});
export const solveAllProblems = endpoint("solveAllProblems", "PUT", "/error", {
  summary: "Marks all problems solved that the caller may edit",
  reply: batchReplySchema,
});

export const sensorIssuesSchema = z.object({
  sens: z.string(),
  measurement: z.object({ _id: z.string(), name: z.string() }).nullable(),
  issues: z.array(
    z.object({
      _id: z.string(),
      issueType: z.enum(issueTypes),
      issueStatus: z.enum(issueStatuses),
      issueMessage: z.string(),
      startUTC: z.string(),
      acknowledgedAt: z.string().nullable(),
    }),
  ),
});
export type SensorIssues = z.output<typeof sensorIssuesSchema>;

export const listLocationsWithIssues = endpoint("listLocationsWithIssues", "GET", "/v2/issue/by-location", {
  summary: "Locations with sensors that have open issues, and the worst of each; for maps",
  reply: z.array(z.object({ _id: z.string(), issueStatus: z.enum(openIssueStatuses) })),
});

export const listSensorsWithIssues = endpoint("listSensorsWithIssues", "GET", "/v2/issue/by-sensor", {
  summary: "Sensors with open issues, those with most of them first; acknowledged ones only when asked for",
  query: z.strictObject({
    ...pageQuery(["count"]),
    acknowledged: queryFlag.optional(),
  }),
  reply: pageReply(sensorIssuesSchema).extend({
    /** With `includeTotals`: how many of the sensors have an open issue with this status. A sensor may have both. */
    totalByStatus: z.object({ Warning: z.int(), Error: z.int() }).optional(),
  }),
});
