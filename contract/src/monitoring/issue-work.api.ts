// API calls for working on open issues: counting, assigning, notes and snoozing (docs/rules/monitoring.md#work-on-issues).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { batchReplySchema, maxBatchBytes, requireChanges } from "../kit/batch.ts";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, idText, maxLimit, queryInt, textFilter } from "../kit/page.ts";
import { safeText } from "../kit/safe-text.ts";
import { instant } from "../kit/time.ts";
import { maxNoteLength } from "./issue-words.ts";
import { assigneeSchema } from "./issue.ts";
import { checkIssueTarget, issueTarget } from "./monitoring.api.ts";

export const countOpenIssues = endpoint("countOpenIssues", "GET", "/v2/issue/count", {
  summary: "Number of open issues that the caller sees, without snoozed ones, and when the next snooze ends",
  reply: z.object({
    errors: z.int(),
    warnings: z.int(),
    snoozed: z.int(),
    /** When the next snooze ends; null if nothing is snoozed. */
    changesAt: z.string().nullable(),
  }),
});

export const listAssignees = endpoint("listAssignees", "GET", "/v2/issue/assignees", {
  summary:
    "Logins that may be assigned to these issues: the caller may view their accounts, and they may view the sensors",
  query: z.strictObject({
    ids: idFilter.optional(),
    /** Part of an email address or of an account's name. */
    search: textFilter.optional(),
    skip: queryInt(0, 1_000_000_000).optional(),
    limit: queryInt(1, maxLimit).optional(),
  }),
  reply: z.object({ objects: z.array(assigneeSchema), hasMore: z.boolean() }),
});

const noteText = safeText(maxNoteLength).refine((text) => text.length > 0, {
  error: "The note is empty",
  params: { code: errorCode.missingArgument },
});

const changesSchema = z
  .strictObject({
    /** A login; null removes the assignment. */
    assigneeID: uuid.nullable().optional(),
    /** Added to the notes of the issue. */
    note: noteText.optional(),
    /** In the future, at most one year ahead; null ends the snooze. */
    snoozedUntil: instant.nullable().optional(),
  })
  .superRefine((changes, ctx) => requireChanges({ changes }, ctx));

export const changeIssues = endpoint("changeIssues", "PUT", "/v2/issue", {
  summary:
    "Assigns and snoozes open issues, and adds notes to them, by ids or by the list's filters; each issue is authorized individually",
  maxBodyBytes: maxBatchBytes,
  perMinute: 120,
  body: z.strictObject({ ...issueTarget, changes: changesSchema }).superRefine(checkIssueTarget),
  reply: batchReplySchema.extend({ undoID: z.string() }),
});
export type IssueChanges = z.output<typeof changesSchema>;

export const undoIssueChanges = endpoint("undoIssueChanges", "PUT", "/v2/issue/undo", {
  summary:
    "Undoes changes of issues that the caller made in the last hour, by undoID; skips issues that were changed again",
  perMinute: 120,
  body: z.strictObject({ undoIDs: z.array(idText.min(1)).min(1).max(20) }),
  reply: batchReplySchema,
});
