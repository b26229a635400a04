// What can be done with several rows of a list at once: their selection, the bar that shows it, the dialog that is open.
import { useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, startTransition, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Search } from "../../address/address.ts";
import { useMatchedPath } from "../../address/navigation.tsx";
import { keptKey } from "../../api/query-client.ts";
import { type BatchAction, BatchBar } from "../../ui/batch/BatchBar.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { allSelected, canSelectAll, emptySelection, type Selection, selectionCount } from "../../ui/table/Selection.ts";
import type { Chosen } from "./item-batch.ts";

/** What the dialog of an action gets: the selection as it was when it opened, whatever the list becomes meanwhile. */
export type ChosenDialogProps = {
  chosen: Chosen;
  count: number;
  /** Gets the result when something was tried. */
  onClose: (result?: BatchResult) => void;
};

export type ListAction = Omit<BatchAction, "onClick"> & {
  dialog: (props: ChosenDialogProps) => ReactNode;
  /** Whether the rows stay selected when its dialog is closed; `untilTried` by default. */
  selection?: "stays" | "goes" | "untilTried";
};

type ListBatchOptions = {
  total: number;
  /** No row can be selected where it is shown now. */
  none?: boolean;
  /** "Select all" is of no use once every row is ticked. */
  offerAll?: "always" | "whileSome";
};

/** The batch of a list under these filters. */
export function useListBatch(
  filters: Search,
  actions: readonly ListAction[],
  { total, none = false, offerAll = "whileSome" }: ListBatchOptions,
) {
  const [selection, setSelection] = useSelection(filters);
  const [open, setOpen] = useState<{ action: string; chosen: Chosen; count: number } | null>(null);
  const count = none ? 0 : selectionCount(selection, total);
  const opened = actions.find(({ label }) => label === open?.action);
  // The bar is drawn a moment after the tick: what is pressed before that is meant for what is ticked.
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

/**
 * The selection under these filters, and how to change it; under other filters nothing is chosen. It waits for
 * who opens a row and comes back, as long as the session lasts.
 */
function useSelection(filters: object): [Selection, (selection: Selection) => void] {
  const client = useQueryClient();
  const path = useMatchedPath();
  const key = JSON.stringify(filters);
  const [kept, setKept] = useState<Kept>(
    () => client.getQueryData<Kept>([keptKey, "selection", path]) ?? { key, selection: emptySelection },
  );
  const isOfOthers = kept.key !== key;
  if (isOfOthers) setKept({ key, selection: emptySelection });
  useEffect(() => void client.setQueryData<Kept>([keptKey, "selection", path], kept), [client, path, kept]);
  return [isOfOthers ? emptySelection : kept.selection, (selection) => setKept({ key, selection })];
}
