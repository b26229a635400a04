// Reviews a sign-up: registration data, parent account and decision (AC-13).
import { type Account, registrationSteps } from "@psp/contract/account/account.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import { holderBelow } from "@psp/contract/permission/why-not.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { Box, Button } from "@mui/material";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useAttempt } from "../../api/useFailure.ts";
import { type NamedRef, toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { useGoAfterSave } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { RoleSelect } from "../../entity/reference/RoleSelect.tsx";
import { toOwner, useCan, useStandings } from "../../api/session/useCan.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { accountQueries as entity } from "../account.queries.ts";
import { awaitsReview } from "../account.rules.ts";
import { accountText } from "../account.text.ts";
import { AccountLoader, useRoleAvailability, useCanAssignRole, useCanAssignRoleToNew } from "./AccountFields.tsx";
import { RegistrationFields } from "../../registration/RegistrationFields.tsx";
import { registrationText } from "../../registration/registration.text.ts";

export const ReviewAccountDialog = () => (
  <AccountLoader>
    {(account, owner) => <ReviewAccount key={account._id} account={account} owner={owner} />}
  </AccountLoader>
);

function ReviewAccount({ account, owner }: { account: Account; owner: Holder }) {
  const can = useCan();
  const go = useGoAfterSave();
  const attempt = useAttempt();
  const toasts = useToasts();
  const update = entity.useUpdate(account._id);
  const [parent, setParent] = useState<NamedRef | null>(null);
  const [role, setRole] = useState<NamedRef | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const mayEdit = can.editAccount(owner);
  const waiting = awaitsReview(account);
  const receiver = useReceiver(owner, parent);
  const allowParent = useCallback((one: Owner) => !one.parentAccounts.includes(account._id), [account._id]);
  const notParents = useMemo(() => [account._id, ...can.actor.parentAccounts], [account._id, can.actor]);
  const allowRole = useCanAssignRole(receiver);
  useRolesMissing(mayEdit && waiting);
  const close = () => go(paths.accounts, { replace: true });

  const decide = async (accepted: boolean) => {
    setSubmitted(accepted);
    if (accepted && parent === null) return;
    const place = accepted && {
      ...(parent === null ? {} : { directParentAccount: parent.id }),
      ...(role === null ? {} : { role: role.id }),
    };
    await attempt(accountText.updateFailed, async () => {
      await update.mutateAsync({ change: { acceptRegistration: accepted, ...place } });
      toasts.success(accepted ? accountText.accepted(account.name) : accountText.rejected(account.name));
      close();
    });
  };
  const disabledReason = waiting ? undefined : accountText.notAwaiting;
  return (
    <FormDialog
      open
      title={accountText.reviewTitle}
      maxWidth={800}
      submitLabel={accountText.accept}
      cancelLabel="Close"
      readOnly={!mayEdit}
      busy={update.isPending}
      submitDisabledReason={disabledReason}
      onSubmit={() => decide(true)}
      onClose={close}
      extraActions={
        mayEdit ? (
          <Disabled reason={disabledReason}>
            <Button color="error" variant="outlined" onClick={() => void decide(false)} sx={{ mr: "auto" }}>
              {accountText.reject}
            </Button>
          </Disabled>
        ) : null
      }
    >
      {/* Focus starts at the beginning of the data to review, not at the first input. */}
      <Box
        ref={useCallback((question: HTMLElement | null) => question?.focus(), [])}
        tabIndex={-1}
        sx={{ "&:focus-visible": { outline: "none" } }}
      >
        {accountText.reviewQuestion}
      </Box>
      <Registration account={account} />
      <AccountSelect
        label={accountText.parent}
        {...toReferenceFieldProps(parent, setParent)}
        choice="adopt"
        exclude={notParents}
        allow={allowParent}
        preselect
        error={submitted && parent === null ? accountText.parentRequired : undefined}
        readOnly={!mayEdit || !waiting}
        clearable={false}
        required
      />
      {mayEdit && waiting && can.viewType("role") ? (
        <RoleSelect
          label={accountText.role}
          {...toReferenceFieldProps(role, setRole)}
          allow={allowRole}
          opens
          helperText={accountText.reviewRoleHint}
        />
      ) : null}
    </FormDialog>
  );
}

/** The account at the position that it will have. */
function useReceiver(owner: Holder, parent: NamedRef | null): Holder {
  const { actor } = useCan();
  // A standing lacks the ancestors; those of the user's own account are known.
  const { data } = entity.useOne(parent?.id ?? "", parent !== null && parent.id !== actor.id);
  const { ownerOf, holderOf } = useStandings(parent === null ? [] : [parent.id]);
  if (parent === null) return owner;
  const above = ownerOf(parent.id);
  return holderBelow(holderOf(data === undefined ? above : toOwner(data, above)), owner);
}

/** Shows a toast if no role can be assigned (client codes 5 and 6). The review is possible without a role. */
function useRolesMissing(isAsked: boolean) {
  const { allow, ready } = useCanAssignRoleToNew();
  const { noRole, none } = useRoleAvailability(allow, ready);
  const toasts = useToasts();
  const reason = noRole ? accountText.changeNoRole : none ? accountText.changeNoAssignable : null;
  useEffect(() => {
    if (isAsked && reason !== null) toasts.error({ title: reason, key: "review without roles" });
  }, [isAsked, reason, toasts]);
}

function Registration({ account }: { account: Account }) {
  const info =
    account.registrationInfo.find(({ stepReached }) => stepReached === registrationSteps.toReview) ??
    account.registrationInfo[0];
  const legal = info?.legal ?? null;
  const email = info?.credentials.email ?? account.credentials[0]?.email;
  const values = { ...account, ...legal, email };
  const day = (at: string) => new Date(at).toLocaleDateString("en-GB");
  const hints = legal && {
    dpa: registrationText.acceptedVersion(day(legal.dpaAcceptedAt), legal.dpaVersion),
    eula: registrationText.accepted(day(legal.eulaAcceptedAt)),
  };
  return (
    <RegistrationFields
      open
      text={(name) => ({ value: values[name] ?? "-", readOnly: true })}
      tick={(name) => ({ checked: legal !== null, hint: hints?.[name], readOnly: true })}
    />
  );
}
