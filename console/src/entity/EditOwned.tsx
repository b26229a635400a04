// Editing an object that belongs to an account over its list; read-only for those who may not edit it.
import { type IdReply, isShown } from "@psp/contract/kit/id-reply.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useMemo } from "react";
import { useParam } from "../address/navigation.tsx";
import { useFailure } from "../api/useFailure.ts";
import { useCan } from "../session/useCan.ts";
import { Opening } from "../ui/feedback/Opening.tsx";
import { useDraft } from "./draft.ts";
import { EditDialog } from "./edit-dialog.tsx";
import type { Entity, OwnedRow } from "./entity.ts";
import { useLoadedWithOwner } from "./loaded.ts";
import { isAnyWrong } from "./name-and-owner.tsx";
import { useNewOwners } from "./owner-choice.ts";
import type { EditForm, OwnedValues } from "./owned-form.ts";

type EditOwnedProps<R extends OwnedRow, V extends OwnedValues, Change> = {
  entity: Pick<Entity<R, never, Change>, "useOne" | "useUpdate" | "nameOf" | "paths" | "rights">;
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
  /** What follows a save; the dialog closes afterwards. */
  onSaved?: (saved: R, values: V, changed: readonly (keyof V & string)[]) => Promise<void>;
};

export function EditOwned<R extends OwnedRow, V extends OwnedValues, Change>(props: EditOwnedProps<R, V, Change>) {
  const { entity, text } = props;
  const loaded = useLoadedWithOwner(entity.useOne(useParam("id")), text.oneFailed, entity.paths.list);
  return loaded === undefined ? (
    <Opening />
  ) : (
    <Form {...props} key={loaded.object._id} row={loaded.object} owner={loaded.owner} />
  );
}

function Form<R extends OwnedRow, V extends OwnedValues, Change>(
  props: EditOwnedProps<R, V, Change> & { row: R; owner: Owner },
) {
  const { entity, form, text, row, owner, onSaved } = props;
  const { toFields, Fields } = form;
  const fail = useFailure();
  const update = entity.useUpdate(row._id);
  const readOnly = !entity.rights.edit(useCan(), row, owner);
  const saved = useMemo(() => toFields(row), [toFields, row]);
  const draft = useDraft(saved, row.version);
  const { values, changed, set } = draft;
  const owners = useNewOwners(entity.rights.type, owner, props.noun);
  const errors = form.errorsOf(values, changed);
  return (
    <EditDialog
      title={entity.nameOf(row)}
      subtitle={text.subtitle}
      subject={text.subject}
      {...(props.maxWidth === undefined ? {} : { maxWidth: props.maxWidth })}
      readOnly={readOnly}
      {...(props.cancelLabel === undefined ? {} : { cancelLabel: props.cancelLabel })}
      draft={draft}
      isWrong={isAnyWrong(errors)}
      save={async (seen) => {
        const answer: R | IdReply = await update.mutateAsync({ change: form.toChange(values, changed), ...seen });
        if (isShown(answer)) await onSaved?.(answer, values, changed);
        return answer;
      }}
      onFailure={fail(text.updateFailed)}
      back={entity.paths.list}
    >
      {(submitted) => <Fields {...{ row, saved, values, changed, set, errors, submitted, readOnly, owners }} />}
    </EditDialog>
  );
}
