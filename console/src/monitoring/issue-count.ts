// Number of open issues for the header. Separate from other queries, because every page loads it.
import { countOpenIssues } from "@psp/contract/monitoring/issue-work.api.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../api/call.ts";

/** First part of the keys of all queries for issues, so that live messages about issues update open pages within two seconds. */
export const issueKey = "issue";

export const issuesTitle = "Issues";

/** The longest delay that timers support. */
const maxDelayMs = 2 ** 31 - 1;

export function useIssueCount(enabled: boolean) {
  const { data, isError } = useQuery({
    queryKey: [issueKey, "count"],
    queryFn: ({ signal }) => call(countOpenIssues, { signal }),
    enabled,
  });
  return { data, isError };
}

/** Refetches issues when the next snooze ends, because no live message announces it. */
export function useSnoozeEnds(changesAt: string | null | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!changesAt) return;
    // A second later, because the clocks of browser and server differ.
    const delay = Math.min(Math.max(Date.parse(changesAt) - Date.now(), 0) + 1000, maxDelayMs);
    const timer = setTimeout(() => void client.invalidateQueries({ queryKey: [issueKey] }), delay);
    return () => clearTimeout(timer);
  }, [client, changesAt]);
}
