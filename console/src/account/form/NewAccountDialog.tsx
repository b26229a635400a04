// Creates an account: name, role, the e-mail address of the invitation, and whether it is for another organization (AC-08).
import { emailSchema } from "@psp/contract/account/account.ts";
import { getRole } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { FormHelperText } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { call } from "../../api/call.ts";
import { useUser } from "../../api/session/session.tsx";
import { useAttempt } from "../../api/useFailure.ts";
import { useGoAfterSave, useSearchParameter } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useDraftKey, useNewObjectFields } from "../../entity/draft.ts";
import { SwitchField } from "../../entity/page/SwitchField.tsx";
import type { NamedRef } from "../../entity/reference/ReferenceSelect.tsx";
import { EmailField } from "../../invitation/EmailField.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { NameField, nameError, RoleField, useCreateAccountGuard } from "./AccountFields.tsx";
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
// Sub-accounts of the same organization are mostly colleagues, who have a dialog of their own.
const empty = { name: "", role: null as NamedRef | null, email: "", otherOrganization: true };

/** Whether the user's account has an organization and an address that sub-accounts can share. */
function useCanShareOrganization(): boolean {
  const { parentAccounts, country } = useUser();
  return parentAccounts.length > 0 && country !== null;
}

export function NewAccountDialog() {
  const guard = useCreateAccountGuard();
  const go = useGoAfterSave();
  const attempt = useAttempt();
  const toasts = useToasts();
  const create = accountQueries.useCreate();
  const { values, set, isTyped, restored, discard } = useNewObjectFields(empty, useDraftKey("account", "new"));
  const { name, role: chosen, email } = values;
  const canShare = useCanShareOrganization();
  const otherOrganization = !canShare || values.otherOrganization;
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
      await create.mutateAsync({ name: name.trim(), role: role.id, email: parsed.data, otherOrganization });
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
      {canShare ? (
        <OrganizationSwitch isOther={otherOrganization} onChange={(next) => set("otherOrganization", next)} />
      ) : null}
    </FormDialog>
  );
}

function OrganizationSwitch({ isOther, onChange }: { isOther: boolean; onChange: (isOther: boolean) => void }) {
  const hint = useId();
  return (
    <div>
      <SwitchField label={accountText.otherOrganization} checked={isOther} onChange={onChange} describedBy={hint} />
      <FormHelperText id={hint}>
        {isOther ? accountText.otherOrganizationHint : accountText.sameOrganizationHint}
      </FormHelperText>
    </div>
  );
}
