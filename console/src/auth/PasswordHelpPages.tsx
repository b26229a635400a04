// The other two views of the authentication screen: asking for a reset link, and choosing a new password with it (AU-04 to AU-06).
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import Link from "@mui/material/Link";
import TextField from "@mui/material/TextField";
import Typography from "@mui/material/Typography";
import { forgotPassword, resetPassword } from "@psp/contract/auth/auth.api.ts";
import { forgotFormSchema, resetFormSchema } from "@psp/contract/auth/auth.ts";
import { type ReactNode, type SubmitEventHandler, useEffect, useRef, useState } from "react";
import { call, CallError } from "../api/call.ts";
import { config } from "../config.ts";
import { AppLink, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCheckedForm } from "../ui/form/useCheckedForm.ts";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { AuthScreen } from "./AuthScreen.tsx";
import { authText } from "./auth.text.ts";
import { PasswordRequirements } from "../password/PasswordRequirements.tsx";
import { usePasswordJudge } from "../password/usePasswordJudge.ts";
import { ownLogin, returnOrigin, seemsExpired } from "./return-origin.ts";

/** The sentence for a failed request of a link, by status (spec 1 §8). */
function forgotFailure(error: unknown): string {
  if (!(error instanceof CallError)) return authText.linkFailed;
  if (error.status === 429) return authText.rateLimit;
  return error.message || authText.linkFailed;
}

type Failure = { sentence: string; reason?: string | undefined };

/** Why a reset failed: it is the link, unless nobody looked at it. */
function resetFailure(error: unknown): Failure {
  if (!(error instanceof CallError)) return { sentence: authText.invalidLink };
  if (error.status === 429) return { sentence: authText.rateLimit };
  if (error.status === 0 || error.status >= 500) return { sentence: error.message };
  const { reason } = error.details;
  return { sentence: authText.invalidLink, reason: typeof reason === "string" ? reason : undefined };
}

/** Nobody should think of a password for a link that is visibly dead. */
function deadAtSight(token: string): Failure | null {
  if (token === "") return { sentence: authText.invalidLink };
  return seemsExpired(token) ? { sentence: authText.invalidLink, reason: authText.expiredLink } : null;
}

/** An outcome above the form, or in its place; takes the focus, so that it is read out and found. */
function Outcome({ severity, children }: { severity: "error" | "success"; children: ReactNode }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), []);
  return (
    <Alert ref={alert} severity={severity} tabIndex={-1}>
      {children}
    </Alert>
  );
}

function BackToLogin() {
  const search = useSearchParams();
  const origin = returnOrigin(search, config.allowedOrigins);
  if (origin !== null) {
    return (
      <Link href={`${origin}/login`} rel="noreferrer">
        {authText.back}
      </Link>
    );
  }
  return (
    <AppLink to={ownLogin(search)} query="none">
      {authText.back}
    </AppLink>
  );
}

type HelpFormProps = { busy: boolean; label: string; onSubmit: SubmitEventHandler<HTMLElement>; children: ReactNode };

function HelpForm({ busy, label, onSubmit, children }: HelpFormProps) {
  return (
    <Box
      component="form"
      noValidate
      aria-busy={busy}
      onSubmit={onSubmit}
      sx={{ display: "flex", flexDirection: "column", gap: 4 }}
    >
      {children}
      <Button
        type="submit"
        variant="contained"
        disabled={busy}
        startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
        sx={{ minHeight: 40 }}
      >
        {label}
      </Button>
    </Box>
  );
}

const noEmail = { email: "" };

export function ForgotPasswordPage() {
  const search = useSearchParams();
  const [failure, setFailure] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const { busy, errorOf, inputOf, onSubmit } = useCheckedForm(forgotFormSchema, noEmail);
  const submit = async ({ email }: { email: string }) => {
    setFailure(null);
    const origin = returnOrigin(search, config.allowedOrigins);
    try {
      await call(forgotPassword, { body: { email, ...(origin === null ? {} : { origin }) } });
      setSent(true);
    } catch (error) {
      setFailure(forgotFailure(error));
    }
  };
  return (
    <AuthScreen title={authText.forgotTitle}>
      {isSent ? (
        <Outcome severity="success">{authText.linkSent}</Outcome>
      ) : (
        <>
          {failure === null ? null : <Outcome severity="error">{failure}</Outcome>}
          <Typography>{authText.forgotText}</Typography>
          <HelpForm busy={busy} label={authText.getLink} onSubmit={onSubmit(submit)}>
            <TextField
              id="email"
              label={authText.email}
              type="email"
              autoComplete="username"
              autoFocus
              {...inputOf("email")}
              error={errorOf("email") !== undefined}
              helperText={errorOf("email")}
            />
          </HelpForm>
        </>
      )}
      <BackToLogin />
    </AuthScreen>
  );
}

const noPasswords = { password: "", repeatPassword: "" };

export function ResetPasswordPage() {
  const [isDone, setDone] = useState(false);
  return (
    <AuthScreen title={authText.resetTitle}>
      {isDone ? <Outcome severity="success">{authText.updated}</Outcome> : <ResetForm onDone={() => setDone(true)} />}
      <BackToLogin />
    </AuthScreen>
  );
}

function ResetForm({ onDone }: { onDone: () => void }) {
  const search = useSearchParams();
  const token = typeof search["token"] === "string" ? search["token"] : "";
  const [failure, setFailure] = useState<Failure | null>(() => deadAtSight(token));
  const { values, busy, wasLeft, errorOf, refuse, inputOf, onSubmit } = useCheckedForm(resetFormSchema, noPasswords);
  const judge = usePasswordJudge(values.password);

  const submit = async ({ password }: typeof noPasswords) => {
    setFailure(null);
    if (!(await judge.accepts())) return refuse("password", authText.unfulfilled);
    try {
      await call(resetPassword, { query: { token }, body: { password } });
      onDone();
    } catch (error) {
      if (!(error instanceof CallError && error.code === 205)) return setFailure(resetFailure(error));
      const { requirements } = error.details;
      judge.refuse(Array.isArray(requirements) ? requirements.map(String) : []);
      refuse("password", authText.unfulfilled);
    }
  };
  const lacking = judge.lacks && wasLeft("password") ? authText.unfulfilled : undefined;
  const messages = {
    password: errorOf("password") ?? lacking,
    repeatPassword: errorOf("repeatPassword"),
  };
  const field = (name: keyof typeof noPasswords) => ({
    ...inputOf(name),
    error: messages[name] !== undefined,
    helperText: messages[name],
  });
  return (
    <>
      {failure === null ? null : <Outcome severity="error">{failure.sentence}</Outcome>}
      {failure?.reason === undefined ? null : <Typography>{failure.reason}.</Typography>}
      {failure?.sentence === authText.invalidLink ? (
        <AppLink to={ownLogin(search, paths.forgotPassword)} query="none">
          {authText.forgot}
        </AppLink>
      ) : null}
      <Typography>{authText.resetText}</Typography>
      <HelpForm busy={busy} label={authText.update} onSubmit={onSubmit(submit)}>
        <PasswordField
          id="password"
          label={authText.newPassword}
          autoComplete="new-password"
          autoFocus
          {...field("password")}
        />
        <PasswordRequirements {...judge} words={authText} />
        <PasswordField
          id="repeat-password"
          label={authText.confirmPassword}
          autoComplete="new-password"
          {...field("repeatPassword")}
        />
      </HelpForm>
    </>
  );
}
