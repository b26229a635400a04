// Defines the URL parameters of a monitoring log, and converts them to an API query (MO-04).
import { issueStatuses, issueTypes } from "@psp/contract/monitoring/issue-words.ts";
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import type { acknowledgeIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import type { SearchParams } from "../../address/address.ts";
import { flag, ids, paging, someOf } from "../../address/parameters.ts";
import { parseDayRange, toInstantRange } from "../zone-days.ts";

const issueColumns = ["startUTC", "issueType", "issueMessage", "sens", "acknowledged", "issueStatus"] as const;

const { skip, limit, sortBy, sortDesc, includeTotals } = paging(issueColumns);
export const issueParameters = {
  skip,
  limit,
  sortBy,
  sortDesc,
  includeTotals,
  fromToDates: {
    safeParse: (value: unknown) => ({ success: typeof value === "string" && parseDayRange(value) !== null }),
  },
  sensorIDs: ids,
  issueStatus: someOf(issueStatuses),
  acknowledged: flag,
  issueType: someOf(issueTypes),
};

export type IssueScope = { measID: string } | { sensorIDs: string };

export function toIssueQuery(given: SearchParams, scope: IssueScope, timeZone: string | null): SearchParams {
  const { fromToDates, ...others } = given;
  const days = typeof fromToDates === "string" ? parseDayRange(fromToDates) : null;
  return { ...others, ...(days === null ? {} : toInstantRange(days, timeZone)), ...scope };
}

type BatchQuery = NonNullable<ClientInput<typeof acknowledgeIssues>["body"]["query"]>;

/** Like `toIssueQuery`, but with `acknowledged` as a boolean, as a batch requires it. */
export function toBatchQuery(filters: SearchParams, scope: IssueScope, timeZone: string | null): BatchQuery {
  const { acknowledged, ...others } = toIssueQuery(filters, scope, timeZone);
  return { ...others, ...(acknowledged === undefined ? {} : { acknowledged: acknowledged === "true" }) };
}
