// What can be done with many rows that have owners: hand them over, or delete them, one call each (spec 1 §5, §7, 3 §5, §7).
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { changeOwnerSets, deleteSet, possibleOwnersOf } from "@psp/contract/permission/can.ts";
import { isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import { choiceToReceive } from "@psp/contract/permission/standing.ts";
import { useState } from "react";
import type { Search } from "../../address/address.ts";
import { fetchStandings, ownerFrom } from "../../session/standings.ts";
import { type Can, useCan } from "../../session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { Entity, OwnedRow } from "../entity.ts";
import { AccountSelect } from "../reference/AccountSelect.tsx";
import { noChanges, outcomeTexts, ownedBatchText as words } from "./batch.text.ts";
import { type Chosen, itemByItem } from "./item-batch.ts";
import { type ChosenDialogProps, type ListBatch, useListBatch } from "./list-batch.tsx";

type BatchWords = {
  owner: string;
  /** As in "2 role(s)", "hand over roles" and "2 roles". */
  noun: string;
  plural: string;
  many: (count: number) => string;
  deleteManyQuestion: (count: number) => string;
  noDelete: string;
};

/** A noun with the words of its batch. */
type BatchEntity<R extends OwnedRow> = Pick<
  Entity<R>,
  "list" | "page" | "nameOf" | "remove" | "rights" | "useRefresh" | "useShown"
> & {
  type: NamedObject["type"];
  text: BatchWords;
  update: (id: string, change: { owner: string }) => Promise<unknown>;
};

type EntityDialogProps<R extends OwnedRow> = ChosenDialogProps & { entity: BatchEntity<R> };

/** The batch of a list; `filters` and `total` of what is shown. */
export function useOwnedBatch<R extends OwnedRow>(entity: BatchEntity<R>, filters: Search, total: number): ListBatch {
  const { actor } = useCan();
  const { text, rights } = entity;
  const { from, to } = changeOwnerSets(actor, rights.type);
  const actions = [
    {
      label: words.setOwner,
      disabledReason: isEmptySet(from) || isEmptySet(to) ? words.noChangeOwner : undefined,
      dialog: (props: ChosenDialogProps) => <HandOverDialog entity={entity} {...props} />,
      selection: "stays" as const,
    },
    {
      label: words.deleteMany,
      danger: true,
      disabledReason: isEmptySet(deleteSet(actor, rights.type)) ? words.noDeleteAny(text.plural) : undefined,
      dialog: (props: ChosenDialogProps) => <DeleteManyDialog entity={entity} {...props} />,
      selection: "goes" as const,
    },
  ];
  return useListBatch(filters, actions, { total, offerAll: "always" });
}

/** Names one for the list of failures: as some list has shown it, else by its id. */
function useNameById<R extends OwnedRow>({ useShown, nameOf }: BatchEntity<R>): (id: string) => string {
  const shown = useShown();
  return (id) => {
    const row = shown(id);
    return row === undefined ? id : nameOf(row);
  };
}

function HandOverDialog<R extends OwnedRow>({ entity, chosen, count, onClose }: EntityDialogProps<R>) {
  const { text, type, rights } = entity;
  const can = useCan();
  const refresh = entity.useRefresh();
  const [owner, setOwner] = useState<{ id: string; name: string } | null>(null);
  return (
    <BatchDialog
      open
      title={words.setOwnerTitle(text.many(count))}
      submitLabel="Save"
      total={count}
      // Without an owner nothing is tried at all.
      run={
        owner === null
          ? () => Promise.reject(new Error(noChanges))
          : handOverRun(entity, chosen, can, owner.id, refresh)
      }
      texts={outcomeTexts("updated", { noun: text.noun, about: type })}
      renderObject={useNameById(entity)}
      onClose={onClose}
    >
      <AccountSelect
        label={text.owner}
        value={owner?.id ?? null}
        valueName={owner?.name}
        onChange={(id, name) => setOwner(id === null ? null : { id, name })}
        choice={choiceToReceive(rights.type)}
        helperText={words.setOwnerHint(text.plural)}
      />
    </BatchDialog>
  );
}

function DeleteManyDialog<R extends OwnedRow>({ entity, chosen, count, onClose }: EntityDialogProps<R>) {
  const { text, type } = entity;
  const can = useCan();
  const refresh = entity.useRefresh();
  return (
    <BatchDialog
      open
      title={words.deleteManyTitle(text.many(count))}
      submitLabel="Delete"
      danger
      total={count}
      run={deleteRun(entity, chosen, can, refresh)}
      texts={outcomeTexts("deleted", { noun: text.noun, about: type })}
      renderObject={useNameById(entity)}
      onClose={onClose}
    >
      {text.deleteManyQuestion(count)}
    </BatchDialog>
  );
}

/** How the owners of these, and `others`, stand to the actor. */
async function ownersOf({ actor }: Can, items: readonly OwnedRow[], others: readonly string[] = []) {
  const ids = new Set([...others, ...items.map(({ owner }) => owner._id)]);
  ids.delete(actor.id);
  const known = new Map<string, Owner>((await fetchStandings([...ids])).map((one) => [one._id, ownerFrom(one)]));
  known.set(actor.id, actor);
  return (id: string): Owner => known.get(id) ?? { id, parentAccounts: [], roleId: null };
}

function handOverRun<R extends OwnedRow>(
  { type, list, page, update, rights }: BatchEntity<R>,
  chosen: Chosen,
  can: Can,
  owner: string,
  afterwards: () => unknown,
): BatchRun {
  return itemByItem({
    list,
    page,
    chosen,
    afterwards,
    async prepare(items) {
      const ownerOf = await ownersOf(can, items, [owner]);
      return async (item: R) => {
        const { _id: present } = item.owner;
        if (possibleOwnersOf(can.actor, rights.type, ownerOf(present), [ownerOf(owner)]).length === 0)
          return words.wrongOwner(type, item._id, owner);
        if (present !== owner) await update(item._id, { owner });
        return undefined;
      };
    },
  });
}

function deleteRun<R extends OwnedRow>(
  { list, page, remove, text, rights }: BatchEntity<R>,
  chosen: Chosen,
  can: Can,
  afterwards: () => unknown,
): BatchRun {
  return itemByItem({
    list,
    page,
    chosen,
    afterwards,
    async prepare(items) {
      const ownerOf = await ownersOf(can, items);
      return async (item: R) => {
        if (!rights.remove(can, item, ownerOf(item.owner._id))) return text.noDelete;
        await remove(item._id);
        return undefined;
      };
    },
  });
}
