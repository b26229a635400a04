// Query parameters of issue lists. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { instant } from "../kit/time.ts";
import { issueAges, issueStatuses, issueTypes } from "./issue-words.ts";

export const issueFilter = {
  measID: idFilter.optional(),
  sensorIDs: idFilter.optional(),
  issueType: repeatable(z.enum(issueTypes)).optional(),
  issueStatus: repeatable(z.enum(issueStatuses)).optional(),
  acknowledged: queryFlag.optional(),
  /** Range of `startUTC`, including `from` but not `to`. */
  from: instant.optional(),
  to: instant.optional(),
  /** Owner of the sensor. */
  ownerID: idFilter.optional(),
  /** Tags of the location; all must match. */
  tag: repeatable(textFilter, 50).optional(),
  /** Open issues: began at least this long ago. Log: was written at least this long ago. */
  olderThan: z.enum(issueAges).optional(),
};

export const issueListQuery = z.strictObject({
  ...pageQuery(["startUTC", "issueType", "issueMessage", "sens", "acknowledged", "issueStatus", "severity", "since"]),
  ...issueFilter,
  /** Only present Warning and Error states. Snoozed ones are left out unless `snoozed` is given. */
  open: queryFlag.optional(),
  /** Ids of logins, `me` or `none`; requires `open`. */
  assigneeID: idFilter.optional(),
  /** Repeat it with both values for all issues; requires `open`. */
  snoozed: repeatable(queryFlag as unknown as z.ZodType<boolean, string>).optional(),
});
