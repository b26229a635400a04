// Batches over open issues: assign, note, snooze, acknowledge.
import { changeIssues } from "@psp/contract/monitoring/issue-work.api.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { useRef } from "react";
import type { SearchParams } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { useCan } from "../../api/session/useCan.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import { type BatchActionDialogProps, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { toBatchTarget, useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { issueKey } from "../issue-count.ts";
import {
  AcknowledgeDialog,
  issueOutcomes,
  type IssueTarget,
  type ToIssueTarget,
  useIssueNames,
} from "../logs/AcknowledgeDialog.tsx";
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
    dialog: (props: BatchActionDialogProps) => (
      <AcknowledgeDialog {...props} toTarget={toTarget} counted={text.counted} />
    ),
  };
  return useListBatch(filters, [...actions, acknowledging], { total });
}

/** Parameters of the page as filters of a batch, which are JSON values. */
const toTarget: ToIssueTarget = ({ selection, filters }, count) => {
  const { acknowledged, snoozed, ...others } = filters;
  const flags = {
    ...(acknowledged === undefined ? {} : { acknowledged: acknowledged === "true" }),
    ...(snoozed === undefined ? {} : { snoozed: [snoozed].flat().map((one) => one === "true") }),
  };
  const chosen = { selection, filters: { ...others, ...flags } };
  const target = toBatchTarget<IssueTarget>(chosen, count, { ids: "ids", query: "query" });
  return target.query === undefined ? target : { ...target, query: { ...target.query, open: true } };
};

function WorkBatchDialog({ kind, chosen, count, onClose }: BatchActionDialogProps & { kind: WorkKind }) {
  const undoIds = useRef<string[]>([]);
  const offerUndo = useUndoOffer();
  const nameOf = useIssueNames();
  const ids = chosen.selection.mode === "page" ? [...chosen.selection.ids] : [];
  const { fields, changes, onTried } = useWorkFields({ kind, ids, count, assignee: null, isSnoozed: true });
  const { expected, differs, runWith } = useQueryBatch<WorkChanges>(count, {
    run:
      (wanted, values, onCount) =>
      async ({ onlyIds }) => {
        const target = onlyIds === undefined ? toTarget(chosen, wanted) : { ids: [...onlyIds] };
        const body = { ...target, changes: values };
        const result = await confirmAgainOnMismatch(call(changeIssues, { body }), onCount);
        undoIds.current.push(result.undoID);
        return result;
      },
    invalidates: [issueKey],
    counted: text.counted,
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
      texts={issueOutcomes}
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
