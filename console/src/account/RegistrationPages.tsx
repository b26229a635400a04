// What the links of invitation and verification mails open: the form, and how far the registration has come (RG-01, RG-06).
import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import {
  completeRegistration,
  getRegistration,
  verifyRegistration,
} from "@psp/contract/registration/registration.api.ts";
import type { RegistrationState } from "@psp/contract/registration/registration.ts";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { call, CallError } from "../api/call.ts";
import { useParam } from "../navigation.tsx";
import { invitedBody } from "./registration.body.ts";
import { RegistrationForm } from "./RegistrationForm.tsx";
import { RegistrationScreen, RegistrationSpinner, ToLoginButton } from "./RegistrationScreen.tsx";
import { registrationText } from "./registration.text.ts";

type LinkParams = { id: string; regId: string };

type Loaded = { state?: RegistrationState; error?: unknown };

/** Where the registration stands. Not from the cache of the signed-in pages: that is cleared when it turns out that nobody is. */
function useRegistration({ id, regId }: LinkParams, enabled = true) {
  const [loaded, setLoaded] = useState<Loaded>({});
  const [attempt, setAttempt] = useState(1);
  useEffect(() => {
    if (!enabled) return;
    const stop = new AbortController();
    call(getRegistration, { params: { id, regId }, signal: stop.signal }).then(
      (state) => setLoaded({ state }),
      (error: unknown) => (stop.signal.aborted ? undefined : setLoaded({ error })),
    );
    return () => stop.abort();
  }, [id, regId, enabled, attempt]);
  return {
    ...loaded,
    setState: (state: RegistrationState) => setLoaded({ state }),
    retry: () => {
      setLoaded({});
      setAttempt(attempt + 1);
    },
  };
}

/** What the status line says, or the server's sentence where the protocol has no such line. */
function statusText(error: unknown): string {
  return error instanceof CallError ? error.statusText || error.message : registrationText.failed;
}

const mayWorkLater = (error: unknown) => error instanceof CallError && (error.status === 0 || error.status >= 500);

/** Props: `children`, `onRetry?` where trying again can help. Takes the focus, so that it is read out and found. */
function Failure({ children, onRetry }: { children: ReactNode; onRetry?: (() => void) | undefined }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => alert.current?.focus(), []);
  const retry = onRetry && (
    <Button color="inherit" size="small" onClick={onRetry}>
      {registrationText.tryAgain}
    </Button>
  );
  return (
    <Alert ref={alert} severity="error" tabIndex={-1} action={retry}>
      {children}
    </Alert>
  );
}

/** Steps 1 and 2 have a message each; `children` stand above it. */
function Message({ step, children }: { step: number; children?: ReactNode }) {
  const done = step === registrationSteps.complete;
  return (
    <RegistrationScreen title={done ? registrationText.complete : registrationText.mailSent}>
      {children}
      <div>{done ? registrationText.completeText : registrationText.mailSentText}</div>
      {done ? <ToLoginButton /> : null}
    </RegistrationScreen>
  );
}

const stepOf = (state: RegistrationState) => state.registrationInfo[0]?.stepReached ?? registrationSteps.invited;

export function RegistrationPage() {
  const params = { id: useParam("id"), regId: useParam("regId") };
  const { state, error, setState, retry } = useRegistration(params);
  if (error) {
    return (
      <RegistrationScreen title={registrationText.registration}>
        <Failure onRetry={mayWorkLater(error) ? retry : undefined}>{statusText(error)}</Failure>
      </RegistrationScreen>
    );
  }
  if (state === undefined) return <RegistrationSpinner label={registrationText.loading} />;
  if (stepOf(state) !== registrationSteps.invited) return <Message step={stepOf(state)} />;
  const { name = "", phone, street, streetNumber, zip, city, country } = state;
  const address = { street, streetNumber, zip, city, country };
  const known = Object.fromEntries(
    Object.entries({ name, phone, ...address }).map(([key, value]) => [key, value ?? ""]),
  );
  const locked = state.readonlyAddress === true;
  return (
    <RegistrationScreen title={registrationText.thanks} text={registrationText.thanksText}>
      <RegistrationForm
        key={params.regId}
        draftOf={params.regId}
        known={known}
        invited={state.registrationInfo[0]?.credentials?.email ?? ""}
        locked={locked}
        onRegister={async (form) => {
          setState(await call(completeRegistration, { params, body: invitedBody(form, locked) }));
          window.scrollTo({ top: 0 });
        }}
      />
    </RegistrationScreen>
  );
}

type Verification = { status: "asking" } | { status: "done" } | { status: "failed"; error: unknown };

/** Opening the page is what confirms the address (decisions 6). */
export function VerificationPage() {
  const [id, regId, code] = [useParam("id"), useParam("regId"), useParam("code")];
  const [attempt, setAttempt] = useState(1);
  const [outcome, setOutcome] = useState<Verification>({ status: "asking" });
  const asked = useRef(0);
  useEffect(() => {
    // A code is good for one use: never asked twice.
    if (asked.current === attempt) return;
    asked.current = attempt;
    call(verifyRegistration, { params: { id, regId, code } }).then(
      () => setOutcome({ status: "done" }),
      (error: unknown) => setOutcome({ status: "failed", error }),
    );
  }, [id, regId, code, attempt]);
  const where = useRegistration({ id, regId }, outcome.status === "failed");
  if (outcome.status === "asking") return <RegistrationSpinner label={registrationText.verifying} />;
  if (outcome.status === "done") return <Message step={registrationSteps.complete} />;
  const { error } = outcome;
  const expired = error instanceof CallError && error.details["reason"] === "expired";
  const again = () => {
    setOutcome({ status: "asking" });
    setAttempt(attempt + 1);
  };
  const failure = (
    <Failure onRetry={mayWorkLater(error) ? again : undefined}>
      <div>{registrationText.verificationFailed(statusText(error))}</div>
      {expired ? <div>{registrationText.expired}</div> : null}
    </Failure>
  );
  const step = where.state && stepOf(where.state);
  if (step === registrationSteps.confirmEmail || step === registrationSteps.complete)
    return <Message step={step}>{failure}</Message>;
  return <RegistrationScreen title={registrationText.registration}>{failure}</RegistrationScreen>;
}
