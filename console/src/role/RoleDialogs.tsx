// Creating, editing and deleting a role. Its permissions are given when it is edited (spec 1 §2, §5, §7).
import { isShown } from "@psp/contract/kit/id-reply.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { Alert } from "@mui/material";
import { useGo, useParam } from "../address/navigation.tsx";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { EditOwned } from "../entity/EditOwned.tsx";
import {
  type NameAndOwner,
  nameAndOwnerChange,
  NameAndOwnerFields,
  nameProblem,
  type OwnedFieldsProps,
  ownerRef,
} from "../entity/name-and-owner.tsx";
import { NewOwned } from "../entity/NewOwned.tsx";
import { paths } from "../address/paths.ts";
import { useActor } from "../session/session.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { EffectiveAccess } from "./EffectiveAccess.tsx";
import { PermissionEditor } from "./PermissionEditor.tsx";
import { type Rights, toPermissions, toRights } from "./permission.form.ts";
import { role } from "./role.entity.ts";
import { roleText as text } from "./role.text.ts";
import { StrongerRoles, useCountStronger, useStronger } from "./StrongerRoles.tsx";

type Fields = NameAndOwner & { rights: Rights };

const errorsOf = ({ name, owner }: NameAndOwner) => ({
  name: nameProblem(name, text.nameRequired),
  owner: owner === null ? text.ownerRequired : undefined,
});

function BasicFields<V extends NameAndOwner>({
  set,
  ...rest
}: OwnedFieldsProps<Role | undefined, V & Record<string, unknown>>) {
  return (
    <NameAndOwnerFields
      {...rest}
      text={{ name: text.name, owner: text.owner }}
      onName={(name) => set("name", name)}
      onOwner={(owner) => set("owner", owner)}
    />
  );
}

const refusals = { none: { title: text.noAccount }, notAllowed: { title: text.createForEmpty } };
const empty: NameAndOwner = { name: "", owner: null };

export function NewRoleDialog() {
  const go = useGo();
  const toasts = useToasts();
  return (
    <NewOwned
      entity={role}
      form={{ errorsOf, Fields: BasicFields }}
      text={text}
      refusals={refusals}
      empty={empty}
      toNew={({ name }, owner) => ({ name: name.trim(), owner: owner.id, permissions: {} })}
      onCreated={(made, { name }) => {
        const next = { label: text.setPermissions, onClick: () => go(paths.role(made._id)) };
        toasts.success(text.created(name.trim()), isShown(made) ? next : undefined);
      }}
    />
  );
}

function PermissionFields(props: OwnedFieldsProps<Role, Fields>) {
  const { row, saved, values, changed, set, readOnly } = props;
  const { data: stronger } = useStronger(row._id, toPermissions(values.rights));
  return (
    <>
      {row._id === useActor().roleId ? <Alert severity="info">{text.ownRole}</Alert> : null}
      <BasicFields {...props} />
      {stronger === undefined ? null : <StrongerRoles stronger={stronger} unsaved={changed.includes("rights")} />}
      <PermissionEditor
        rights={values.rights}
        before={saved.rights}
        onChange={(rights) => set("rights", rights)}
        readOnly={readOnly}
      />
      <EffectiveAccess roleId={row._id} rights={values.rights} />
    </>
  );
}

const editForm = {
  toFields: (one: Role): Fields => ({ name: one.name, owner: ownerRef(one), rights: toRights(one.permissions) }),
  toChange: (values: Fields, changed: readonly string[]) => ({
    ...nameAndOwnerChange(values, changed),
    ...(changed.includes("rights") ? { permissions: toPermissions(values.rights) } : {}),
  }),
  errorsOf,
  Fields: PermissionFields,
};

export function EditRoleDialog() {
  const id = useParam("id");
  const go = useGo();
  const toasts = useToasts();
  const countStronger = useCountStronger(id);
  const sayWhatIsKept = async (permissions: Permissions) => {
    const kept = await countStronger(permissions);
    const showThem = { label: text.showThem, onClick: () => go(paths.role(id)) };
    if (kept > 0) toasts.success(text.savedButKept(kept), showThem);
  };
  return (
    <EditOwned
      entity={role}
      form={editForm}
      text={text}
      noun="role"
      maxWidth={760}
      // "Cancel" in both modes (spec 1 §2).
      cancelLabel="Cancel"
      onSaved={async (_saved, { rights }, changed) => {
        if (changed.includes("rights")) await sayWhatIsKept(toPermissions(rights));
      }}
    />
  );
}

export function DeleteRoleDialog() {
  return <DeleteOwned entity={role} />;
}
