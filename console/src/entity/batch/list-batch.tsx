// Batch actions of a list: selection, bar and dialogs.
import { useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { SearchParams } from "../../address/address.ts";
import { useMatchedPath } from "../../address/navigation.tsx";
import { sessionStateKey } from "../../api/query-client.ts";
import { type BatchAction, BatchBar } from "../../ui/batch/BatchBar.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { allSelected, canSelectAll, emptySelection, type Selection, countSelected } from "../../ui/table/Selection.ts";
import type { BatchSelection } from "./item-batch.ts";

/** Props of an action's dialog. The selection doesn't change while the dialog is open. */
export type BatchActionDialogProps = {
  chosen: BatchSelection;
  count: number;
  onClose: (result?: BatchResult) => void;
};

export type ListAction = Omit<BatchAction, "onClick"> & {
  dialog: (props: BatchActionDialogProps) => ReactNode;
  /** What happens to the selection when the dialog closes. `untilTried` (default) clears it only if the batch ran. */
  selection?: "stays" | "goes" | "untilTried";
};

type ListBatchOptions = {
  total: number;
  /** Rows can't be selected in the current view. */
  none?: boolean;
  /** When to offer "Select all"; `whileSome` hides it when all rows are selected. */
  offerAll?: "always" | "whileSome";
};

export function useListBatch(
  filters: SearchParams,
  actions: readonly ListAction[],
  { total, none = false, offerAll = "whileSome" }: ListBatchOptions,
) {
  const [selection, setSelection] = useSelection(filters);
  const [open, setOpen] = useState<{ action: string; chosen: BatchSelection; count: number } | null>(null);
  const count = none ? 0 : countSelected(selection, total);
  const opened = actions.find(({ label }) => label === open?.action);
  // The bar renders deferred, so its buttons must read the latest selection from the ref.
  const ticked = { chosen: { selection, filters }, count };
  const last = useRef(ticked);
  useLayoutEffect(() => void (last.current = ticked));
  const onClose = (result?: BatchResult) => {
    const { selection: then = "untilTried" } = opened ?? {};
    setOpen(null);
    if (then === "goes" || (then === "untilTried" && result !== undefined)) setSelection(emptySelection);
  };
  return {
    selection,
    setSelection,
    bar: (
      <BatchBar
        count={count}
        total={total}
        offerAll={canSelectAll(selection) && (offerAll === "always" || count < total)}
        onSelectAll={() => setSelection(allSelected)}
        onCancel={() => setSelection(emptySelection)}
        actions={actions.map(({ dialog: _dialog, selection: _selection, ...action }) => ({
          ...action,
          onClick: () => {
            const now = last.current;
            startTransition(() => setOpen({ action: action.label, ...now }));
          },
        }))}
      />
    ),
    dialog:
      open === null ? null : (
        <Fragment key={open.action}>{opened?.dialog({ chosen: open.chosen, count: open.count, onClose })}</Fragment>
      ),
  };
}

export type ListBatch = ReturnType<typeof useListBatch>;

type Kept = { key: string; selection: Selection };

/** Selection for the current filters. Kept for the session, so that it survives opening a row and coming back. */
function useSelection(filters: object): [Selection, (selection: Selection) => void] {
  const client = useQueryClient();
  const path = useMatchedPath();
  const key = JSON.stringify(filters);
  const [kept, setKept] = useState<Kept>(
    () => client.getQueryData<Kept>([sessionStateKey, "selection", path]) ?? { key, selection: emptySelection },
  );
  const isOfOthers = kept.key !== key;
  if (isOfOthers) setKept({ key, selection: emptySelection });
  useEffect(() => void client.setQueryData<Kept>([sessionStateKey, "selection", path], kept), [client, path, kept]);
  return [isOfOthers ? emptySelection : kept.selection, (selection) => setKept({ key, selection })];
}
