// Form for changing, adding and removing logins in the account dialog (AC-10, AC-11).
import type { Account } from "@psp/contract/account/account.ts";
import AddRounded from "~icons/ic/round-add";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { Accordion, AccordionDetails, AccordionSummary, Box, Button, IconButton, TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import type { Holder } from "@psp/contract/permission/reach.ts";
import { useRoleChoices } from "../../entity/reference/RoleSelect.tsx";
import { useActor, useUser } from "../../api/session/session.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { PasswordField } from "../../ui/form/PasswordField.tsx";
import { PasswordRequirements } from "../../password/PasswordRequirements.tsx";
import { usePasswordEvaluation } from "../../password/usePasswordEvaluation.ts";
import { EmailField } from "../../invitation/EmailField.tsx";
import { loginsOf, loginDeletionRefusalReason, loginsLockedReason, loginsRefusalReason } from "../account.rules.ts";
import { passwordText } from "../../password/password.text.ts";
import { accountText } from "../account.text.ts";
import {
  type CredentialsDraft,
  currentPasswordError,
  emptyPasswords,
  passwordErrors,
  type PasswordEntry,
} from "./credentials.draft.ts";

type Props = {
  account: Account;
  holder: Holder;
  draft: CredentialsDraft;
  onChange: (draft: CredentialsDraft) => void;
  submitted: boolean;
  readOnly: boolean;
};

export function CredentialsForm({ account, holder, draft, onChange, submitted, readOnly }: Props) {
  const user = useUser();
  const isOwn = account._id === user._id;
  const logins = loginsOf(account);
  const { data: roles } = useRoleChoices();
  const permissions = roles?.objects.find(({ _id }) => _id === account.role?._id)?.permissions;
  const locked = loginsRefusalReason(useActor(), holder, permissions) ?? loginsLockedReason(logins);
  const kept = logins.filter(({ email }) => !draft.removed.has(email));
  const add = () => onChange({ ...draft, added: [...draft.added, { key: Date.now(), email: "", ...emptyPasswords }] });
  return (
    <Accordion
      defaultExpanded
      disableGutters
      variant="outlined"
      sx={{ borderRadius: 1, "&::before": { display: "none" } }}
    >
      <AccordionSummary expandIcon={<ExpandMoreRounded />}>
        <Box component="span" sx={{ typography: "body1", fontWeight: 600 }}>
          {accountText.credentials}
        </Box>
      </AccordionSummary>
      <AccordionDetails sx={{ display: "flex", flexDirection: "column", gap: 5 }}>
        {isOwn && !readOnly && locked === undefined ? (
          <CurrentPassword draft={draft} onChange={onChange} submitted={submitted} />
        ) : null}
        {kept.map((login) => (
          <PresentLogin
            key={login.email}
            login={login}
            account={account}
            isPresent={isOwn && login.email === user.email}
            isEditable={!readOnly && locked === undefined && login.step === 2}
            passwords={draft.changed[login.email] ?? emptyPasswords}
            onChange={(value) => onChange({ ...draft, changed: { ...draft.changed, [login.email]: value } })}
            submitted={submitted}
            removal={
              readOnly ? null : (
                <RemoveButton
                  email={login.email}
                  reason={locked ?? loginDeletionRefusalReason(login, logins, draft.removed)}
                  onClick={() => onChange({ ...draft, removed: new Set([...draft.removed, login.email]) })}
                />
              )
            }
          />
        ))}
        {draft.added.map((one, index) => (
          <NewLogin
            key={one.key}
            title={accountText.newCredentials(index + 1)}
            login={one}
            accountName={account.name}
            others={[
              ...kept.map(({ email }) => email),
              ...draft.added.filter(({ key }) => key !== one.key).map(({ email }) => email),
            ]}
            onChange={(part) =>
              onChange({
                ...draft,
                added: draft.added.map((each) => (each.key === one.key ? { ...each, ...part } : each)),
              })
            }
            onRemove={() => onChange({ ...draft, added: draft.added.filter(({ key }) => key !== one.key) })}
            submitted={submitted}
          />
        ))}
        {readOnly ? null : (
          <Disabled reason={locked}>
            <Button
              variant="outlined"
              color="inherit"
              startIcon={<AddRounded />}
              onClick={add}
              sx={{ alignSelf: "start" }}
            >
              {accountText.addCredentials}
            </Button>
          </Disabled>
        )}
      </AccordionDetails>
    </Accordion>
  );
}

type PresentLoginProps = {
  login: ReturnType<typeof loginsOf>[number];
  account: Account;
  /** Whether this is the login of the current session. */
  isPresent: boolean;
  isEditable: boolean;
  passwords: PasswordEntry;
  onChange: (passwords: PasswordEntry) => void;
  submitted: boolean;
  removal: ReactNode;
};

/** An existing login: its email is fixed, its password can be changed. */
function PresentLogin(props: PresentLoginProps) {
  const { login, account, isPresent, isEditable, passwords, onChange, submitted, removal } = props;
  const state = login.step < 0 ? `(${accountText.steps[login.step]?.toLowerCase()})` : accountText.incomplete;
  const label = [accountText.email, isPresent && accountText.you, login.step === 2 ? "" : state];
  return (
    <Box role="group" aria-label={login.email} sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
      <Box sx={{ display: "flex", alignItems: "flex-end", gap: 2 }}>
        <TextField
          label={label.filter(Boolean).join(" ")}
          value={login.email}
          fullWidth
          autoComplete="off"
          slotProps={{ input: { readOnly: true } }}
        />
        {removal}
      </Box>
      {isEditable ? (
        <PasswordPair
          value={passwords}
          onChange={onChange}
          owner={{ name: account.name, email: login.email }}
          needed={false}
          submitted={submitted}
        />
      ) : null}
    </Box>
  );
}

type NewLoginProps = {
  title: string;
  login: PasswordEntry & { email: string };
  accountName: string;
  /** Emails of the account's other logins. */
  others: string[];
  onChange: (part: Partial<PasswordEntry & { email: string }>) => void;
  onRemove: () => void;
  submitted: boolean;
};

function NewLogin({ title, login, accountName, others, onChange, onRemove, submitted }: NewLoginProps) {
  const { email } = login;
  return (
    <Box role="group" aria-label={title} sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
      <Box sx={{ display: "flex", alignItems: "flex-start", gap: 2 }}>
        <EmailField value={email} onChange={(to) => onChange({ email: to })} others={others} submitted={submitted} />
        <RemoveButton email={email.trim() === "" ? title : email} onClick={onRemove} />
      </Box>
      <PasswordPair
        value={login}
        onChange={onChange}
        owner={{ name: accountName, email }}
        needed
        submitted={submitted}
      />
    </Box>
  );
}

/** Protects the user's own logins from someone who finds an unlocked screen. */
function CurrentPassword({ draft, onChange, submitted }: Pick<Props, "draft" | "onChange" | "submitted">) {
  const error = submitted ? currentPasswordError(draft) : undefined;
  return (
    <PasswordField
      label={accountText.currentPassword}
      autoComplete="current-password"
      value={draft.current}
      onChange={(event) => onChange({ ...draft, current: event.target.value })}
      error={error !== undefined}
      helperText={error ?? accountText.currentPasswordHint}
    />
  );
}

function RemoveButton({ email, reason, onClick }: { email: string; reason?: string | undefined; onClick: () => void }) {
  return (
    <Disabled reason={reason}>
      <IconButton aria-label={accountText.removeCredentials(email)} onClick={onClick} sx={{ mb: "2px" }}>
        <DeleteOutlineRounded />
      </IconButton>
    </Disabled>
  );
}

type PasswordPairProps = {
  value: PasswordEntry;
  onChange: (value: PasswordEntry) => void;
  owner: { name: string; email: string };
  needed: boolean;
  submitted: boolean;
};

function PasswordPair({ value, onChange, owner, needed, submitted }: PasswordPairProps) {
  const [left, setLeft] = useState({ password: false, repeat: false });
  const judge = usePasswordEvaluation(value.password, owner, false);
  // No error before the server has evaluated the password.
  const errors = passwordErrors(value, !judge.lacks, needed);
  return (
    <>
      {(["password", "repeat"] as const).map((name) => {
        const error = submitted || left[name] ? errors[name] : undefined;
        return (
          <PasswordField
            key={name}
            label={name === "password" ? passwordText.password : passwordText.confirm}
            autoComplete="new-password"
            value={value[name]}
            onChange={(event) => onChange({ ...value, [name]: event.target.value })}
            onBlur={() => setLeft({ ...left, [name]: true })}
            error={error !== undefined}
            helperText={error}
            required={needed}
          />
        );
      })}
      {value.password === "" ? null : <PasswordRequirements {...judge} words={passwordText.rules} />}
    </>
  );
}
