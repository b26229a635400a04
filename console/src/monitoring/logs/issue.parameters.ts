// What the address of a monitoring log may hold (MO-04), and what is asked for it: days of the address become instants.
import { issueStatuses, issueTypes } from "@psp/contract/monitoring/issue-words.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import type { acknowledgeIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import type { Search } from "../../address/address.ts";
import { flag, ids, paging, someOf } from "../../address/parameters.ts";
import { daysIn, instantsOf } from "../zone-days.ts";

const issueColumns = ["startUTC", "issueType", "issueMessage", "sens", "acknowledged", "issueStatus"] as const;

const { skip, limit, sortBy, sortDesc, includeTotals } = paging(issueColumns);
export const issueParameters = {
  skip,
  limit,
  sortBy,
  sortDesc,
  includeTotals,
  fromToDates: {
    safeParse: (value: unknown) => ({ success: typeof value === "string" && daysIn(value) !== null }),
  },
  sensorIDs: ids,
  issueStatus: someOf(issueStatuses),
  acknowledged: flag,
  issueType: someOf(issueTypes),
};

/** Whose log it is: of a location, or of one sensor. */
export type IssueScope = { measID: string } | { sensorIDs: string };

/** Filters, page or order of the address as the call takes them. */
export function askedOf(given: Search, scope: IssueScope, timeZone: string | null): Search {
  const { fromToDates, ...others } = given;
  const days = typeof fromToDates === "string" ? daysIn(fromToDates) : null;
  return { ...others, ...(days === null ? {} : instantsOf(days, timeZone)), ...scope };
}

type BatchQuery = NonNullable<Sent<typeof acknowledgeIssues>["body"]["query"]>;

/** The same filters in the body of a batch, where flags are no texts. */
export function batchQuery(filters: Search, scope: IssueScope, timeZone: string | null): BatchQuery {
  const { acknowledged, ...others } = askedOf(filters, scope, timeZone);
  return { ...others, ...(acknowledged === undefined ? {} : { acknowledged: acknowledged === "true" }) };
}
