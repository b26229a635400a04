// Batches over open issues: assign, note, snooze, acknowledge.
import { changeIssues } from "@psp/contract/monitoring/issue-work.api.ts";
import { acknowledgeIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import type { SearchParams } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { useCan } from "../../api/session/useCan.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import { outcomeTexts } from "../../entity/batch/batch.text.ts";
import type { BatchSelection } from "../../entity/batch/item-batch.ts";
import { type BatchActionDialogProps, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { toBatchTarget, useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { issueKey } from "../issue-count.ts";
import { createAcknowledgement } from "../issue.queries.ts";
import { issueText, issueTypeLabels } from "../issue.text.ts";
import { useWorkFields } from "./WorkFields.tsx";
import { useUndoOffer, type WorkChanges, type WorkKind } from "./work.queries.ts";
import { workText as text } from "./work.text.ts";

export function useNoWorkReason(): string | undefined {
  const { actor } = useCan();
  return isEmptySet(resolveEditScope(actor, "sensor")) ? text.noWork : undefined;
}

const kinds = ["assign", "note", "snooze"] as const;

export function useWorkBatch(filters: SearchParams, total: number): ListBatch {
  const disabledReason = useNoWorkReason();
  const actions = kinds.map((kind) => ({
    label: text[kind],
    disabledReason,
    dialog: (props: BatchActionDialogProps) => <WorkBatchDialog {...props} kind={kind} />,
  }));
  const acknowledging = {
    label: text.acknowledge,
    disabledReason,
    dialog: (props: BatchActionDialogProps) => <AcknowledgeBatchDialog {...props} />,
  };
  return useListBatch(filters, [...actions, acknowledging], { total });
}

type Target = Pick<ClientInput<typeof changeIssues>["body"], "ids" | "query" | "all" | "expectedCount">;

/** Parameters of the page as filters of a batch, which are JSON values. */
function toTarget({ selection, filters }: BatchSelection, count: number, onlyIds?: readonly string[]): Target {
  if (onlyIds !== undefined) return { ids: [...onlyIds] };
  const { acknowledged, snoozed, ...others } = filters;
  const flags = {
    ...(acknowledged === undefined ? {} : { acknowledged: acknowledged === "true" }),
    ...(snoozed === undefined ? {} : { snoozed: [snoozed].flat().map((one) => one === "true") }),
  };
  const target = toBatchTarget<Target>(
    { selection, filters: { ...others, ...flags } as unknown as SearchParams },
    count,
    {
      ids: "ids",
      query: "query",
    },
  );
  return target.query === undefined ? target : { ...target, query: { ...target.query, open: true } };
}

const texts = { ...outcomeTexts("updated", { noun: "issue", about: "sensor" }), about: undefined };

function WorkBatchDialog({ kind, chosen, count, onClose }: BatchActionDialogProps & { kind: WorkKind }) {
  const undoIds = useRef<string[]>([]);
  const offerUndo = useUndoOffer();
  const nameOf = useIssueNames();
  const ids = chosen.selection.mode === "page" ? [...chosen.selection.ids] : [];
  const { fields, changes, onTried } = useWorkFields({ kind, ids, assignee: null, isSnoozed: true });
  const { expected, differs, runWith } = useQueryBatch<WorkChanges>(count, {
    run:
      (wanted, values, onCount) =>
      async ({ onlyIds }) => {
        const body = { ...toTarget(chosen, wanted, onlyIds), changes: values };
        const result = await confirmAgainOnMismatch(call(changeIssues, { body }), onCount);
        undoIds.current.push(result.undoID);
        return result;
      },
    invalidates: [issueKey],
    countChangedText: text.changedMeanwhile,
  });
  const close = (result?: BatchResult) => {
    if (result !== undefined && result.success > 0) offerUndo(kind, result.success, undoIds.current);
    onClose(result);
  };
  return (
    <BatchDialog
      title={text.titles[kind](expected)}
      submitLabel="Save"
      total={expected}
      texts={texts}
      run={runWith(changes ?? {})}
      invalid={changes === null}
      onInvalid={onTried}
      renderName={nameOf}
      onClose={close}
    >
      {differs}
      {fields}
    </BatchDialog>
  );
}

function AcknowledgeBatchDialog({ chosen, count, onClose }: BatchActionDialogProps) {
  const nameOf = useIssueNames();
  const { expected, differs, runWith } = useQueryBatch<null>(count, {
    run:
      (wanted, _, onCount) =>
      ({ onlyIds }) => {
        const body = { ...toTarget(chosen, wanted, onlyIds), changes: createAcknowledgement() };
        return confirmAgainOnMismatch(call(acknowledgeIssues, { body }), onCount);
      },
    invalidates: [issueKey],
    countChangedText: text.changedMeanwhile,
  });
  return (
    <BatchDialog
      title={issueText.acknowledgeTitle(expected)}
      submitLabel={issueText.setAcknowledged}
      total={expected}
      texts={texts}
      run={runWith(null)}
      renderName={nameOf}
      onClose={onClose}
    >
      {differs}
      <div>{issueText.acknowledgeQuestion}</div>
    </BatchDialog>
  );
}

function useIssueNames(): (id: string) => string | undefined {
  const client = useQueryClient();
  return (id) => {
    const shown = client
      .getQueriesData<{ objects: ListedIssue[] }>({ queryKey: [issueKey, "list"] })
      .flatMap(([, page]) => page?.objects ?? [])
      .find((issue) => issue.id === id);
    return shown && `${issueTypeLabels[shown.data.issueType]}, ${shown.sens}`;
  };
}
