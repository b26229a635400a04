// What the link of a verification mail opens: who registered what with this address, and the choice to stand by it or not (RG-06, T-08).
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { endRegistration, getVerification, verifyRegistration } from "@psp/contract/registration/registration.api.ts";
import type { Verification } from "@psp/contract/registration/registration.ts";
import { useEffect, useState } from "react";
import { call, CallError } from "../../api/call.ts";
import { useParam } from "../../address/navigation.tsx";
import {
  RegistrationFailure,
  RegistrationScreen,
  RegistrationSpinner,
  RegistrationStep,
  ToLoginButton,
} from "./RegistrationScreen.tsx";
import { registrationText } from "./registration.text.ts";
import { isGone, mayWorkLater, stepOf, useRegistration, whyLinkFailed } from "./useRegistration.ts";

type Stage =
  | { at: "loading" }
  | { at: "choice"; shown: Verification; failure?: unknown }
  | { at: "confirmed" | "ended" | "expired" | "renewed" }
  | { at: "failed"; error: unknown };

const isExpired = (error: unknown) => error instanceof CallError && error.details["reason"] === "expired";
/** The registration is there, but the code does not fit (any more). */
const isSpent = (error: unknown) => error instanceof CallError && error.details["field"] === "code";

/** Opening the page changes nothing: programs that look at mails open links, too. */
export function VerificationPage() {
  const [id, regId, code] = [useParam("id"), useParam("regId"), useParam("code")];
  const params = { id, regId, code };
  const [stage, setStage] = useState<Stage>({ at: "loading" });
  const [attempt, setAttempt] = useState(1);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    call(getVerification, { params: { id, regId, code }, signal: stop.signal }).then(
      (shown) => setStage({ at: "choice", shown }),
      (error: unknown) =>
        stop.signal.aborted ? undefined : setStage(isExpired(error) ? { at: "expired" } : { at: "failed", error }),
    );
    return () => stop.abort();
  }, [id, regId, code, attempt]);

  const send = async (work: () => Promise<unknown>, done: "confirmed" | "ended") => {
    setBusy(true);
    try {
      await work();
      setStage({ at: done });
    } catch (error) {
      const stays = stage.at === "choice" && mayWorkLater(error);
      // Whoever confirms by an expired code has just been mailed a new one.
      if (isExpired(error)) setStage({ at: "renewed" });
      else setStage(stays ? { ...stage, failure: error } : { at: "failed", error });
    } finally {
      setBusy(false);
    }
  };
  const confirm = () => void send(() => call(verifyRegistration, { params }), "confirmed");
  const disown = () => void send(() => call(endRegistration, { params }), "ended");
  const again = () => {
    setStage({ at: "loading" });
    setAttempt(attempt + 1);
  };
  switch (stage.at) {
    case "loading":
      return <RegistrationSpinner label={registrationText.loading} />;
    case "choice":
      return <Choice {...stage} busy={busy} onConfirm={confirm} onDisown={disown} />;
    case "confirmed":
      return <RegistrationStep replaces step={registrationSteps.complete} />;
    case "ended":
      return (
        <RegistrationScreen replaces title={registrationText.ended}>
          <div>{registrationText.endedText}</div>
          <ToLoginButton />
        </RegistrationScreen>
      );
    case "expired":
      return (
        <RegistrationScreen replaces title={registrationText.mailSent}>
          <Alert severity="warning">{registrationText.expired}</Alert>
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3 }}>
            <Button variant="contained" disabled={busy} onClick={confirm} sx={{ minHeight: 40 }}>
              {registrationText.renew}
            </Button>
            <Button variant="outlined" color="inherit" disabled={busy} onClick={disown} sx={{ minHeight: 40 }}>
              {registrationText.notMe}
            </Button>
          </Box>
        </RegistrationScreen>
      );
    case "renewed":
      return (
        <RegistrationScreen replaces title={registrationText.mailSent}>
          <Alert severity="info">{registrationText.renewed}</Alert>
        </RegistrationScreen>
      );
    case "failed":
      return isSpent(stage.error) ? <Spent id={id} regId={regId} /> : <Dead error={stage.error} onRetry={again} />;
  }
}

type ChoiceProps = {
  shown: Verification;
  failure?: unknown;
  busy: boolean;
  onConfirm: () => void;
  onDisown: () => void;
};

function Choice({ shown, failure, busy, onConfirm, onDisown }: ChoiceProps) {
  const facts = [
    [registrationText.organization, shown.organization],
    [registrationText.email, shown.email],
  ] as const;
  return (
    <RegistrationScreen title={registrationText.mailSent} text={registrationText.whoseText}>
      {failure === undefined ? null : <Why error={failure} />}
      <Box component="dl" sx={{ m: 0, display: "grid", gridTemplateColumns: "auto 1fr", columnGap: 4, rowGap: 2 }}>
        {facts.map(([label, value]) => (
          <Box key={label} sx={{ display: "contents" }}>
            <Box component="dt" sx={{ color: "text.secondary" }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere", fontWeight: 600 }}>
              {value}
            </Box>
          </Box>
        ))}
      </Box>
      <div>{registrationText.choiceText}</div>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3 }}>
        <Button variant="contained" disabled={busy} onClick={onConfirm} sx={{ minHeight: 40 }}>
          {registrationText.confirm}
        </Button>
        <Button variant="outlined" color="inherit" disabled={busy} onClick={onDisown} sx={{ minHeight: 40 }}>
          {registrationText.notMe}
        </Button>
      </Box>
    </RegistrationScreen>
  );
}

function Why({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  return (
    <RegistrationFailure onRetry={onRetry}>
      {registrationText.verificationFailed(whyLinkFailed(error))}
    </RegistrationFailure>
  );
}

function Dead({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <RegistrationScreen title={registrationText.registration}>
      <Why error={error} onRetry={mayWorkLater(error) ? onRetry : undefined} />
      {isGone(error) ? <ToLoginButton /> : null}
    </RegistrationScreen>
  );
}

/** Where the registration stands tells whether the link was used, or another one has taken its place. */
function Spent({ id, regId }: { id: string; regId: string }) {
  const { state, error, retry } = useRegistration({ id, regId });
  if (error) return <Dead error={error} onRetry={retry} />;
  if (state === undefined) return <RegistrationSpinner label={registrationText.loading} />;
  if (stepOf(state) === registrationSteps.complete)
    return (
      <RegistrationScreen replaces title={registrationText.complete}>
        <Alert severity="info">{registrationText.alreadyConfirmed}</Alert>
        <ToLoginButton />
      </RegistrationScreen>
    );
  return (
    <RegistrationScreen title={registrationText.mailSent}>
      <RegistrationFailure>{registrationText.verificationFailed(registrationText.replaced)}</RegistrationFailure>
    </RegistrationScreen>
  );
}
