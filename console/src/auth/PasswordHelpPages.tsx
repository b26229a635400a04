// Pages to request a reset link and to set a new password with it (AU-04 to AU-06).
import { Link, TextField, Typography } from "@mui/material";
import { forgotPassword, resetPassword } from "@psp/contract/auth/auth.api.ts";
import { resetFormSchema } from "@psp/contract/auth/auth.ts";
import { forgotForm } from "@psp/contract/auth/login-form.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { useState } from "react";
import { call, CallError } from "../api/call.ts";
import { config } from "../api/config.ts";
import { AppLink, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EntryForm, EntryScreen, EntryOutcome } from "../ui/entry/EntryScreen.tsx";
import { useCheckedForm } from "../ui/form/useCheckedForm.ts";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { authText } from "./auth.text.ts";
import { PasswordRequirements } from "../password/PasswordRequirements.tsx";
import { usePasswordEvaluation } from "../password/usePasswordEvaluation.ts";
import { ownLoginUrl, findReturnOrigin, seemsExpired } from "./return-origin.ts";

function forgotFailure(error: unknown): string {
  if (!(error instanceof CallError)) return authText.linkFailed;
  if (error.status === 429) return authText.rateLimit;
  return error.message || authText.linkFailed;
}

type Failure = { sentence: string; reason?: string | undefined };

/** Reports an invalid link, unless the server could not check it. */
function resetFailure(error: unknown): Failure {
  if (!(error instanceof CallError)) return { sentence: authText.invalidLink };
  if (error.status === 429) return { sentence: authText.rateLimit };
  if (error.status === 0 || error.status >= 500) return { sentence: error.message };
  const { reason } = error.details;
  return { sentence: authText.invalidLink, reason: typeof reason === "string" ? reason : undefined };
}

/** Reports a missing or visibly expired token at once, before users think up a password. */
function visibleFailure(token: string): Failure | null {
  if (token === "") return { sentence: authText.invalidLink };
  return seemsExpired(token) ? { sentence: authText.invalidLink, reason: authText.expiredLink } : null;
}

function BackToLogin() {
  const search = useSearchParams();
  const origin = findReturnOrigin(search, config.allowedOrigins);
  return origin === null ? (
    <AppLink to={ownLoginUrl(search)} query="none" sx={standaloneLinkStyles}>
      {authText.back}
    </AppLink>
  ) : (
    <Link href={`${origin}/login`} rel="noreferrer" sx={standaloneLinkStyles}>
      {authText.back}
    </Link>
  );
}

const noEmail = { email: "" };

export function ForgotPasswordPage() {
  const search = useSearchParams();
  const [failure, setFailure] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const { busy, fieldOf, onSubmit } = useCheckedForm(forgotForm, noEmail);
  const submit = async ({ email }: { email: string }) => {
    setFailure(null);
    const origin = findReturnOrigin(search, config.allowedOrigins);
    try {
      await call(forgotPassword, { body: { email, ...(origin === null ? {} : { origin }) } });
      setSent(true);
    } catch (error) {
      setFailure(forgotFailure(error));
    }
  };
  return (
    <EntryScreen title={authText.forgotTitle}>
      {isSent ? (
        <EntryOutcome severity="success">{authText.linkSent}</EntryOutcome>
      ) : (
        <>
          {failure === null ? null : <EntryOutcome severity="error">{failure}</EntryOutcome>}
          <Typography>{authText.forgotText}</Typography>
          <EntryForm busy={busy} submitLabel={authText.getLink} onSubmit={onSubmit(submit)}>
            <TextField
              id="email"
              label={authText.email}
              type="email"
              autoComplete="username"
              autoFocus
              {...fieldOf("email")}
            />
          </EntryForm>
        </>
      )}
      <BackToLogin />
    </EntryScreen>
  );
}

const noPasswords = { password: "", repeatPassword: "" };

export function ResetPasswordPage() {
  const [isDone, setDone] = useState(false);
  return (
    <EntryScreen title={authText.resetTitle}>
      {isDone ? (
        <EntryOutcome severity="success">{authText.updated}</EntryOutcome>
      ) : (
        <ResetForm onDone={() => setDone(true)} />
      )}
      <BackToLogin />
    </EntryScreen>
  );
}

function ResetForm({ onDone }: { onDone: () => void }) {
  const search = useSearchParams();
  const token = typeof search["token"] === "string" ? search["token"] : "";
  const [failure, setFailure] = useState<Failure | null>(() => visibleFailure(token));
  const { values, busy, wasLeft, refuse, fieldOf, onSubmit } = useCheckedForm(resetFormSchema, noPasswords);
  const judge = usePasswordEvaluation(values.password);

  const submit = async ({ password }: typeof noPasswords) => {
    setFailure(null);
    if (!(await judge.accepts())) return refuse("password", authText.unfulfilled);
    try {
      await call(resetPassword, { query: { token }, body: { password } });
      onDone();
    } catch (error) {
      if (!(error instanceof CallError && error.code === errorCode.invalidPassword))
        return setFailure(resetFailure(error));
      const { requirements } = error.details;
      judge.refuse(Array.isArray(requirements) ? requirements.map(String) : []);
      refuse("password", authText.unfulfilled);
    }
  };
  const lacking = judge.lacks && wasLeft("password") ? authText.unfulfilled : undefined;
  return (
    <>
      {failure === null ? null : <EntryOutcome severity="error">{failure.sentence}</EntryOutcome>}
      {failure?.reason === undefined ? null : <Typography>{failure.reason}.</Typography>}
      {failure?.sentence === authText.invalidLink ? (
        <AppLink to={ownLoginUrl(search, paths.forgotPassword)} query="none" sx={standaloneLinkStyles}>
          {authText.forgot}
        </AppLink>
      ) : null}
      <Typography>{authText.resetText}</Typography>
      <EntryForm busy={busy} submitLabel={authText.update} onSubmit={onSubmit(submit)}>
        <PasswordField
          id="password"
          label={authText.newPassword}
          autoComplete="new-password"
          autoFocus
          {...fieldOf("password", lacking)}
        />
        <PasswordRequirements {...judge} words={authText} />
        <PasswordField
          id="repeat-password"
          label={authText.confirmPassword}
          autoComplete="new-password"
          {...fieldOf("repeatPassword")}
        />
      </EntryForm>
    </>
  );
}
