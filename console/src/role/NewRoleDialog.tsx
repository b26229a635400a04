// Creating a role: name and owner; its permissions are given afterwards, in the edit dialog (spec 1 §2, §7).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { createSet } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { useFailure } from "../api/useFailure.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useHoldsAnybody } from "../session/useCan.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { checkBasics, type RoleBasics, RoleFields } from "./RoleFields.tsx";
import { useCreateRole } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

/** Why nobody can be the owner: no account at all, or none that allows it; null while it is not known or somebody can. */
function useNobody(): string | null {
  const can = useCan();
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "role"), [can.actor]));
  const { data: anybody } = useQuery({
    queryKey: ["account", "any"],
    queryFn: async ({ signal }) => {
      const found = await call(listAccounts, { query: { limit: "1" }, signal });
      return (Array.isArray(found) ? found : found.objects).length > 0;
    },
    enabled: mayCreate === false,
  });
  if (mayCreate !== false || anybody === undefined) return null;
  return anybody ? roleText.createForEmpty : roleText.noAccount;
}

export function NewRoleDialog() {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const fail = useFailure();
  const create = useCreateRole();
  const nobody = useNobody();
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "role"), [can.actor]));
  const allowOwner = useCallback((owner: Owner) => can.createFor("role", owner), [can]);
  const [values, setValues] = useState<RoleBasics>({ name: "", owner: null });
  const [submitted, setSubmitted] = useState(false);
  const set = useCallback(
    <K extends keyof RoleBasics>(name: K, value: RoleBasics[K]) =>
      setValues((before) => ({ ...before, [name]: value })),
    [],
  );
  useEffect(() => {
    if (nobody === null) return;
    toasts.error({ title: nobody });
    go(paths.roles, { replace: true });
  }, [nobody, toasts, go]);
  const submit = async () => {
    setSubmitted(true);
    if (Object.keys(checkBasics(values)).length > 0 || values.owner === null) return;
    try {
      const role = await create.mutateAsync({ name: values.name.trim(), owner: values.owner.id, permissions: {} });
      toasts.success(roleText.created(role.name), {
        label: roleText.setPermissions,
        onClick: () => go(paths.role(role._id)),
      });
      go(paths.roles, { replace: true });
    } catch (error) {
      fail(roleText.createFailed)(error);
    }
  };
  return (
    <FormDialog
      open={mayCreate === true}
      title={roleText.newTitle}
      submitLabel="Create"
      dirty={values.name !== ""}
      onSubmit={submit}
      onClose={() => go(paths.roles, { replace: true })}
    >
      <RoleFields
        values={values}
        set={set}
        submitted={submitted}
        readOnly={false}
        allowOwner={allowOwner}
        preselectOwner
      />
    </FormDialog>
  );
}
