// Editing a role: name, owner and permissions; read-only for those who may not edit it (spec 1 §2, §5).
import type { Role } from "@psp/contract/role/role.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import Alert from "@mui/material/Alert";
import { useCallback, useEffect, useMemo, useState } from "react";
import { CallError } from "../api/call.ts";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useDraft } from "../draft.ts";
import { useGo, useParam } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { ConflictDialog } from "../ui/ConflictDialog.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { EffectiveAccess } from "./EffectiveAccess.tsx";
import { PermissionEditor } from "./PermissionEditor.tsx";
import { checkBasics, type RoleBasics, RoleFields } from "./RoleFields.tsx";
import { nameOfRight, toPermissions, toRights } from "./permission.form.ts";
import { useRole, useUpdateRole } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

/** The server's sentence; for 308 with the right that went too far. */
function refusalOf(error: unknown): string {
  const scope = error instanceof CallError ? error.details["scope"] : undefined;
  return typeof scope === "string" ? `${failureText(error)} (${nameOfRight(scope)})` : failureText(error);
}

export function EditRoleDialog() {
  const id = useParam("id");
  const go = useGo();
  const fail = useFailure();
  const { data: role, isPlaceholderData, error } = useRole(id);
  const { ownerOf, ready } = useOwners(role === undefined ? [] : [role.owner._id]);
  useEffect(() => {
    if (error === null) return;
    fail(roleText.roleLoadFailed)(error);
    go(paths.roles, { replace: true });
  }, [error, fail, go]);
  if (role === undefined || error !== null || isPlaceholderData || !ready) return null;
  return <EditForm key={role._id} role={role} owner={ownerOf(role.owner._id)} />;
}

function EditForm({ role, owner }: { role: Role; owner: Owner }) {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const update = useUpdateRole(role._id);
  const [submitted, setSubmitted] = useState(false);
  const [conflict, setConflict] = useState(false);
  const own = role._id === can.actor.roleId;
  const readOnly = own || !can.edit("role", owner);
  const current = useMemo(
    () => ({
      name: role.name,
      owner: { id: role.owner._id, name: role.owner.name } as RoleBasics["owner"],
      rights: toRights(role.permissions),
    }),
    [role],
  );
  const { values, changed, baseVersion, set, discard } = useDraft(current, role.version);
  const allowOwner = useCallback(
    (candidate: Owner) => candidate.id === owner.id || can.changeOwner("role", owner, candidate),
    [can, owner],
  );
  const setBasic = useCallback(
    <K extends keyof RoleBasics>(name: K, value: RoleBasics[K]) => {
      const change: Partial<RoleBasics> = { [name]: value };
      if (change.name !== undefined) set("name", change.name);
      if (change.owner !== undefined) set("owner", change.owner);
    },
    [set],
  );
  const close = () => go(paths.roles, { replace: true });
  const save = async (overwrite: boolean) => {
    setConflict(false);
    setSubmitted(true);
    if (Object.keys(checkBasics(values)).length > 0) return;
    if (changed.length === 0) return close();
    const change = {
      ...(changed.includes("name") ? { name: values.name.trim() } : {}),
      ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
      ...(changed.includes("rights") ? { permissions: toPermissions(values.rights) } : {}),
    };
    try {
      await update.mutateAsync({ change, ...(overwrite ? {} : { version: baseVersion }) });
      close();
    } catch (failure) {
      if (failure instanceof CallError && failure.status === 412) setConflict(true);
      else toasts.error({ title: roleText.updateFailed, text: refusalOf(failure), key: roleText.updateFailed });
    }
  };
  return (
    <>
      <FormDialog
        open
        title={role.name}
        subtitle={roleText.subtitle}
        maxWidth={760}
        readOnly={readOnly}
        // "Cancel" in both modes (spec 1 §2).
        cancelLabel="Cancel"
        dirty={changed.length > 0}
        onSubmit={() => save(false)}
        onClose={close}
      >
        {own ? <Alert severity="info">{roleText.ownRole}</Alert> : null}
        <RoleFields values={values} set={setBasic} submitted={submitted} readOnly={readOnly} allowOwner={allowOwner} />
        <PermissionEditor
          rights={values.rights}
          before={current.rights}
          onChange={(rights) => set("rights", rights)}
          readOnly={readOnly}
        />
        <EffectiveAccess roleId={role._id} rights={values.rights} />
      </FormDialog>
      <ConflictDialog
        open={conflict}
        subject={roleText.subject}
        onReload={() => {
          setConflict(false);
          discard();
        }}
        onOverwrite={() => void save(true)}
        onClose={() => setConflict(false)}
      />
    </>
  );
}
