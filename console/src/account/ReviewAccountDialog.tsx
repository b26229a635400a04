// Reviewing a sign-up: what was registered, below whom the account shall hang, and the decision (spec 1 §2, §4).
import type { Account } from "@psp/contract/account/account.ts";
import { registrationSteps } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Role } from "@psp/contract/role/role.ts";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import TextField from "@mui/material/TextField";
import { useCallback, useEffect, useState } from "react";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useGo, useParam } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { RoleSelect } from "../role/RoleSelect.tsx";
import { toOwner, useCan, useOwners } from "../session/useCan.ts";
import { Disabled } from "../ui/Disabled.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { AccountSelect } from "./AccountSelect.tsx";
import { useAccount, useUpdateAccount } from "./account.queries.ts";
import { awaitsReview, isGivable } from "./account.rules.ts";
import { accountText } from "./account.text.ts";

export function ReviewAccountDialog() {
  const id = useParam("id");
  const go = useGo();
  const fail = useFailure();
  const { data: account, isPlaceholderData, isError, error } = useAccount(id);
  useEffect(() => {
    if (!isError) return;
    fail(accountText.updateFailed)(new Error(failureText(error)));
    go(paths.accounts, { replace: true });
  }, [isError, error, fail, go]);
  if (account === undefined || isPlaceholderData || isError) return null;
  return <ReviewAccount key={id} account={account} />;
}

type Ref = { id: string; name: string };

function ReviewAccount({ account }: { account: Account }) {
  const can = useCan();
  const go = useGo();
  const fail = useFailure();
  const toasts = useToasts();
  const update = useUpdateAccount(account._id);
  const [parent, setParent] = useState<Ref | null>(null);
  const [role, setRole] = useState<Ref | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const mayEdit = can.edit("owner", toOwner(account));
  const waiting = awaitsReview(account);
  const { ownerOf } = useOwners(parent === null ? [] : [parent.id]);
  const place = parent === null ? null : ownerOf(parent.id);
  // The server takes a parent that may be edited and that is not the account itself or below it.
  const allowParent = useCallback(
    (one: Owner) =>
      one.id !== account._id &&
      !one.parentAccounts.includes(account._id) &&
      !can.actor.parentAccounts.includes(one.id) &&
      can.edit("owner", one),
    [can, account._id],
  );
  const parentAccounts = JSON.stringify(place === null ? account.parentAccounts : [...place.parentAccounts, place.id]);
  const allowRole = useCallback(
    (one: Role) =>
      isGivable(can.actor, one, {
        id: account._id,
        parentAccounts: JSON.parse(parentAccounts) as string[],
        roleId: null,
      }),
    [can.actor, account._id, parentAccounts],
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
      <div>{accountText.reviewQuestion}</div>
      <Registration account={account} />
      <AccountSelect
        label={accountText.parent}
        value={parent?.id ?? null}
        valueName={parent?.name}
        onChange={useCallback((id: string | null, name: string) => setParent(id === null ? null : { id, name }), [])}
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
  const day = (at: string | undefined) => (at === undefined ? null : new Date(at).toLocaleDateString("en-GB"));
  const agreed = legal === null ? null : `${day(legal.dpaAcceptedAt)} (${legal.dpaVersion})`;
  const facts: readonly (readonly [label: string, value: string | null | undefined])[] = [
    [accountText.firstName, legal?.firstName],
    [accountText.familyName, legal?.familyName],
    [accountText.department, legal?.department],
    [accountText.organization, account.name],
    [accountText.phoneNumber, account.phone],
    [accountText.emailField, info?.credentials.email ?? account.credentials[0]?.email],
    [accountText.street, account.street],
    [accountText.streetNumber, account.streetNumber],
    [accountText.postalCode, account.zip],
    [accountText.city, account.city],
    [accountText.country, account.country],
    [accountText.supplier, account.supplier],
    [accountText.dpa, agreed],
    [accountText.eula, day(legal?.eulaAcceptedAt)],
  ];
  return (
    <Box
      sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "repeat(2, minmax(0, 1fr))" } }}
    >
      {facts.map(([label, value]) => (
        <TextField key={label} label={label} value={value ?? "-"} slotProps={{ input: { readOnly: true } }} />
      ))}
    </Box>
  );
}
