// The one way to edit something over its list: only what changed is saved, and somebody else's change is asked about.
import { type IdReply, isShown } from "@psp/contract/kit/id-reply.ts";
import { type ReactNode, useState } from "react";
import type { Draft } from "./draft.ts";
import { leftViewText } from "./left-view.ts";
import { useGoFromHere } from "../address/navigation.tsx";
import { type Seen, useSaving } from "./saving.ts";
import { ConflictDialog } from "../ui/form/ConflictDialog.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";

type EditDialogProps = {
  title: string;
  subtitle: string;
  /** As in "the role was changed meanwhile". */
  subject: string;
  maxWidth?: number;
  readOnly: boolean;
  cancelLabel?: string;
  draft: Pick<Draft<Record<string, unknown>>, "changed" | "baseVersion" | "discard">;
  /** Something is wrong with what was typed; the fields say what. */
  isWrong: boolean;
  /** Sends what changed and gives what was answered; a refusal is thrown. */
  save: (seen: Seen) => Promise<IdReply & { version?: number }>;
  onFailure: (error: unknown) => void;
  /** Path of the list below. */
  back: string;
  /** The fields; they show everything that is wrong once `submitted`. */
  children: (submitted: boolean) => ReactNode;
};

export function EditDialog(props: EditDialogProps) {
  const { draft, back } = props;
  const go = useGoFromHere();
  const toasts = useToasts();
  const [submitted, setSubmitted] = useState(false);
  const close = () => go(back, { replace: true });
  const isChanged = draft.changed.length > 0;
  const saving = useSaving({
    baseVersion: draft.baseVersion,
    attempt: async (seen) => {
      setSubmitted(true);
      if (props.isWrong) return;
      const answer = isChanged ? await props.save(seen) : null;
      if (answer && !isShown(answer)) toasts.success(leftViewText(props.subject));
      close();
    },
    onFailure: props.onFailure,
    onReload: draft.discard,
  });
  return (
    <>
      <FormDialog
        open
        title={props.title}
        subtitle={props.subtitle}
        {...(props.maxWidth === undefined ? {} : { maxWidth: props.maxWidth })}
        readOnly={props.readOnly}
        {...(props.cancelLabel === undefined ? {} : { cancelLabel: props.cancelLabel })}
        dirty={isChanged}
        onSubmit={saving.save}
        onClose={close}
      >
        {props.children(submitted)}
      </FormDialog>
      <ConflictDialog subject={props.subject} {...saving.conflict} />
    </>
  );
}
