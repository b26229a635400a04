// The other two views of the authentication screen: asking for a reset link, and choosing a new password with it (AU-04 to AU-06).
import { zodResolver } from "@hookform/resolvers/zod";
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
import { useForm, useWatch } from "react-hook-form";
import { call, CallError } from "../api/call.ts";
import { config } from "../config.ts";
import { AppLink, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { AuthScreen } from "./AuthScreen.tsx";
import { authText } from "./auth.text.ts";
import { PasswordRequirements, usePasswordEvaluation } from "./PasswordRequirements.tsx";
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

export function ForgotPasswordPage() {
  const search = useSearchParams();
  const [failure, setFailure] = useState<string | null>(null);
  const [isSent, setSent] = useState(false);
  const { register, handleSubmit, formState, setFocus } = useForm({
    resolver: zodResolver(forgotFormSchema),
    mode: "onTouched",
    defaultValues: { email: "" },
  });
  const { errors, isSubmitting: busy } = formState;
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
  const { ref, ...field } = register("email");
  return (
    <AuthScreen title={authText.forgotTitle}>
      {isSent ? (
        <Outcome severity="success">{authText.linkSent}</Outcome>
      ) : (
        <>
          {failure === null ? null : <Outcome severity="error">{failure}</Outcome>}
          <Typography>{authText.forgotText}</Typography>
          <HelpForm
            busy={busy}
            label={authText.getLink}
            onSubmit={(event) => void handleSubmit(submit, () => setFocus("email"))(event)}
          >
            <TextField
              id="email"
              label={authText.email}
              type="email"
              autoComplete="username"
              autoFocus
              {...field}
              inputRef={ref}
              error={errors.email !== undefined}
              helperText={errors.email?.message}
              disabled={busy}
            />
          </HelpForm>
        </>
      )}
      <BackToLogin />
    </AuthScreen>
  );
}

type ResetFields = { password: string; repeatPassword: string };

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
  const focusNext = useRef(false);
  const form = useForm<ResetFields>({
    resolver: zodResolver(resetFormSchema),
    mode: "onTouched",
    defaultValues: { password: "", repeatPassword: "" },
  });
  const { register, handleSubmit, formState, setError, setFocus, control } = form;
  const { errors, touchedFields, isSubmitted, isSubmitting: busy } = formState;
  const evaluation = usePasswordEvaluation(useWatch({ control, name: "password" }));
  useEffect(() => {
    // A field that is off while the answer is awaited can't take the focus before.
    if (!busy && focusNext.current) setFocus("password");
    focusNext.current = false;
  }, [busy, setFocus]);

  const refuse = () => {
    setError("password", { message: authText.unfulfilled });
    focusNext.current = true;
  };
  const submit = async ({ password }: ResetFields) => {
    setFailure(null);
    if (!(await evaluation.accepts(password))) return refuse();
    try {
      await call(resetPassword, { query: { token }, body: { password } });
      onDone();
    } catch (error) {
      if (!(error instanceof CallError && error.code === 205)) return setFailure(resetFailure(error));
      const { requirements } = error.details;
      evaluation.refuse(password, Array.isArray(requirements) ? requirements.map(String) : []);
      refuse();
    }
  };
  const lacking = evaluation.lacks && touchedFields.password === true ? authText.unfulfilled : undefined;
  const messages = {
    password: errors.password?.message ?? lacking,
    // Nobody is told that the passwords differ before the second one was typed.
    repeatPassword: isSubmitted || touchedFields.repeatPassword === true ? errors.repeatPassword?.message : undefined,
  };
  const field = (name: keyof ResetFields) => {
    const { ref, ...rest } = register(name, name === "password" ? { deps: "repeatPassword" } : {});
    const message = messages[name];
    return { ...rest, inputRef: ref, error: message !== undefined, helperText: message, disabled: busy };
  };
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
      <HelpForm
        busy={busy}
        label={authText.update}
        onSubmit={(event) =>
          void handleSubmit(submit, (wrong) => setFocus(wrong.password === undefined ? "repeatPassword" : "password"))(
            event,
          )
        }
      >
        <PasswordField
          id="password"
          label={authText.newPassword}
          autoComplete="new-password"
          autoFocus
          {...field("password")}
        />
        <PasswordRequirements details={evaluation.details} isJudged={evaluation.isJudged} />
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
