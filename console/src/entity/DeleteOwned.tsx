// Asks before an object is deleted that belongs to an account; opens over the list at its delete address.
import { useParam } from "../address/navigation.tsx";
import { useCan, useOwners } from "../session/useCan.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import type { Entity, OwnedRow } from "./entity.ts";

type DeleteOwnedProps<R extends OwnedRow> = {
  entity: Pick<Entity<R>, "useOne" | "useRemove" | "nameOf" | "paths" | "rights" | "text">;
};

export function DeleteOwned<R extends OwnedRow>({ entity }: DeleteOwnedProps<R>) {
  const { text, rights } = entity;
  const id = useParam("id");
  const can = useCan();
  const remove = entity.useRemove(id);
  const { data: row, error } = entity.useOne(id, remove.isIdle);
  const { ownerOf, ready } = useOwners(row === undefined ? [] : [row.owner._id]);
  const name = row === undefined ? id : entity.nameOf(row);
  return (
    <DeleteDialog
      found={row !== undefined}
      error={error}
      mayDelete={row !== undefined && ready ? rights.remove(can, row, ownerOf(row.owner._id)) : undefined}
      remove={remove}
      title={text.deleteTitle}
      question={text.deleteQuestion(name, row?.owner.name ?? "")}
      failed={text.deleteFailed}
      refused={text.noDelete}
      deleted={text.deleted(name)}
      back={entity.paths.list}
    />
  );
}
