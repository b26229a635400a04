// Converts the filters of requests that change issues to those of the stores.
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type { acknowledgeIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import type { AskedOpenIssues } from "../open-issues/open-issues.service.ts";

export type AskedTarget = Omit<HandlerInput<typeof acknowledgeIssues>["body"], "changes">;

/** Issues per transaction; limits how long locks are held. */
export const maxIssuesAtOnce = 20_000;

/** Filters in a body may be single values. */
export function toIssueFilter(query: NonNullable<AskedTarget["query"]>): AskedOpenIssues {
  const list = <T>(value: T | T[] | undefined) =>
    value === undefined ? undefined : Array.isArray(value) ? value : [value];
  const { acknowledged, from, to, olderThan, exclude } = query;
  return {
    acknowledged,
    from,
    to,
    olderThan,
    exclude,
    measID: list(query.measID),
    sensorIDs: list(query.sensorIDs)?.map((id) => parseMac(id) ?? id),
    issueType: list(query.issueType),
    issueStatus: list(query.issueStatus),
    ownerID: list(query.ownerID),
    tag: list(query.tag),
    assigneeID: list(query.assigneeID),
    snoozed: list(query.snoozed),
  };
}
