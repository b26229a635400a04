// Reviewing a sign-up: what was registered, below whom the account shall hang, and the decision (spec 1 §2, §4).
import type { Account } from "@psp/contract/account/account.ts";
import { registrationSteps } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Role } from "@psp/contract/role/role.ts";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useCallback, useMemo, useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useLoaded } from "../../entity/loaded.ts";
import { useGoFromHere, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { RoleSelect } from "../../entity/reference/RoleSelect.tsx";
import { toOwner, useCan, useOwners, useStandings } from "../../session/useCan.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { Opening } from "../../ui/feedback/Opening.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { account as entity } from "../account.queries.ts";
import { awaitsReview } from "../account.rules.ts";
import { accountText } from "../account.text.ts";
import { RegistrationFields } from "../registration/RegistrationFields.tsx";
import { registrationText } from "../registration/registration.text.ts";

export function ReviewAccountDialog() {
  const account = useLoaded(entity.useOne(useParam("id")), accountText.updateFailed, paths.accounts);
  const { ownerOf, ready } = useStandings(account === undefined ? [] : [account._id]);
  if (account === undefined || !ready) return <Opening />;
  return <ReviewAccount key={account._id} account={account} owner={toOwner(account, ownerOf(account._id))} />;
}

type Ref = { id: string; name: string };

function ReviewAccount({ account, owner }: { account: Account; owner: Owner }) {
  const can = useCan();
  const go = useGoFromHere();
  const fail = useFailure();
  const toasts = useToasts();
  const update = entity.useUpdate(account._id);
  const [parent, setParent] = useState<Ref | null>(null);
  const [role, setRole] = useState<Ref | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const mayEdit = can.editAccount(owner);
  const waiting = awaitsReview(account);
  const { ownerOf } = useOwners(parent === null ? [] : [parent.id]);
  const place = parent === null ? null : ownerOf(parent.id);
  // Of those that may be edited: not what hangs below the account, and not the account itself.
  const allowParent = useCallback((one: Owner) => !one.parentAccounts.includes(account._id), [account._id]);
  const notParents = useMemo(() => [account._id, ...can.actor.parentAccounts], [account._id, can.actor]);
  const parentAccounts = place === null ? account.parentAccounts : [...place.parentAccounts, place.id];
  const receiver = JSON.stringify({ ...owner, parentAccounts });
  const allowRole = useCallback(
    (one: Role) => !one.isDeleted && can.giveRole(one, JSON.parse(receiver) as Owner),
    [can, receiver],
  );
  const close = () => go(paths.accounts, { replace: true });

  const decide = async (accepted: boolean) => {
    setSubmitted(accepted);
    if (accepted && parent === null) return;
    const change = accepted
      ? {
          acceptRegistration: true,
          ...(parent === null ? {} : { directParentAccount: parent.id }),
          ...(role === null ? {} : { role: role.id }),
        }
      : { acceptRegistration: false };
    try {
      await update.mutateAsync({ change });
      toasts.success(accepted ? accountText.accepted(account.name) : accountText.rejected(account.name));
      close();
    } catch (failure) {
      fail(accountText.updateFailed)(failure);
    }
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
      {/* What is to be judged is read from its beginning, not from the first field that can be filled in. */}
      <Box
        ref={useCallback((question: HTMLElement | null) => question?.focus(), [])}
        tabIndex={-1}
        // A sentence, not something to act on.
        sx={{ "&:focus-visible": { outline: "none" } }}
      >
        {accountText.reviewQuestion}
      </Box>
      <Registration account={account} />
      <AccountSelect
        label={accountText.parent}
        value={parent?.id ?? null}
        valueName={parent?.name}
        onChange={useCallback((id: string | null, name: string) => setParent(id === null ? null : { id, name }), [])}
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
          label={accountText.reviewRole}
          value={role?.id ?? null}
          valueName={role?.name}
          onChange={(id, name) => setRole(id === null ? null : { id, name })}
          allow={allowRole}
          helperText={accountText.reviewRoleHint}
        />
      ) : null}
    </FormDialog>
  );
}

/** The registration form as it was sent, to be read only. */
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
