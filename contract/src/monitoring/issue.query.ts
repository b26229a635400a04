// Query parameters of issue lists. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, repeatable } from "../kit/page.ts";
import { instant } from "../kit/time.ts";
import { issueStatuses, issueTypes } from "./issue-words.ts";

export const issueFilter = {
  measID: idFilter.optional(),
  sensorIDs: idFilter.optional(),
  issueType: repeatable(z.enum(issueTypes)).optional(),
  issueStatus: repeatable(z.enum(issueStatuses)).optional(),
  acknowledged: queryFlag.optional(),
  /** Range of `startUTC`, including `from` but not `to`. */
  from: instant.optional(),
  to: instant.optional(),
};

export const issueListQuery = z.strictObject({
  ...pageQuery(["startUTC", "issueType", "issueMessage", "sens", "acknowledged", "issueStatus"]),
  ...issueFilter,
});
