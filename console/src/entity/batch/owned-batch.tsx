// Batch actions for owned objects: hand over or delete, one request each.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { resolveChangeOwnerScopes, resolveDeleteScope, possibleOwnersOf } from "@psp/contract/permission/can.ts";
import { isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import { ownerChoiceForTransfer } from "@psp/contract/permission/standing.ts";
import { useState } from "react";
import type { SearchParams } from "../../address/address.ts";
import { fetchStandings, ownerFromStanding } from "../../api/session/standings.ts";
import { type Can, useCan } from "../../api/session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { Entity, OwnedRow } from "../entity.ts";
import { AccountSelect } from "../reference/AccountSelect.tsx";
import { noChangesText, outcomeTexts, ownedBatchText as words } from "./batch.text.ts";
import { createItemBatch } from "./item-batch.ts";
import { type BatchActionDialogProps, useListBatch } from "./list-batch.tsx";

type BatchWords = {
  owner: string;
  /** As in "2 role(s)", "hand over roles" and "2 roles". */
  noun: string;
  plural: string;
  many: (count: number) => string;
  deleteManyQuestion: (count: number) => string;
  noDelete: string;
};

type BatchEntity<R extends OwnedRow> = Pick<
  Entity<R>,
  "list" | "page" | "nameOf" | "remove" | "rights" | "useRefresh" | "useShown"
> & {
  type: NamedObject["type"];
  text: BatchWords;
  update: (id: string, change: { owner: string }) => Promise<unknown>;
};

type EntityDialogProps<R extends OwnedRow> = BatchActionDialogProps & { entity: BatchEntity<R> };

export function useOwnedBatch<R extends OwnedRow>(entity: BatchEntity<R>, filters: SearchParams, total: number) {
  const { actor } = useCan();
  const { text, rights } = entity;
  const { from, to } = resolveChangeOwnerScopes(actor, rights.type);
  const actions = [
    {
      label: words.setOwner,
      disabledReason: isEmptySet(from) || isEmptySet(to) ? words.noChangeOwner : undefined,
      dialog: (props: BatchActionDialogProps) => <HandOverDialog entity={entity} {...props} />,
      selection: "stays" as const,
    },
    {
      label: words.deleteMany,
      danger: true,
      disabledReason: isEmptySet(resolveDeleteScope(actor, rights.type)) ? words.noDeleteAny(text.plural) : undefined,
      dialog: (props: BatchActionDialogProps) => <DeleteManyDialog entity={entity} {...props} />,
      selection: "goes" as const,
    },
  ];
  return useListBatch(filters, actions, { total, offerAll: "always" });
}

/** Shared by the dialogs; `step` processes one object or returns a reason to refuse. */
function useBatch<R extends OwnedRow>({ entity, chosen, count, onClose }: EntityDialogProps<R>) {
  const can = useCan();
  const shown = entity.useShown();
  const afterwards = entity.useRefresh();
  const { list, page, nameOf } = entity;
  return {
    can,
    dialog: {
      total: count,
      renderName: (id: string) => {
        const row = shown(id);
        return row && nameOf(row);
      },
      onClose,
    },
    run: (step: Step<R>, others: readonly string[] = []): BatchRun =>
      createItemBatch({
        list,
        page,
        chosen,
        afterwards,
        async prepare(items) {
          const ownerOf = await ownersOf(can, items, others);
          return (item: R) => step(item, ownerOf);
        },
      }),
  };
}

type Step<R> = (item: R, ownerOf: (id: string) => Owner) => Promise<string | undefined>;

function HandOverDialog<R extends OwnedRow>(props: EntityDialogProps<R>) {
  const { text, type, rights, update } = props.entity;
  const { can, dialog, run } = useBatch(props);
  const [owner, setOwner] = useState<{ id: string; name: string } | null>(null);
  const handOver =
    ({ id }: { id: string }): Step<R> =>
    async (item, ownerOf) => {
      const { _id: present } = item.owner;
      if (possibleOwnersOf(can.actor, rights.type, ownerOf(present), [ownerOf(id)]).length === 0)
        return words.wrongOwner(type, item._id, id);
      if (present !== id) await update(item._id, { owner: id });
      return undefined;
    };
  return (
    <BatchDialog
      {...dialog}
      title={words.setOwnerTitle(text.many(props.count))}
      submitLabel="Save"
      run={owner === null ? () => Promise.reject(new Error(noChangesText)) : run(handOver(owner), [owner.id])}
      texts={outcomeTexts("updated", { noun: text.noun, about: type })}
    >
      <AccountSelect
        label={text.owner}
        value={owner?.id ?? null}
        valueName={owner?.name}
        onChange={(id, name) => setOwner(id === null ? null : { id, name })}
        choice={ownerChoiceForTransfer(rights.type)}
        helperText={words.setOwnerHint(text.plural)}
      />
    </BatchDialog>
  );
}

function DeleteManyDialog<R extends OwnedRow>(props: EntityDialogProps<R>) {
  const { text, type, rights, remove } = props.entity;
  const { can, dialog, run } = useBatch(props);
  const step: Step<R> = async (item, ownerOf) => {
    if (!rights.remove(can, item, ownerOf(item.owner._id))) return text.noDelete;
    await remove(item._id);
    return undefined;
  };
  return (
    <BatchDialog
      {...dialog}
      title={words.deleteManyTitle(text.many(props.count))}
      submitLabel="Delete"
      danger
      run={run(step)}
      texts={outcomeTexts("deleted", { noun: text.noun, about: type })}
    >
      {text.deleteManyQuestion(props.count)}
    </BatchDialog>
  );
}

async function ownersOf({ actor }: Can, items: readonly OwnedRow[], others: readonly string[]) {
  const ids = new Set([...others, ...items.map(({ owner }) => owner._id)]);
  ids.delete(actor.id);
  const known = new Map<string, Owner>(
    (await fetchStandings([...ids])).map((one) => [one._id, ownerFromStanding(one)]),
  );
  known.set(actor.id, actor);
  return (id: string): Owner => known.get(id) ?? { id, parentAccounts: [], roleId: null };
}
