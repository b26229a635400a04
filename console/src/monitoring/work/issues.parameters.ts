// URL parameters of the page of open issues.
import { issueAges, issueTypes, openIssueStatuses } from "@psp/contract/monitoring/issue-words.ts";
import type { SearchParams } from "../../address/address.ts";
import { flag, id, ids, oneOf, paging, someOf, texts } from "../../address/parameters.ts";

const { skip, limit, sortBy, sortDesc, includeTotals } = paging([
  "severity",
  "issueStatus",
  "issueType",
  "sens",
  "since",
  "acknowledged",
]);
export const openIssueParameters = {
  skip,
  limit,
  sortBy,
  sortDesc,
  includeTotals,
  issueStatus: someOf(openIssueStatuses),
  issueType: someOf(issueTypes),
  ownerID: id,
  tag: texts,
  assigneeID: ids,
  olderThan: oneOf(issueAges),
  acknowledged: flag,
  snoozed: flag,
};

export const toOpenIssueQuery = (query: SearchParams): SearchParams => ({ ...query, open: "true" });
