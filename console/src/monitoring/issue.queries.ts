// Queries for issues. All keys start with "issue", so that live messages about issues update open pages within two seconds.
import {
  acknowledgeIssues,
  getIssue,
  listIssues,
  listSensorsWithIssues,
  type SensorIssues,
} from "@psp/contract/monitoring/monitoring.api.ts";
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { issueKey } from "./issue-count.ts";
import type { SearchParams } from "../address/address.ts";
import { call, CallError } from "../api/call.ts";
import { toListResult, useListQuery } from "../api/listed.ts";

export const useIssues = (query: SearchParams) =>
  useListQuery<ListedIssue>([issueKey, "list", query], (signal) => call(listIssues, { query, signal }));

export const useIssue = (id: string) =>
  useQuery({
    queryKey: [issueKey, "one", id],
    queryFn: ({ signal }) => call(getIssue, { params: { id }, signal }),
    // Retrying doesn't help if the issue is missing.
    retry: false,
  });

export const sensorsPerPage = 9;

export const useSensorsWithIssues = (page: number, withAcknowledged: boolean, enabled = true) =>
  useQuery({
    queryKey: [issueKey, "sensors", { page, withAcknowledged }],
    queryFn: async ({ signal }) => {
      const skip = page > 1 ? { skip: String((page - 1) * sensorsPerPage) } : {};
      const acknowledged = withAcknowledged ? ({ acknowledged: "true" } as const) : {};
      const query = { ...skip, limit: String(sensorsPerPage), includeTotals: "true", ...acknowledged } as const;
      return toListResult<SensorIssues>(await call(listSensorsWithIssues, { query, signal }));
    },
    placeholderData: keepPreviousData,
    enabled,
  });

export function useRefreshIssues() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [issueKey] });
}

/** The time only marks the issue as acknowledged. The server stores its own time. */
export const createAcknowledgement = () => ({ data: { acknowledgedAt: new Date().toISOString() } });

export function useAcknowledge(id: string) {
  const refresh = useRefreshIssues();
  return useMutation({
    mutationFn: async () => {
      const { fail } = await call(acknowledgeIssues, { body: { ids: [id], changes: createAcknowledgement() } });
      const [refused] = fail;
      if (refused !== undefined)
        throw new Error([refused.errMessage, refused.details?.reason].filter(Boolean).join(" "));
    },
    onSuccess: refresh,
  });
}

/** Whether the issue doesn't exist or may not be viewed. */
export const isMissing = (error: unknown) =>
  error instanceof CallError && (error.status === 404 || error.status === 400);
