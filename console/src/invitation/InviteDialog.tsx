// Invites a colleague: email, what they may do, and what they see (docs/rules/accounts.md#colleagues).
import { emailSchema } from "@psp/contract/account/account.ts";
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { inviteColleague } from "@psp/contract/invitation/invitation.api.ts";
import type { Invitation } from "@psp/contract/invitation/invitation.ts";
import { type AccessLevel, limitForColleague } from "@psp/contract/permission/templates.ts";
import { Alert, Button, Typography } from "@mui/material";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { AppLink, useGo, useGoAfterSave } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call, CallError } from "../api/call.ts";
import { toListResult } from "../api/listed.ts";
import { failureText } from "../api/useFailure.ts";
import { useCan } from "../api/session/useCan.ts";
import { useDraftKey, useNewObjectFields } from "../entity/draft.ts";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import { type NamedRef, toReferenceFieldProps } from "../entity/reference/ReferenceSelect.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EmailField } from "./EmailField.tsx";
import { AccessCards, SeenCards } from "./InvitationCards.tsx";
import { invitationText as text } from "./invitation.text.ts";

const empty = {
  email: "",
  access: "viewer" as AccessLevel,
  seen: "own" as "own" | "below",
  account: null as NamedRef | null,
};

export const InviteFromAccounts = () => <InviteDialog back={paths.accounts} />;
export const InviteFromMyAccount = () => <InviteDialog back={paths.myAccount} />;

type Sent = Invitation & { email: string };

function InviteDialog({ back }: { back: string }) {
  const mayInvite = useInviteGuard(back);
  const go = useGoAfterSave();
  return mayInvite ? <InviteForm onClose={() => go(back, { replace: true })} /> : null;
}

/** Redirects users who can't invite anyone, with a toast. */
function useInviteGuard(back: string): boolean {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const mayInvite = can.invite();
  useEffect(() => {
    if (mayInvite) return;
    toasts.error({ title: text.failed, text: text.denied, key: text.failed });
    go(back, { replace: true });
  }, [mayInvite, back, toasts, go]);
  return mayInvite;
}

/** Whether there are sub-accounts to which the user may invite colleagues. Undefined while loading. */
function useHasSubAccounts(): boolean | undefined {
  const { data, isError } = useQuery({
    queryKey: ["account", "total", "invite"],
    queryFn: async ({ signal }) =>
      toListResult(await call(listAccounts, { query: { choice: "invite", limit: "1" }, signal })).objects.length > 0,
  });
  return isError ? false : data;
}

type Refusal = { field: "email" | "account" | null; message: string };

function toRefusal(error: unknown): Refusal {
  const code = error instanceof CallError ? error.code : 0;
  if (code === errorCode.emailUsed) return { field: "email", message: text.emailUsed };
  if (code === errorCode.emailMissing || code === errorCode.invalidEmail)
    return { field: "email", message: text.emailInvalid };
  const isAboutAccount = error instanceof CallError && error.details["field"] === "account";
  return { field: isAboutAccount ? "account" : null, message: failureText(error) };
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const { actor } = useCan();
  const client = useQueryClient();
  const hasSubAccounts = useHasSubAccounts();
  const fields = useNewObjectFields(empty, useDraftKey("account", "invite"));
  const { values, isTyped, restored, discard } = fields;
  const [sent, setSent] = useState<Sent | null>(null);
  const [isSubmitted, setSubmitted] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const { email, access, seen, account } = values;
  const set: typeof fields.set = (name, value) => {
    setRefusal(null);
    fields.set(name, value);
  };
  const parsed = emailSchema.safeParse(email);
  const isOne = seen === "below" && hasSubAccounts === true;
  const { leftOut } = limitForColleague(actor, access, isOne ? "below" : "own");
  const errorOf = (field: Refusal["field"]) => (refusal?.field === field ? refusal.message : undefined);
  const accountError = isSubmitted && account === null ? text.subAccountRequired : errorOf("account");

  const submit = async () => {
    setSubmitted(true);
    setRefusal(null);
    if (!parsed.success || (isOne && account === null)) return;
    try {
      const body = { email: parsed.data, access, ...(isOne && account ? { account: account.id } : {}) };
      const invitation = await call(inviteColleague, { body });
      discard();
      for (const type of ["account", "role"]) void client.invalidateQueries({ queryKey: [type] });
      setSubmitted(false);
      setSent({ ...invitation, email: parsed.data });
    } catch (error) {
      setRefusal(toRefusal(error));
    }
  };
  return (
    <FormDialog
      // A separate dialog, so that screen readers announce the confirmation and the focus moves into it.
      key={String(sent !== null)}
      open={hasSubAccounts !== undefined}
      title={sent === null ? text.title : text.sentTitle}
      maxWidth={sent === null ? 600 : undefined}
      readOnly={sent !== null}
      submitLabel={text.send}
      dirty={isTyped}
      restored={restored}
      onDiscard={discard}
      error={errorOf(null)}
      onSubmit={submit}
      onClose={onClose}
      extraActions={
        sent === null ? undefined : (
          <Button color="inherit" onClick={() => setSent(null)} sx={{ mr: "auto" }}>
            {text.another}
          </Button>
        )
      }
    >
      {sent === null ? (
        <>
          <EmailField
            value={email}
            onChange={(next) => set("email", next)}
            submitted={isSubmitted}
            refusal={errorOf("email")}
          />
          <AccessCards value={access} onChange={(next) => set("access", next)} seen={isOne ? "below" : "own"} />
          {leftOut.length === 0 ? null : <Alert severity="info">{text.leftOut(leftOut)}</Alert>}
          {hasSubAccounts ? (
            <>
              <SeenCards value={seen} onChange={(next) => set("seen", next)} />
              {isOne ? (
                <AccountSelect
                  label={text.subAccount}
                  {...toReferenceFieldProps(account, (next) => set("account", next))}
                  choice="invite"
                  error={accountError}
                  required
                />
              ) : null}
            </>
          ) : (
            <Typography sx={{ color: "text.secondary" }}>{text.ownOnly}</Typography>
          )}
        </>
      ) : (
        <Confirmation sent={sent} />
      )}
    </FormDialog>
  );
}

function Confirmation({ sent: { email, role, account } }: { sent: Sent }) {
  return (
    <>
      <Typography>{text.sent(email)}</Typography>
      <Typography sx={{ color: "text.secondary" }}>{text.sentNext(role.name)}</Typography>
      <AppLink to={paths.account(account._id)} query="none" sx={{ ...standaloneLinkStyles, alignSelf: "start" }}>
        {text.openAccount}
      </AppLink>
    </>
  );
}
