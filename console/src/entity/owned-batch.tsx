// What can be done with many rows that have owners: hand them over, or delete them, one call each (spec 1 §5, §7, 3 §5, §7).
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { type Actor, canDelete, changeOwnerSets, deleteSet, possibleOwnersOf } from "@psp/contract/permission/can.ts";
import { choiceToReceive, type CreatedType } from "@psp/contract/permission/standing.ts";
import { isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import { useState } from "react";
import { AccountSelect } from "./reference/AccountSelect.tsx";
import type { Search } from "../address/address.ts";
import { type Chosen, type Item, itemByItem, type ListItems } from "./item-batch.ts";
import type { ListBatch } from "./list-page.tsx";
import { useActor } from "../session/session.tsx";
import { BatchBar } from "../ui/batch/BatchBar.tsx";
import { BatchDialog } from "../ui/batch/BatchDialog.tsx";
import type { BatchTexts } from "../ui/batch/BatchOutcome.tsx";
import type { BatchRun } from "../ui/batch/batchJob.ts";
import { allSelected, canSelectAll, emptySelection, selectionCount } from "../ui/table/Selection.ts";
import { useSelection } from "../ui/table/useSelection.ts";

type OwnedBatchText = {
  owner: string;
  setOwner: string;
  setOwnerTitle: (count: number) => string;
  setOwnerHint: string;
  noChanges: string;
  noChangeOwner: string;
  wrongOwner: (id: string, owner: string) => string;
  updated: BatchTexts;
  deleteMany: string;
  deleteManyTitle: (count: number) => string;
  deleteManyQuestion: (count: number) => string;
  noDelete: string;
  noDeleteAny: string;
  deletedMany: BatchTexts;
};

/** What a noun says of its batch. */
export type OwnedBatch<T extends Item> = {
  type: CreatedType & NamedObject["type"];
  text: OwnedBatchText;
  list: ListItems<T>;
  handOver: (id: string, owner: string) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
  /** What nobody may delete, whatever their rights. */
  isKept?: (item: T, actor: Actor) => boolean;
  /** Names one for the list of failures. */
  labelOf: (id: string) => string;
  /** Asks anew what a batch has changed. */
  refresh: () => unknown;
};

/** The batch of a list; `filters` and `total` of what is shown. */
export function useOwnedBatch<T extends Item>(noun: OwnedBatch<T>, filters: Search, total: number): ListBatch {
  const actor = useActor();
  const { type, text } = noun;
  const [selection, setSelection] = useSelection(filters);
  const [dialog, setDialog] = useState<{ kind: "owner" | "delete"; count: number } | null>(null);
  const count = selectionCount(selection, total);
  const { from, to } = changeOwnerSets(actor, type);
  const props = {
    noun,
    chosen: { actor, selection, filters },
    // What was chosen when the dialog opened counts, whatever the list becomes meanwhile.
    count: dialog?.count ?? 0,
  };
  const closeDeletion = () => {
    setDialog(null);
    setSelection(emptySelection);
  };
  return {
    selection,
    setSelection,
    bar: (
      <BatchBar
        count={count}
        total={total}
        offerAll={canSelectAll(selection)}
        onSelectAll={() => setSelection(allSelected)}
        onCancel={() => setSelection(emptySelection)}
        actions={[
          {
            label: text.setOwner,
            onClick: () => setDialog({ kind: "owner", count }),
            disabledReason: isEmptySet(from) || isEmptySet(to) ? text.noChangeOwner : undefined,
          },
          {
            label: text.deleteMany,
            danger: true,
            onClick: () => setDialog({ kind: "delete", count }),
            disabledReason: isEmptySet(deleteSet(actor, type)) ? text.noDeleteAny : undefined,
          },
        ]}
      />
    ),
    dialog: (
      <>
        <HandOverDialog {...props} open={dialog?.kind === "owner"} onClose={() => setDialog(null)} />
        <DeleteDialog {...props} open={dialog?.kind === "delete"} onClose={closeDeletion} />
      </>
    ),
  };
}

type DialogProps<T extends Item> = {
  noun: OwnedBatch<T>;
  chosen: Chosen;
  count: number;
  open: boolean;
  onClose: () => void;
};

function HandOverDialog<T extends Item>({ noun, chosen, count, open, onClose }: DialogProps<T>) {
  const { text, type } = noun;
  const [owner, setOwner] = useState<{ id: string; name: string } | null>(null);
  return (
    <BatchDialog
      open={open}
      title={text.setOwnerTitle(count)}
      submitLabel="Save"
      total={count}
      run={handOverRun(noun, chosen, owner?.id ?? null)}
      texts={{ ...text.updated, about: type }}
      renderObject={noun.labelOf}
      onClose={() => {
        setOwner(null);
        onClose();
      }}
    >
      <AccountSelect
        label={text.owner}
        value={owner?.id ?? null}
        valueName={owner?.name}
        onChange={(id, name) => setOwner(id === null ? null : { id, name })}
        choice={choiceToReceive(type)}
        helperText={text.setOwnerHint}
      />
    </BatchDialog>
  );
}

function DeleteDialog<T extends Item>({ noun, chosen, count, open, onClose }: DialogProps<T>) {
  const { text } = noun;
  return (
    <BatchDialog
      open={open}
      title={text.deleteManyTitle(count)}
      submitLabel="Delete"
      danger
      total={count}
      run={deleteRun(noun, chosen)}
      texts={{ ...text.deletedMany, about: noun.type }}
      renderObject={noun.labelOf}
      onClose={onClose}
    >
      {text.deleteManyQuestion(count)}
    </BatchDialog>
  );
}

/** Hands every chosen one to `owner`; without one nothing is tried at all. */
function handOverRun<T extends Item>(noun: OwnedBatch<T>, chosen: Chosen, owner: string | null): BatchRun {
  const { type, text, list, handOver, refresh } = noun;
  if (owner === null) return () => Promise.reject(new Error(text.noChanges));
  const step = (ownerOf: (id: string) => Owner) => async (item: T) => {
    if (possibleOwnersOf(chosen.actor, type, ownerOf(item.owner._id), [ownerOf(owner)]).length === 0)
      return text.wrongOwner(item._id, owner);
    if (item.owner._id !== owner) await handOver(item._id, owner);
    return undefined;
  };
  return itemByItem(list, chosen, [owner], step, () => void refresh());
}

/** Deletes every chosen one that may be deleted. */
function deleteRun<T extends Item>(noun: OwnedBatch<T>, chosen: Chosen): BatchRun {
  const { type, text, list, remove, isKept, refresh } = noun;
  const step = (ownerOf: (id: string) => Owner) => async (item: T) => {
    if (isKept?.(item, chosen.actor) === true || !canDelete(chosen.actor, type, ownerOf(item.owner._id)))
      return text.noDelete;
    await remove(item._id);
    return undefined;
  };
  return itemByItem(list, chosen, [], step, () => void refresh());
}
