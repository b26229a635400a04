// Frame and status messages of registration pages, and a hook that loads the data of a mailed link (RG-01, RG-06).
import { registrationSteps } from "@psp/contract/account/account.ts";
import { getRegistration } from "@psp/contract/registration/registration.api.ts";
import type { RegistrationState } from "@psp/contract/registration/registration.ts";
import { Box, Button, CircularProgress } from "@mui/material";
import { type ComponentProps, type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call, CallError } from "../api/call.ts";
import { EntryScreen, EntryOutcome } from "../ui/entry/EntryScreen.tsx";
import { registrationText } from "./registration.text.ts";

export const RegistrationScreen = (props: Omit<ComponentProps<typeof EntryScreen>, "wide">) => (
  <EntryScreen {...props} wide />
);

type RegistrationFailureProps = { children: ReactNode; onRetry?: (() => void) | undefined };

/** Takes the focus, so that screen readers announce the failure. Set `onRetry` if retrying may help. */
export function RegistrationFailure({ children, onRetry }: RegistrationFailureProps) {
  const retry = onRetry && (
    <Button color="inherit" size="small" onClick={onRetry}>
      {registrationText.tryAgain}
    </Button>
  );
  return (
    <EntryOutcome severity="error" action={retry}>
      {children}
    </EntryOutcome>
  );
}

export function RegistrationStep({ step, replaces = false }: { step: number; replaces?: boolean }) {
  const done = step === registrationSteps.complete;
  return (
    <RegistrationScreen title={done ? registrationText.complete : registrationText.mailSent} takesFocus={replaces}>
      <div>{done ? registrationText.completeText : registrationText.mailSentText}</div>
      {done ? <ToLoginButton /> : null}
    </RegistrationScreen>
  );
}

export const RegistrationSpinner = () => (
  <Box role="status" aria-busy sx={{ m: "auto", p: 8 }}>
    <CircularProgress aria-label={registrationText.loading} />
  </Box>
);

export function ToLoginButton() {
  const go = useGo();
  return (
    <Button
      variant="contained"
      onClick={() => go(paths.login, { query: "none" })}
      sx={{ minHeight: 40, alignSelf: "center" }}
    >
      {registrationText.toLogin}
    </Button>
  );
}

/**
 * Loads the data of a mailed link. Doesn't use the query cache, because that is cleared when the user turns out not to be signed
 * in.
 */
export function useLinkData<T>(link: string, ask: (signal: AbortSignal) => Promise<T>) {
  const [loaded, setLoaded] = useState<{ answer?: T; error?: unknown }>({});
  const [attempt, setAttempt] = useState(1);
  const onAsk = useEffectEvent(ask);
  useEffect(() => {
    const stop = new AbortController();
    onAsk(stop.signal).then(
      (answer) => setLoaded({ answer }),
      (error: unknown) => (stop.signal.aborted ? undefined : setLoaded({ error })),
    );
    return () => stop.abort();
  }, [link, attempt]);
  return {
    ...loaded,
    setAnswer: (answer: T) => setLoaded({ answer }),
    retry: () => {
      setLoaded({});
      setAttempt(attempt + 1);
    },
  };
}

export const useRegistration = (params: { id: string; regId: string }) =>
  useLinkData(`${params.id} ${params.regId}`, (signal) => call(getRegistration, { params, signal }));

export const stepOf = (state: RegistrationState) => state.registrationInfo[0]?.stepReached ?? registrationSteps.invited;

/** Whether the link is unknown or truncated, or its target no longer exists. */
export const isGone = (error: unknown) => error instanceof CallError && error.status === 404;

export const isRetryable = (error: unknown) =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

export function refusalText(error: unknown): string {
  if (!(error instanceof CallError)) return registrationText.failed;
  return error.status === 429 ? registrationText.rateLimit : error.message;
}

export function linkFailureText(error: unknown): string {
  if (!(error instanceof CallError) || !isGone(error)) return refusalText(error);
  return typeof error.details["reason"] === "string" ? registrationText.invitationOver : registrationText.linkGone;
}
