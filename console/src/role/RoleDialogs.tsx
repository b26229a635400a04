// Dialogs to create, edit and delete a role (RO-02).
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { Alert, Box, Stack } from "@mui/material";
import { useState } from "react";
import { useGo, useParam } from "../address/navigation.tsx";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { EditOwned } from "../entity/EditOwned.tsx";
import {
  type NameAndOwner,
  toNameAndOwnerChange,
  NameAndOwnerFields,
  validateName,
  type OwnedFieldsProps,
  toOwnerRef,
} from "../entity/name-and-owner.tsx";
import { NewOwned } from "../entity/NewOwned.tsx";
import { createHistoryTab } from "../audit/History.tsx";
import { CountLinks } from "../entity/CountLinks.tsx";
import { paths } from "../address/paths.ts";
import { useActor } from "../api/session/session.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { EffectiveAccess } from "./EffectiveAccess.tsx";
import { PermissionEditor } from "./PermissionEditor.tsx";
import { InviteWithRole } from "./InviteWithRole.tsx";
import { tabOf } from "./matrix/matrix.ts";
import { type Rights, rightTabs, toPermissions, toRights } from "./permission.form.ts";
import { RoleMatrix } from "./matrix/RoleMatrix.tsx";
import { role } from "./role.entity.ts";
import { roleText as text } from "./role.text.ts";
import { TemplateSelect } from "./TemplateSelect.tsx";
import { StrongerRoles, useCountStrongerRoles, useStrongerRoles } from "./StrongerRoles.tsx";
import { type RoleTemplate, applyTemplate } from "./templates.ts";

type Fields = NameAndOwner & { rights: Rights };

const errorsOf = ({ name, owner }: NameAndOwner) => ({
  name: validateName(name, text.nameRequired),
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
type NewFields = NameAndOwner & { start: RoleTemplate };
const empty: NewFields = { name: "", owner: null, start: "empty" };

function NewFields(props: OwnedFieldsProps<undefined, NewFields>) {
  return (
    <>
      <BasicFields {...props} />
      <TemplateSelect value={props.values.start} onChange={(start) => props.set("start", start)} />
    </>
  );
}

export function NewRoleDialog() {
  const toasts = useToasts();
  const actor = useActor();
  return (
    <NewOwned
      entity={role}
      form={{ errorsOf, Fields: NewFields }}
      text={text}
      refusals={refusals}
      empty={empty}
      toNew={({ name, start }, owner) => ({
        name: name.trim(),
        owner: owner.id,
        permissions: applyTemplate(actor, start).permissions,
      })}
      onCreated={(_made, { name }) => toasts.success(text.created(name.trim()))}
      pathOf={(made) => (isFullObject(made) ? paths.role(made._id) : null)}
    />
  );
}

const inList = { viewType: "list" };

function PermissionFields(props: OwnedFieldsProps<Role, Fields>) {
  const { row, saved, values, changed, set, readOnly } = props;
  const { data: stronger } = useStrongerRoles(row._id, toPermissions(values.rights));
  const [tab, setTab] = useState(rightTabs[0]?.id ?? "");
  const [sought, setSought] = useState<{ key: string } | null>(null);
  const open = (key: string) => {
    setTab(tabOf(key));
    setSought({ key });
  };
  return (
    <Box sx={columns}>
      <Stack sx={{ gap: 4, minWidth: 0 }}>
        {row._id === useActor().roleId ? <Alert severity="info">{text.ownRole}</Alert> : null}
        <CountLinks label={text.held} related={[{ type: "account", filter: { roleID: row._id }, view: inList }]} />
        <BasicFields {...props} />
        {stronger === undefined ? null : <StrongerRoles stronger={stronger} unsaved={changed.includes("rights")} />}
        <PermissionEditor
          rights={values.rights}
          before={saved.rights}
          onChange={(rights) => set("rights", rights)}
          readOnly={readOnly}
          current={tab}
          onTab={setTab}
          sought={sought}
        />
      </Stack>
      <Stack sx={beside}>
        <RoleMatrix rights={values.rights} before={saved.rights} onOpen={open} />
        <EffectiveAccess roleId={row._id} rights={values.rights} />
        <InviteWithRole role={row} unsaved={changed.length > 0} />
      </Stack>
    </Box>
  );
}

/** On wide screens, the overview is next to the settings and stays visible. On narrow screens, it is below them. */
const columns = {
  display: "grid",
  gap: 6,
  alignItems: "start",
  gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 1fr) minmax(0, 1.1fr)" },
};
const beside = { gap: 4, minWidth: 0, position: { lg: "sticky" }, top: 0 };

const editForm = {
  toFields: (one: Role): Fields => ({ name: one.name, owner: toOwnerRef(one), rights: toRights(one.permissions) }),
  toChange: (values: Fields, changed: readonly string[]) => ({
    ...toNameAndOwnerChange(values, changed),
    ...(changed.includes("rights") ? { permissions: toPermissions(values.rights) } : {}),
  }),
  errorsOf,
  Fields: PermissionFields,
};

export function EditRoleDialog() {
  const id = useParam("id");
  const go = useGo();
  const toasts = useToasts();
  const countStronger = useCountStrongerRoles(id);
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
      maxWidth={1320}
      // The button reads "Cancel" in both modes (docs/rules/permissions.md#roles-page).
      cancelLabel="Cancel"
      tabs={({ _id }, mayEdit) => [createHistoryTab("role", _id, mayEdit)]}
      onSaved={async (_saved, { rights }, changed) => {
        if (changed.includes("rights")) await sayWhatIsKept(toPermissions(rights));
      }}
    />
  );
}

export function DeleteRoleDialog() {
  return <DeleteOwned entity={role} />;
}
