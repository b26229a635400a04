// Creating a role: name and owner; its permissions are given afterwards, in the edit dialog (spec 1 §2, §7).
import { isShown } from "@psp/contract/kit/id-reply.ts";
import { useState } from "react";
import { isAnyWrong, type NameAndOwner } from "../entity/name-and-owner.tsx";
import { useFailure } from "../api/useFailure.ts";
import { useFields } from "../entity/draft.ts";
import { useGo, useGoFromHere } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCreation } from "../entity/owner-choice.ts";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { RoleFields, roleErrors } from "./RoleFields.tsx";
import { useCreateRole } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

const refusals = { none: { title: roleText.noAccount }, notAllowed: { title: roleText.createForEmpty } };
const empty: NameAndOwner = { name: "", owner: null };

export function NewRoleDialog() {
  const go = useGo();
  const leave = useGoFromHere();
  const toasts = useToasts();
  const fail = useFailure();
  const create = useCreateRole();
  const { mayCreate, owners } = useCreation("role", paths.roles, refusals);
  const { values, set } = useFields(empty);
  const [submitted, setSubmitted] = useState(false);
  const submit = async () => {
    setSubmitted(true);
    if (isAnyWrong(roleErrors(values)) || values.owner === null) return;
    try {
      const name = values.name.trim();
      const role = await create.mutateAsync({ name, owner: values.owner.id, permissions: {} });
      const next = { label: roleText.setPermissions, onClick: () => go(paths.role(role._id)) };
      toasts.success(roleText.created(name), isShown(role) ? next : undefined);
      leave(paths.roles, { replace: true });
    } catch (error) {
      fail(roleText.createFailed)(error);
    }
  };
  return (
    <FormDialog
      open={mayCreate}
      title={roleText.newTitle}
      submitLabel="Create"
      dirty={values.name !== ""}
      onSubmit={submit}
      onClose={() => leave(paths.roles, { replace: true })}
    >
      <RoleFields
        values={values}
        onName={(name) => set("name", name)}
        onOwner={(owner) => set("owner", owner)}
        submitted={submitted}
        readOnly={false}
        owners={owners}
      />
    </FormDialog>
  );
}
