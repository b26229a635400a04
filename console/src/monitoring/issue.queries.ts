// What is asked about issues. Keys begin with the type of their live messages, so that open pages are right within two seconds.
import {
  acknowledgeIssues,
  getIssue,
  listIssues,
  listSensorsWithIssues,
} from "@psp/contract/monitoring/monitoring.api.ts";
import type { Issue } from "@psp/contract/monitoring/issue.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Search } from "../address/address.ts";
import { call, CallError } from "../api/call.ts";
import { useListed } from "../api/listed.ts";

export const issueKey = "issue";

export const useIssues = (query: Search) =>
  useListed<Issue>([issueKey, "list", query], (signal) => call(listIssues, { query, signal }));

export const useIssue = (id: string) =>
  useQuery({
    queryKey: [issueKey, "one", id],
    queryFn: ({ signal }) => call(getIssue, { params: { id }, signal }),
    // That it is gone is no reason to ask again.
    retry: false,
  });

export const sensorsPerPage = 9;

/** Sensors with open issues, those with most of them first; those whose issues are all acknowledged only when asked for. */
export const useSensorsWithIssues = (page: number, withAcknowledged: boolean, enabled = true) =>
  useListed(
    [issueKey, "sensors", { page, withAcknowledged }],
    (signal) => {
      const skip = page > 1 ? { skip: String((page - 1) * sensorsPerPage) } : {};
      const acknowledged = withAcknowledged ? ({ acknowledged: "true" } as const) : {};
      const query = { ...skip, limit: String(sensorsPerPage), includeTotals: "true", ...acknowledged } as const;
      return call(listSensorsWithIssues, { query, signal });
    },
    enabled,
  );

function useRefreshIssues() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [issueKey] });
}

/** Acknowledging is stamped by the server; the time that is sent says only that it is to be. */
export const tick = () => ({ data: { acknowledgedAt: new Date().toISOString() } });

/** Acknowledges one. A refusal is thrown like one of the whole call. */
export function useAcknowledge(id: string) {
  const refresh = useRefreshIssues();
  return useMutation({
    mutationFn: async () => {
      const { fail } = await call(acknowledgeIssues, { body: { ids: [id], changes: tick() } });
      const [refused] = fail;
      if (refused !== undefined)
        throw new Error([refused.errMessage, refused.details?.reason].filter(Boolean).join(" "));
    },
    onSuccess: refresh,
  });
}

/** There is none at this address, or it may not be seen. */
export const isMissing = (error: unknown) =>
  error instanceof CallError && (error.status === 404 || error.status === 400);
