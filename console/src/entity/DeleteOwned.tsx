// The one way to delete something: asked over its list, refused with the reason where it may not be, confirmed quietly.
import { type ReactNode, useEffect, useState } from "react";
import { useGoFromHere, useParam } from "../address/navigation.tsx";
import { failureText, useAttempt, useFailure } from "../api/useFailure.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { Opening } from "../ui/feedback/Opening.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import type { Entity, OwnedRow } from "./entity.ts";

type DeleteDialogProps = {
  found: boolean;
  error: Error | null;
  /** Undefined while the rights are being found out. */
  mayDelete: boolean | undefined;
  remove: { isIdle: boolean; mutateAsync: () => Promise<unknown> };
  title: string;
  /** Names the object and the consequence. */
  question: ReactNode;
  fields?: ReactNode;
  /** Toast's title when it fails. */
  failed: string;
  /** Reason for those who may not. */
  refused: string;
  deleted: string;
  /** Path of the list below. */
  back: string;
  confirmLabel?: string;
  /** To be typed first. */
  typeToConfirm?: string | undefined;
  /** What follows instead of a word and the list. */
  onDeleted?: () => void;
};

export function DeleteDialog(props: DeleteDialogProps) {
  const { error, mayDelete, remove, failed, refused, back, onDeleted } = props;
  const go = useGoFromHere();
  const toasts = useToasts();
  const fail = useFailure();
  const attempt = useAttempt();
  const [done, setDone] = useState(false);
  // Once it is being deleted, that it is gone is no failure.
  const reason = !remove.isIdle ? null : error !== null ? failureText(error) : mayDelete === false ? refused : null;
  useEffect(() => {
    if (reason === null) return;
    fail(failed)(new Error(reason));
    go(back, { replace: true });
  }, [reason, fail, failed, go, back]);
  // Not asked before it is known that the actor may do it.
  if (!props.found || reason !== null || (mayDelete === undefined && remove.isIdle)) return <Opening />;
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

/** Asks before an object is deleted that belongs to an account; opens over the list at its delete address. */
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
