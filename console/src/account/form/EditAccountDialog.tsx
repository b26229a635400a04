// Edits an account's name, role and logins; sends only changes (AC-10).
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import type { Account } from "@psp/contract/account/account.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import { Box } from "@mui/material";
import { useMemo, useState } from "react";
import { useDraft, useDraftKey } from "../../entity/draft.ts";
import { useLastChange } from "../../entity/last-change.ts";
import type { NamedRef } from "../../entity/reference/ReferenceSelect.tsx";
import { useGoAfterSave } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { type DialogTab, DialogTabs } from "../../entity/page/DialogTabs.tsx";
import { createAccessTab } from "../../entity/access/AccountAccess.tsx";
import { createHistoryTab } from "../../audit/History.tsx";
import { DefaultHours } from "../../opening/DefaultHours.tsx";
import { openingText } from "../../opening/opening.text.ts";
import { useSaving } from "../../entity/saving.ts";
import { useUndo } from "../../entity/undo.ts";
import { useUser } from "../../api/session/session.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { ConflictDialog } from "../../ui/form/ConflictDialog.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import {
  AccountLoader,
  NameField,
  nameError,
  noAssignableRole,
  RoleField,
  useRoleAvailability,
  useCanAssignRole,
} from "./AccountFields.tsx";
import { AccountCounts, loginsSectionId } from "./AccountCounts.tsx";
import { emailError } from "../../invitation/email-error.ts";
import { CredentialsForm } from "../credentials/CredentialsForm.tsx";
import { accountQueries as entity, arePasswordsAccepted } from "../account.queries.ts";
import { accountText } from "../account.text.ts";
import {
  toCredentialChanges,
  currentPasswordError,
  type CredentialsDraft,
  hasChanges,
  emptyDraft,
  passwordErrors,
  type PasswordEntry,
} from "../credentials/credentials.draft.ts";

export const EditAccountDialog = () => (
  <AccountLoader>{(account, owner) => <EditAccount key={account._id} account={account} owner={owner} />}</AccountLoader>
);

const tabsOf = (account: Account, mayEdit: boolean): DialogTab[] => [
  { id: "hours", label: openingText.tab, content: <DefaultHours account={account} mayEdit={mayEdit} /> },
  createAccessTab(account),
  createHistoryTab("account", account._id, mayEdit),
];

/** Whether the login changes pass the local checks. The server evaluates the passwords separately. */
function isInOrder(draft: CredentialsDraft, account: Account, isOwn: boolean): boolean {
  const { changed, removed, added } = draft;
  if (isOwn && currentPasswordError(draft) !== undefined) return false;
  const isRight = (passwords: PasswordEntry, needed: boolean) =>
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

type Basics = { name: string; role: NamedRef | null };

const basicsOf = ({ name, role }: Account): Basics => ({
  name,
  role: role === null ? null : { id: role._id, name: role.name },
});

const toChange = ({ name, role }: Basics, changed: readonly (keyof Basics)[]) => ({
  ...(changed.includes("name") ? { name: name.trim() } : {}),
  ...(changed.includes("role") && role !== null ? { role: role.id } : {}),
});

function EditAccount({ account, owner }: { account: Account; owner: Holder }) {
  const can = useCan();
  const go = useGoAfterSave();
  const update = entity.useUpdate(account._id);
  const readOnly = !can.editAccount(owner);
  const getsNoRole = !can.receiveRole(owner);
  const isOwn = useUser()._id === account._id;
  const current = useMemo(() => basicsOf(account), [account]);
  // Name and role survive a reload; logins and passwords are never stored.
  const key = useDraftKey("account", account._id);
  const { values, changed, baseVersion, set, restored, discard } = useDraft(current, account.version, key);
  const offerUndo = useUndo(entity, accountText.subject);
  const [logins, setLogins] = useState<CredentialsDraft>(emptyDraft);
  const [submitted, setSubmitted] = useState(false);
  const allow = useCanAssignRole(owner);
  const availability = useRoleAvailability(allow);
  // Users who can't view other accounts opened the dialog from the page of their own account.
  const close = () => go(can.viewAnyAccount() ? paths.accounts : paths.myAccount, { replace: true });

  const saving = useSaving({
    baseVersion,
    attempt: async (seen) => {
      setSubmitted(true);
      // `account.role` is also null if the user can't view the role. A role is then not required.
      const roleMissing = values.role === null && account.role !== null;
      if (nameError(values.name) !== undefined || roleMissing || !isInOrder(logins, account, isOwn)) return;
      const credentialChanges = toCredentialChanges(logins);
      const change = {
        ...toChange(values, changed),
        ...(credentialChanges.length > 0 ? { credentialChanges } : {}),
      };
      if (Object.keys(change).length === 0) return close();
      const passwords = credentialChanges.flatMap((one) =>
        one.operation === "REMOVE" ? [] : [{ password: one.newPassword, email: one.email }],
      );
      if (!(await arePasswordsAccepted(passwords, values.name))) return;
      const stored = await update.mutateAsync({ change, ...seen });
      discard();
      const isReversible = credentialChanges.length === 0 && (current.role !== null || !changed.includes("role"));
      if (isFullObject(stored) && isReversible)
        offerUndo(stored, { change: toChange(current, changed), title: accountText.changed });
      close();
    },
    failed: accountText.updateFailed,
    onReload: () => {
      discard();
      setLogins(emptyDraft);
    },
  });
  const lastChange = useLastChange("account", account, saving.conflict.open);
  return (
    <>
      <FormDialog
        open={readOnly || availability.ready}
        title={account.name}
        maxWidth={600}
        cancelLabel="Close"
        readOnly={readOnly}
        dirty={changed.length > 0 || hasChanges(logins)}
        restored={restored}
        onDiscard={discard}
        keeps={changed.length > 0}
        unkept={hasChanges(logins) ? accountText.loginsNotKept : undefined}
        onSubmit={saving.save}
        onClose={close}
      >
        <DialogTabs tabs={tabsOf(account, !readOnly)}>
          <AccountCounts account={account} />
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
            availability={getsNoRole ? noAssignableRole : availability}
            submitted={submitted && account.role !== null}
            readOnly={readOnly || isRoot(owner)}
            hint={isRoot(owner) ? accountText.rootKeepsRole : account.role === null ? accountText.roleGone : undefined}
          />
          <Box id={loginsSectionId} tabIndex={-1} sx={{ "&:focus-visible": { outline: "none" } }}>
            <CredentialsForm
              account={account}
              holder={owner}
              draft={logins}
              onChange={setLogins}
              submitted={submitted}
              readOnly={readOnly}
            />
          </Box>
        </DialogTabs>
      </FormDialog>
      <ConflictDialog subject={accountText.subject} detail={lastChange} {...saving.conflict} />
    </>
  );
}
