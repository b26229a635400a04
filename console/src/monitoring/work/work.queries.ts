// Changes of open issues, with undo (docs/rules/monitoring.md#work-on-issues).
import { type changeIssues, listAssignees, undoIssueChanges } from "@psp/contract/monitoring/issue-work.api.ts";
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { issueKey } from "../issue-count.ts";
import { useRefreshIssues } from "../issue.queries.ts";
import { workText as text } from "./work.text.ts";

export type WorkChanges = ClientInput<typeof changeIssues>["body"]["changes"];
export type WorkKind = "assign" | "note" | "snooze";

/** Logins that may be assigned to all these issues. */
export const useAssignees = (ids: readonly string[], search: string, enabled: boolean) =>
  useQuery({
    queryKey: [issueKey, "assignees", ids, search],
    queryFn: ({ signal }) =>
      call(listAssignees, {
        query: { limit: "50", ...(ids.length > 0 && { ids: [...ids] }), ...(search !== "" && { search }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    enabled,
  });

/** Returns a function that confirms a change and offers to undo it. */
export function useUndoOffer() {
  const toasts = useToasts();
  const fail = useFailureToast();
  const refresh = useRefreshIssues();
  const undo = async (undoIDs: string[]) => {
    try {
      const { success, fail: failed } = await call(undoIssueChanges, { body: { undoIDs } });
      if (failed.length > 0) toasts.error({ title: text.undoFailed(failed.length) });
      if (failed.length === 0 || success > 0) toasts.success(text.undone(success));
    } catch (error) {
      fail(text.failed)(error);
    }
    void refresh();
  };
  return (kind: WorkKind, count: number, undoIDs: string[]) =>
    toasts.success(text.saved[kind](count), { label: text.undo, onClick: () => void undo(undoIDs) });
}
