// The batch of a monitoring log: acknowledging (MO-04).
import { resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import type { SearchParams } from "../../address/address.ts";
import { useCan } from "../../api/session/useCan.ts";
import { type BatchActionDialogProps, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { toBatchTarget } from "../../entity/batch/query-batch.tsx";
import { issueText as text } from "../issue.text.ts";
import { AcknowledgeDialog, type IssueTarget, type ToIssueTarget } from "./AcknowledgeDialog.tsx";
import { type IssueScope, toBatchQuery } from "./issue.parameters.ts";

type IssueBatchProps = {
  scope: IssueScope;
  timeZone: string | null;
  filters: SearchParams;
  total: number;
};

export function useAcknowledgeDisabledReason(): string | undefined {
  const { actor } = useCan();
  return isEmptySet(resolveEditScope(actor, "sensor")) ? text.noAcknowledge : undefined;
}

export function useIssueBatch({ filters, total, scope, timeZone }: IssueBatchProps): ListBatch {
  const disabledReason = useAcknowledgeDisabledReason();
  const toTarget: ToIssueTarget = ({ selection, filters: chosen }, count) =>
    toBatchTarget<IssueTarget>({ selection, filters: toBatchQuery(chosen, scope, timeZone) }, count, {
      ids: "ids",
      query: "query",
    });
  const action = {
    label: text.setAcknowledged,
    disabledReason,
    dialog: (props: BatchActionDialogProps) => (
      <AcknowledgeDialog {...props} toTarget={toTarget} counted={text.counted} />
    ),
  };
  return useListBatch(filters, [action], { total });
}
