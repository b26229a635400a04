// Creates an account: name, role and the e-mail address of the invitation (AC-08).
import { emailSchema } from "@psp/contract/account/account.ts";
import { getRole } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useAttempt } from "../../api/useFailure.ts";
import { useGoAfterSave, useSearchParameter } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useDraftKey, useNewObjectFields } from "../../entity/draft.ts";
import type { NamedRef } from "../../entity/reference/ReferenceSelect.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { EmailField, NameField, nameError, RoleField, useCreateAccountGuard } from "./AccountFields.tsx";
import { accountQueries } from "../account.queries.ts";
import { accountText } from "../account.text.ts";

function useGivenRole(id: string | null, allow: (role: Role) => boolean) {
  return useQuery({
    queryKey: ["role", "one", id],
    queryFn: ({ signal }) => call(getRole, { params: { id: id ?? "" }, signal }),
    enabled: id !== null,
    select: (role): NamedRef | null => (allow(role) ? { id: role._id, name: role.name } : null),
  });
}
const empty = { name: "", role: null as NamedRef | null, email: "" };

export function NewAccountDialog() {
  const guard = useCreateAccountGuard();
  const go = useGoAfterSave();
  const attempt = useAttempt();
  const toasts = useToasts();
  const create = accountQueries.useCreate();
  const { values, set, isTyped, restored, discard } = useNewObjectFields(empty, useDraftKey("account", "new"));
  const { name, role: chosen, email } = values;
  const [asked] = useSearchParameter("role");
  const { data: given } = useGivenRole(asked, guard.allow);
  const [submitted, setSubmitted] = useState(false);
  const role = chosen ?? given ?? guard.only;
  // If the URL has a role parameter, it must be dropped, because it would filter the list.
  const back = { replace: true, query: asked === null ? "keep" : "dropList" } as const;

  const parsed = emailSchema.safeParse(email);
  const submit = async () => {
    setSubmitted(true);
    if (nameError(name) !== undefined || role === null || !parsed.success) return;
    await attempt(accountText.createFailed, async () => {
      await create.mutateAsync({ name: name.trim(), role: role.id, email: parsed.data });
      discard();
      toasts.success(accountText.invited(parsed.data));
      go(paths.accounts, back);
    });
  };
  return (
    <FormDialog
      open={guard.open}
      title={accountText.newTitle}
      submitLabel="Create"
      dirty={isTyped}
      restored={restored}
      onDiscard={discard}
      onSubmit={submit}
      onClose={() => go(paths.accounts, back)}
    >
      <NameField value={name} onChange={(next) => set("name", next)} submitted={submitted} />
      <RoleField
        value={role}
        onChange={(next) => set("role", next)}
        allow={guard.allow}
        availability={guard.availability}
        submitted={submitted}
      />
      <EmailField value={email} onChange={(next) => set("email", next)} submitted={submitted} />
    </FormDialog>
  );
}
