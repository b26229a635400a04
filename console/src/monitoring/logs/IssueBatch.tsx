// Acknowledges several log entries in one request (MO-04).
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import type { Issue } from "@psp/contract/monitoring/issue.ts";
import { acknowledgeIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import type { SearchParams } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import { outcomeTexts } from "../../entity/batch/batch.text.ts";
import { type BatchActionDialogProps, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import { issueKey } from "../issue-count.ts";
import { createAcknowledgement } from "../issue.queries.ts";
import { issueText as text, issueTypeLabels } from "../issue.text.ts";
import { toBatchQuery, type IssueScope } from "./issue.parameters.ts";
import { useQueryBatch } from "../../entity/batch/query-batch.tsx";

type Where = { scope: IssueScope; timeZone: string | null };
type IssueBatchProps = Where & {
  filters: SearchParams;
  total: number;
};

export function useAcknowledgeDisabledReason(): string | undefined {
  const { actor } = useCan();
  return isEmptySet(resolveEditScope(actor, "sensor")) ? text.noAcknowledge : undefined;
}

export function useIssueBatch({ filters, total, ...where }: IssueBatchProps): ListBatch {
  const disabledReason = useAcknowledgeDisabledReason();
  const action = {
    label: text.setAcknowledged,
    disabledReason,
    dialog: (props: BatchActionDialogProps) => <AcknowledgeDialog {...props} {...where} />,
  };
  return useListBatch(filters, [action], { total });
}

// Issues have no page to link to, so failures only name them.
const texts = { ...outcomeTexts("updated", { noun: "issue", about: "sensor" }), about: undefined };

function AcknowledgeDialog({ chosen, count, onClose, scope, timeZone }: BatchActionDialogProps & Where) {
  const { selection, filters } = chosen;
  const nameOf = useIssueNames();
  const run =
    (expected: number, _changes: null, onCount: (count: number) => void): BatchRun =>
    ({ onlyIds }) => {
      const exclude = selection.mode === "query" && selection.excluded.size > 0 ? [...selection.excluded] : undefined;
      const target =
        onlyIds !== undefined
          ? { ids: [...onlyIds] }
          : selection.mode === "page"
            ? { ids: [...selection.ids], expectedCount: expected }
            : {
                query: { ...toBatchQuery(filters, scope, timeZone), ...(exclude && { exclude }) },
                expectedCount: expected,
              };
      return confirmAgainOnMismatch(
        call(acknowledgeIssues, { body: { ...target, changes: createAcknowledgement() } }),
        onCount,
      );
    };
  const { changedMeanwhile } = text;
  const { expected, differs, runWith } = useQueryBatch(count, {
    run,
    invalidates: [issueKey],
    countChangedText: changedMeanwhile,
  });
  return (
    <BatchDialog
      title={text.acknowledgeTitle(expected)}
      submitLabel={text.setAcknowledged}
      total={expected}
      texts={texts}
      run={runWith(null)}
      renderName={nameOf}
      onClose={onClose}
    >
      {differs}
      <div>{text.acknowledgeQuestion}</div>
    </BatchDialog>
  );
}

function useIssueNames(): (id: string) => string | undefined {
  const client = useQueryClient();
  return (id) => {
    const shown = client
      .getQueriesData<{ objects: Issue[] }>({ queryKey: [issueKey, "list"] })
      .flatMap(([, page]) => page?.objects ?? [])
      .find((issue) => issue.id === id);
    return shown && `${issueTypeLabels[shown.data.issueType]}, ${shown.sens}`;
  };
}
