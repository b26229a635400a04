// Dialog that acknowledges several issues in one request (MO-04).
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import type { Issue } from "@psp/contract/monitoring/issue.ts";
import { acknowledgeIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import { outcomeTexts } from "../../entity/batch/batch.text.ts";
import type { BatchSelection } from "../../entity/batch/item-batch.ts";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { issueKey } from "../issue-count.ts";
import { createAcknowledgement } from "../issue.queries.ts";
import { issueText as text, issueTypeLabels } from "../issue.text.ts";

export type IssueTarget = Pick<
  ClientInput<typeof acknowledgeIssues>["body"],
  "ids" | "query" | "all" | "expectedCount"
>;

/** Request fields for the issues that the user selected, `count` of them. */
export type ToIssueTarget = (chosen: BatchSelection, count: number) => IssueTarget;

// Issues have no page to link to, so failures only name them.
export const issueOutcomes = { ...outcomeTexts("updated", { noun: "issue", about: "sensor" }), about: undefined };

type AcknowledgeDialogProps = BatchActionDialogProps & {
  toTarget: ToIssueTarget;
  /** As in "3 entries". */
  counted: (count: number) => string;
};

export function AcknowledgeDialog({ chosen, count, onClose, toTarget, counted }: AcknowledgeDialogProps) {
  const nameOf = useIssueNames();
  const { expected, differs, runWith } = useQueryBatch<null>(count, {
    run:
      (wanted, _, onCount) =>
      ({ onlyIds }) => {
        const target = onlyIds === undefined ? toTarget(chosen, wanted) : { ids: [...onlyIds] };
        const body = { ...target, changes: createAcknowledgement() };
        return confirmAgainOnMismatch(call(acknowledgeIssues, { body }), onCount);
      },
    invalidates: [issueKey],
    counted,
  });
  return (
    <BatchDialog
      title={text.acknowledgeTitle(counted(expected))}
      submitLabel={text.setAcknowledged}
      total={expected}
      texts={issueOutcomes}
      run={runWith(null)}
      renderName={nameOf}
      onClose={onClose}
    >
      {differs}
      <div>{text.acknowledgeQuestion}</div>
    </BatchDialog>
  );
}

/** Names issues that the lists have loaded by type and sensor; `undefined` for others. */
export function useIssueNames(): (id: string) => string | undefined {
  const client = useQueryClient();
  return (id) => {
    const shown = client
      .getQueriesData<{ objects: Issue[] }>({ queryKey: [issueKey, "list"] })
      .flatMap(([, page]) => page?.objects ?? [])
      .find((issue) => issue.id === id);
    return shown && `${issueTypeLabels[shown.data.issueType]}, ${shown.sens}`;
  };
}
