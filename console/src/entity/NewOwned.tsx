// Dialog to create an owned object over its list. Redirects users who may not create one.
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import { useState } from "react";
import { useGoAfterSave } from "../address/navigation.tsx";
import { useAttempt } from "../api/useFailure.ts";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useDraftKey, useNewObjectFields } from "./draft.ts";
import type { Entity, OwnedRow } from "./entity.ts";
import { hasErrors, type NewForm, type OwnedValues } from "./name-and-owner.tsx";
import { type Refusals, useRequireCreate } from "./owner-choice.ts";
import type { OwnerRef } from "./reference/AccountSelect.tsx";

type NewOwnedProps<R extends OwnedRow, V extends OwnedValues, New> = {
  entity: Pick<Entity<R, New>, "type" | "useCreate" | "paths" | "rights">;
  form: NewForm<V>;
  text: { newTitle: string; createFailed: string };
  /** Must be stable between renders. */
  refusals: Refusals;
  empty: V;
  /** Whether the user's own account may own the object in any case. */
  isForOwnAccount?: boolean;
  toNew: (values: V, owner: OwnerRef) => New;
  /** Whether the user has entered anything. By default, whether any field has changed except the owner, which may be preselected. */
  isDirty?: (values: V) => boolean;
  onCreated?: (made: R | IdResponse, values: V) => void;
  /** Where to go afterwards; null (default) means the list. */
  pathOf?: (made: R | IdResponse) => string | null;
};

export function NewOwned<R extends OwnedRow, V extends OwnedValues, New>(props: NewOwnedProps<R, V, New>) {
  const { entity, text, empty } = props;
  const { errorsOf, Fields } = props.form;
  const go = useGoAfterSave();
  const attempt = useAttempt();
  const create = entity.useCreate();
  const { mayCreate, owners, own } = useRequireCreate(
    entity.rights.owners ?? entity.rights.type,
    entity.paths.list,
    props.refusals,
    props.isForOwnAccount,
  );
  const { values, set, isTyped, restored, discard } = useNewObjectFields<V>(
    { ...empty, owner: own },
    useDraftKey(entity.type, "new"),
  );
  const [submitted, setSubmitted] = useState(false);
  const errors = errorsOf(values);
  const close = () => go(entity.paths.list, { replace: true });
  const submit = async () => {
    setSubmitted(true);
    const { owner } = values;
    if (hasErrors(errors) || owner === null) return;
    await attempt(text.createFailed, async () => {
      const made = await create.mutateAsync(props.toNew(values, owner));
      discard();
      props.onCreated?.(made, values);
      go(props.pathOf?.(made) ?? entity.paths.list, { replace: true });
    });
  };
  return (
    <FormDialog
      open={mayCreate}
      title={text.newTitle}
      submitLabel="Create"
      dirty={props.isDirty?.(values) ?? isTyped}
      restored={restored}
      onDiscard={discard}
      onSubmit={submit}
      onClose={close}
    >
      <Fields
        row={undefined}
        saved={empty}
        changed={[]}
        readOnly={false}
        {...{ values, set, errors, submitted, owners }}
      />
    </FormDialog>
  );
}
