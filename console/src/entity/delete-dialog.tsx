// The one way to delete something: asked over its list, refused with the reason where it may not be, confirmed quietly.
import { useEffect, useState } from "react";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useGoFromHere } from "../address/navigation.tsx";
import { ConfirmDialog } from "../ui/form/ConfirmDialog.tsx";
import { Opening } from "../ui/feedback/Opening.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";

type DeleteDialogProps = {
  /** Undefined while it is loading. */
  found: boolean;
  /** Why it could not be loaded. */
  error: Error | null;
  /** Undefined while the rights are being found out. */
  mayDelete: boolean | undefined;
  remove: { isIdle: boolean; mutateAsync: () => Promise<unknown> };
  title: string;
  /** Names the object and the consequence. */
  question: string;
  /** Toast's title when it fails. */
  failed: string;
  /** Reason for those who may not. */
  refused: string;
  deleted: string;
  /** Path of the list below. */
  back: string;
  confirmLabel?: string;
  /** What follows instead of a word and the list. */
  onDeleted?: () => void;
};

export function DeleteDialog({
  found,
  error,
  mayDelete,
  remove,
  title,
  question,
  failed,
  refused,
  deleted,
  back,
  confirmLabel = "Delete",
  onDeleted,
}: DeleteDialogProps) {
  const go = useGoFromHere();
  const toasts = useToasts();
  const fail = useFailure();
  const [done, setDone] = useState(false);
  // Once it is being deleted, that it is gone is no failure.
  const reason = !remove.isIdle ? null : error !== null ? failureText(error) : mayDelete === false ? refused : null;
  useEffect(() => {
    if (reason === null) return;
    fail(failed)(new Error(reason));
    go(back, { replace: true });
  }, [reason, fail, failed, go, back]);
  // Nobody is asked what they may turn out not to do.
  if (!found || reason !== null || (mayDelete === undefined && remove.isIdle)) return <Opening />;
  return (
    <ConfirmDialog
      open={!done}
      title={title}
      confirmLabel={confirmLabel}
      onConfirm={async () => {
        try {
          await remove.mutateAsync();
          setDone(true);
          if (onDeleted !== undefined) return onDeleted();
          toasts.success(deleted);
          go(back, { replace: true });
        } catch (failure) {
          fail(failed)(failure);
        }
      }}
      onClose={() => go(back, { replace: true })}
    >
      {question}
    </ConfirmDialog>
  );
}
