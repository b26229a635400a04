// Dialog that edits an owned object over its list.
// Sends only changes, handles concurrent changes, and is read-only without the right to edit.
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useMemo, useState } from "react";
import { useGoAfterSave, useParam } from "../address/navigation.tsx";
import { useCan } from "../api/session/useCan.ts";
import { LoadingBar } from "../ui/feedback/LoadingBar.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConflictDialog } from "../ui/form/ConflictDialog.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useDraft, useDraftKey } from "./draft.ts";
import type { Entity, OwnedRow } from "./entity.ts";
import { useLastChange } from "./last-change.ts";
import { useLoadedObjectWithOwner } from "./loaded.ts";
import { type EditForm, hasErrors, type OwnedValues } from "./name-and-owner.tsx";
import { useNewOwnerChoice } from "./owner-choice.ts";
import { type DialogTab, DialogTabs } from "./page/DialogTabs.tsx";
import { noLongerVisibleText, useSaving } from "./saving.ts";
import { useUndo } from "./undo.ts";

type EditOwnedProps<R extends OwnedRow, V extends OwnedValues, Change> = {
  entity: Pick<
    Entity<R, never, Change>,
    "type" | "useOne" | "useUpdate" | "update" | "useRefresh" | "nameOf" | "paths" | "rights"
  >;
  form: EditForm<R, V, Change>;
  text: {
    subtitle: string;
    /** As in "the role was changed meanwhile". */
    subject: string;
    oneFailed: string;
    updateFailed: string;
  };
  /** As in "the role's owner". */
  noun: string;
  maxWidth?: number;
  cancelLabel?: string;
  tabs?: (row: R, mayEdit: boolean) => readonly DialogTab[];
  /** Called after a save, before the dialog closes. */
  onSaved?: (saved: R, values: V, changed: readonly (keyof V & string)[]) => Promise<void>;
};

export function EditOwned<R extends OwnedRow, V extends OwnedValues, Change>(props: EditOwnedProps<R, V, Change>) {
  const { entity, text } = props;
  const loaded = useLoadedObjectWithOwner(entity.useOne(useParam("id")), text.oneFailed, entity.paths.list);
  return loaded === undefined ? (
    <LoadingBar />
  ) : (
    <Form {...props} key={loaded.object._id} row={loaded.object} owner={loaded.owner} />
  );
}

function Form<R extends OwnedRow, V extends OwnedValues, Change>(
  props: EditOwnedProps<R, V, Change> & { row: R; owner: Owner },
) {
  const { entity, form, text, row, owner, noun, maxWidth, cancelLabel } = props;
  const { toFields, Fields } = form;
  const go = useGoAfterSave();
  const toasts = useToasts();
  const update = entity.useUpdate(row._id);
  const readOnly = !entity.rights.edit(useCan(), row, owner);
  const saved = useMemo(() => toFields(row), [toFields, row]);
  const key = useDraftKey(entity.type, row._id);
  const { values, changed, set, baseVersion, restored, discard } = useDraft(saved, row.version, key);
  const offerUndo = useUndo(entity, text.subject);
  const owners = useNewOwnerChoice(entity.rights.owners ?? entity.rights.type, owner, noun);
  const errors = form.errorsOf(values, changed);
  const [submitted, setSubmitted] = useState(false);
  const close = () => go(entity.paths.list, { replace: true });
  const { save, conflict } = useSaving({
    baseVersion,
    attempt: async (seen) => {
      setSubmitted(true);
      if (hasErrors(errors)) return;
      if (changed.length > 0) {
        const answer: R | IdResponse = await update.mutateAsync({ change: form.toChange(values, changed), ...seen });
        discard();
        if (isFullObject(answer)) {
          offerUndo(answer, { change: form.toChange(saved, changed), title: "Changes saved" });
          await props.onSaved?.(answer, values, changed);
        } else toasts.success(noLongerVisibleText(text.subject));
      }
      close();
    },
    failed: text.updateFailed,
    onReload: discard,
  });
  const lastChange = useLastChange(entity.type, row, conflict.open);
  return (
    <>
      <FormDialog
        open
        title={entity.nameOf(row)}
        subtitle={text.subtitle}
        maxWidth={maxWidth}
        readOnly={readOnly}
        cancelLabel={cancelLabel}
        dirty={changed.length > 0}
        restored={restored}
        onDiscard={discard}
        onSubmit={save}
        onClose={close}
      >
        <DialogTabs tabs={props.tabs?.(row, !readOnly) ?? []}>
          <Fields {...{ row, saved, values, changed, set, errors, submitted, readOnly, owners }} />
        </DialogTabs>
      </FormDialog>
      <ConflictDialog subject={text.subject} detail={lastChange} {...conflict} />
    </>
  );
}
