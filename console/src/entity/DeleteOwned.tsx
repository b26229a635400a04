// Delete dialog over a list: explains why deleting isn't allowed, or asks for confirmation.
import { type ReactNode, useEffect, useState } from "react";
import { useGoAfterSave, useParam } from "../address/navigation.tsx";
import { failureText, useAttempt, useFailureToast } from "../api/useFailure.ts";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { LoadingBar } from "../ui/feedback/LoadingBar.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import type { Entity, OwnedRow } from "./entity.ts";

type DeleteDialogProps = {
  found: boolean;
  error: Error | null;
  mayDelete: boolean | undefined;
  remove: { isIdle: boolean; mutateAsync: () => Promise<unknown> };
  title: string;
  question: ReactNode;
  fields?: ReactNode;
  /** Title of the error toast. */
  failed: string;
  refused: string;
  deleted: string;
  back: string;
  confirmLabel?: string;
  /** Text the user must type first. */
  typeToConfirm?: string | undefined;
  /** Replaces the success toast and the return to the list. */
  onDeleted?: () => void;
};

export function DeleteDialog(props: DeleteDialogProps) {
  const { error, mayDelete, remove, failed, refused, back, onDeleted } = props;
  const go = useGoAfterSave();
  const toasts = useToasts();
  const fail = useFailureToast();
  const attempt = useAttempt();
  const [done, setDone] = useState(false);
  // Once the deletion has started, a missing object is not an error.
  const reason = !remove.isIdle ? null : error !== null ? failureText(error) : mayDelete === false ? refused : null;
  useEffect(() => {
    if (reason === null) return;
    fail(failed)(new Error(reason));
    go(back, { replace: true });
  }, [reason, fail, failed, go, back]);
  // Shows the dialog only when the actor is known to have the right.
  if (!props.found || reason !== null || (mayDelete === undefined && remove.isIdle)) return <LoadingBar />;
  return (
    <ConfirmDialog
      open={!done}
      title={props.title}
      confirmLabel={props.confirmLabel ?? "Delete"}
      fields={props.fields}
      {...(props.typeToConfirm !== undefined && { typeToConfirm: props.typeToConfirm })}
      onConfirm={() =>
        attempt(failed, async () => {
          await remove.mutateAsync();
          setDone(true);
          if (onDeleted !== undefined) return onDeleted();
          toasts.success(props.deleted);
          go(back, { replace: true });
        })
      }
      onClose={() => go(back, { replace: true })}
    >
      {props.question}
    </ConfirmDialog>
  );
}

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
