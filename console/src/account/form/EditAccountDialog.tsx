// Editing an account: name, role and logins; only what was changed is sent (spec 1 §2, §3, §5).
import type { Account } from "@psp/contract/account/account.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useMemo, useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useDraft } from "../../entity/draft.ts";
import type { Ref } from "../../entity/reference/ReferenceSelect.tsx";
import { useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useSaving } from "../../entity/saving.ts";
import { useUser } from "../../session/session.tsx";
import { useCan } from "../../session/useCan.ts";
import { ConflictDialog } from "../../ui/form/ConflictDialog.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import {
  LoadedAccount,
  NameField,
  nameError,
  noneAssignable,
  RoleField,
  useAssignable,
  useMayGive,
} from "./AccountFields.tsx";
import { CredentialsForm } from "../credentials/CredentialsForm.tsx";
import { account as entity, areGoodPasswords } from "../account.queries.ts";
import { accountText } from "../account.text.ts";
import {
  changesOf,
  currentError,
  type CredentialsDraft,
  emailError,
  isTouched,
  noDraft,
  passwordErrors,
  type Passwords,
} from "../credentials/credentials.draft.ts";

export const EditAccountDialog = () => (
  <LoadedAccount>{(account, owner) => <EditAccount key={account._id} account={account} owner={owner} />}</LoadedAccount>
);

/** Is everything that was typed into the logins in order, but for what the server says of the passwords? */
function isInOrder(draft: CredentialsDraft, account: Account, isOwn: boolean): boolean {
  const { changed, removed, added } = draft;
  if (isOwn && currentError(draft) !== undefined) return false;
  const isRight = (passwords: Passwords, needed: boolean) =>
    Object.keys(passwordErrors(passwords, true, needed)).length === 0;
  const present = account.credentials.map(({ email }) => email).filter((email) => !removed.has(email));
  return (
    Object.entries(changed).every(([email, passwords]) => removed.has(email) || isRight(passwords, false)) &&
    added.every((one) => {
      const others = [...present, ...added.filter(({ key }) => key !== one.key).map(({ email }) => email)];
      return emailError(one.email, others) === undefined && isRight(one, true);
    })
  );
}

function EditAccount({ account, owner }: { account: Account; owner: Owner }) {
  const can = useCan();
  const go = useGoFromHere();
  const fail = useFailure();
  const update = entity.useUpdate(account._id);
  const readOnly = !can.editAccount(owner);
  const getsNoRole = !can.receiveRole(owner);
  const isOwn = useUser()._id === account._id;
  const current = useMemo(
    (): { name: string; role: Ref | null } => ({
      name: account.name,
      role: account.role === null ? null : { id: account.role._id, name: account.role.name },
    }),
    [account],
  );
  const { values, changed, baseVersion, set, discard } = useDraft(current, account.version);
  const [logins, setLogins] = useState<CredentialsDraft>(noDraft);
  const [submitted, setSubmitted] = useState(false);
  const allow = useMayGive(owner);
  const assignable = useAssignable(allow);
  // Those who see no other account came from their own.
  const close = () => go(can.viewAnyAccount() ? paths.accounts : paths.myAccount, { replace: true });

  const saving = useSaving({
    baseVersion,
    attempt: async (seen) => {
      setSubmitted(true);
      // A role that can't be seen is none that is missing.
      const roleMissing = values.role === null && account.role !== null;
      if (nameError(values.name) !== undefined || roleMissing || !isInOrder(logins, account, isOwn)) return;
      const credentialChanges = changesOf(logins);
      const change = {
        ...(changed.includes("name") ? { name: values.name.trim() } : {}),
        ...(changed.includes("role") && values.role !== null ? { role: values.role.id } : {}),
        ...(credentialChanges.length > 0 ? { credentialChanges } : {}),
      };
      if (Object.keys(change).length === 0) return close();
      const passwords = credentialChanges.flatMap((one) =>
        one.operation === "REMOVE" ? [] : [{ password: one.newPassword, email: one.email }],
      );
      if (!(await areGoodPasswords(passwords, values.name))) return;
      await update.mutateAsync({ change, ...seen });
      close();
    },
    onFailure: fail(accountText.updateFailed),
    onReload: () => {
      discard();
      setLogins(noDraft);
    },
  });
  return (
    <>
      <FormDialog
        open={readOnly || assignable.ready}
        title={account.name}
        maxWidth={600}
        cancelLabel="Close"
        readOnly={readOnly}
        dirty={changed.length > 0 || isTouched(logins)}
        onSubmit={saving.save}
        onClose={close}
      >
        <NameField
          value={values.name}
          onChange={(name) => set("name", name)}
          submitted={submitted}
          readOnly={readOnly}
        />
        <RoleField
          value={values.role}
          onChange={(role) => set("role", role)}
          allow={allow}
          assignable={getsNoRole ? noneAssignable : assignable}
          submitted={submitted && account.role !== null}
          readOnly={readOnly || isRoot(owner)}
          hint={isRoot(owner) ? accountText.rootKeepsRole : account.role === null ? accountText.roleGone : undefined}
        />
        <CredentialsForm
          account={account}
          draft={logins}
          onChange={setLogins}
          submitted={submitted}
          readOnly={readOnly}
        />
      </FormDialog>
      <ConflictDialog subject={accountText.subject} {...saving.conflict} />
    </>
  );
}
