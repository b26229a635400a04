// Editing a role: name, owner and permissions; read-only for those who may not edit it (spec 1 §2, §5).
import { isShown } from "@psp/contract/kit/id-reply.ts";
import type { Role } from "@psp/contract/role/role.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import Alert from "@mui/material/Alert";
import { useMemo } from "react";
import { isAnyWrong } from "../entity/name-and-owner.tsx";
import type { OwnerRef } from "../entity/reference/OwnerSelect.tsx";
import { useFailure } from "../api/useFailure.ts";
import { useDraft } from "../entity/draft.ts";
import { EditDialog } from "../entity/edit-dialog.tsx";
import { useLoadedWithOwner } from "../entity/loaded.ts";
import { useGo, useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan } from "../session/useCan.ts";
import { useNewOwners } from "../entity/owner-choice.ts";
import { Opening } from "../ui/feedback/Opening.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { EffectiveAccess } from "./EffectiveAccess.tsx";
import { PermissionEditor } from "./PermissionEditor.tsx";
import { RoleFields, roleErrors } from "./RoleFields.tsx";
import { toPermissions, toRights } from "./permission.form.ts";
import { useCountStronger, useRole, useStronger, useUpdateRole } from "./role.queries.ts";
import { roleText } from "./role.text.ts";
import { StrongerRoles } from "./StrongerRoles.tsx";

export function EditRoleDialog() {
  const loaded = useLoadedWithOwner(useRole(useParam("id")), roleText.roleLoadFailed, paths.roles);
  return loaded === undefined ? (
    <Opening />
  ) : (
    <EditForm key={loaded.object._id} role={loaded.object} owner={loaded.owner} />
  );
}

function EditForm({ role, owner }: { role: Role; owner: Owner }) {
  const can = useCan();
  const fail = useFailure();
  const update = useUpdateRole(role._id);
  const own = role._id === can.actor.roleId;
  const readOnly = !can.editRole({ id: role._id, owner });
  const current = useMemo(
    () => ({
      name: role.name,
      owner: { id: role.owner._id, name: role.owner.name } as OwnerRef | null,
      rights: toRights(role.permissions),
    }),
    [role],
  );
  const draft = useDraft(current, role.version);
  const { values, changed, set } = draft;
  const owners = useNewOwners("role", owner, "role");
  const go = useGo();
  const toasts = useToasts();
  const countStronger = useCountStronger(role._id);
  const { data: stronger } = useStronger(role._id, toPermissions(values.rights));
  return (
    <EditDialog
      title={role.name}
      subtitle={roleText.subtitle}
      subject={roleText.subject}
      maxWidth={760}
      readOnly={readOnly}
      // "Cancel" in both modes (spec 1 §2).
      cancelLabel="Cancel"
      draft={draft}
      isWrong={isAnyWrong(roleErrors(values))}
      save={async (seen) => {
        const change = {
          ...(changed.includes("name") ? { name: values.name.trim() } : {}),
          ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
          ...(changed.includes("rights") ? { permissions: toPermissions(values.rights) } : {}),
        };
        const answer = await update.mutateAsync({ change, ...seen });
        if (!isShown(answer)) return answer;
        const kept = changed.includes("rights") ? await countStronger(toPermissions(values.rights)) : 0;
        if (kept > 0)
          toasts.success(roleText.savedButKept(kept), {
            label: roleText.showThem,
            onClick: () => go(paths.role(role._id)),
          });
        return answer;
      }}
      onFailure={(error) => fail(roleText.updateFailed)(error)}
      back={paths.roles}
    >
      {(submitted) => (
        <>
          {own ? <Alert severity="info">{roleText.ownRole}</Alert> : null}
          <RoleFields
            values={values}
            onName={(name) => set("name", name)}
            onOwner={(chosen) => set("owner", chosen)}
            submitted={submitted}
            readOnly={readOnly}
            owners={owners}
          />
          {stronger === undefined ? null : <StrongerRoles stronger={stronger} unsaved={changed.includes("rights")} />}
          <PermissionEditor
            rights={values.rights}
            before={current.rights}
            onChange={(rights) => set("rights", rights)}
            readOnly={readOnly}
          />
          <EffectiveAccess roleId={role._id} rights={values.rights} />
        </>
      )}
    </EditDialog>
  );
}
