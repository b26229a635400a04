// Page of a verification link, which shows who registered. The user confirms or rejects the registration (RG-06, T-08).
import { registrationSteps } from "@psp/contract/account/account.ts";
import { endRegistration, getVerification, verifyRegistration } from "@psp/contract/registration/registration.api.ts";
import { Alert, Box, Button } from "@mui/material";
import { useState } from "react";
import { useParam } from "../address/navigation.tsx";
import { call, CallError } from "../api/call.ts";
import { FactList } from "../ui/FactList.tsx";
import {
  isGone,
  isRetryable,
  RegistrationFailure,
  RegistrationScreen,
  RegistrationSpinner,
  RegistrationStep,
  stepOf,
  ToLoginButton,
  useLinkData,
  useRegistration,
  linkFailureText,
} from "./RegistrationScreen.tsx";
import { registrationText } from "./registration.text.ts";

/** Result of confirming or rejecting. After `refused`, the user may choose again. */
type Outcome = { at: "confirmed" | "ended" | "renewed" } | { at: "refused" | "failed"; error: unknown };

const isExpired = (error: unknown) => error instanceof CallError && error.details["reason"] === "expired";
/** Whether the registration exists, but the code is wrong or used. */
const isSpent = (error: unknown) => error instanceof CallError && error.details["field"] === "code";

/** Opening the page has no effect, because mail scanners open links, too. */
export function VerificationPage() {
  const params = { id: useParam("id"), regId: useParam("regId"), code: useParam("code") };
  const { answer, error, retry } = useLinkData(Object.values(params).join(" "), (signal) =>
    call(getVerification, { params, signal }),
  );
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);

  const send = async (work: () => Promise<unknown>, done: "confirmed" | "ended") => {
    setBusy(true);
    try {
      await work();
      setOutcome({ at: done });
    } catch (failure) {
      const stays = answer !== undefined && isRetryable(failure);
      // Confirming with an expired code triggers a new mail.
      setOutcome(isExpired(failure) ? { at: "renewed" } : { at: stays ? "refused" : "failed", error: failure });
    } finally {
      setBusy(false);
    }
  };
  const choice = (confirm: string) => (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3 }}>
      <Button
        variant="contained"
        disabled={busy}
        onClick={() => void send(() => call(verifyRegistration, { params }), "confirmed")}
        sx={{ minHeight: 40 }}
      >
        {confirm}
      </Button>
      <Button
        variant="outlined"
        color="inherit"
        disabled={busy}
        onClick={() => void send(() => call(endRegistration, { params }), "ended")}
        sx={{ minHeight: 40 }}
      >
        {registrationText.notMe}
      </Button>
    </Box>
  );
  if (outcome?.at === "confirmed") return <RegistrationStep replaces step={registrationSteps.complete} />;
  if (outcome?.at === "ended")
    return (
      <RegistrationScreen takesFocus title={registrationText.ended}>
        <div>{registrationText.endedText}</div>
        <ToLoginButton />
      </RegistrationScreen>
    );
  if (outcome?.at === "renewed")
    return (
      <RegistrationScreen takesFocus title={registrationText.mailSent}>
        <Alert severity="info">{registrationText.renewed}</Alert>
      </RegistrationScreen>
    );
  if (outcome === null && isExpired(error))
    return (
      <RegistrationScreen takesFocus title={registrationText.mailSent}>
        <Alert severity="warning">{registrationText.expired}</Alert>
        {choice(registrationText.renew)}
      </RegistrationScreen>
    );
  const failure = outcome?.at === "failed" ? outcome.error : error;
  const again = () => {
    setOutcome(null);
    retry();
  };
  if (failure !== undefined) return isSpent(failure) ? <Spent {...params} /> : <Dead error={failure} onRetry={again} />;
  if (answer === undefined) return <RegistrationSpinner />;
  return (
    <RegistrationScreen title={registrationText.mailSent} text={registrationText.whoseText}>
      {outcome?.at === "refused" ? <Why error={outcome.error} /> : null}
      <Box sx={{ "& dd": { fontWeight: 600 } }}>
        <FactList
          columns="auto 1fr"
          columnGap={4}
          facts={[
            [registrationText.organization, answer.organization],
            [registrationText.email, answer.email],
          ]}
        />
      </Box>
      <div>{registrationText.choiceText}</div>
      {choice(registrationText.confirm)}
    </RegistrationScreen>
  );
}

function Why({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  return (
    <RegistrationFailure onRetry={onRetry}>
      {registrationText.verificationFailed(linkFailureText(error))}
    </RegistrationFailure>
  );
}

function Dead({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <RegistrationScreen title={registrationText.registration}>
      <Why error={error} onRetry={isRetryable(error) ? onRetry : undefined} />
      {isGone(error) ? <ToLoginButton /> : null}
    </RegistrationScreen>
  );
}

/** Loads the registration, because its state shows whether the link was used or replaced. */
function Spent(params: { id: string; regId: string }) {
  const { answer: state, error, retry } = useRegistration(params);
  if (error) return <Dead error={error} onRetry={retry} />;
  if (state === undefined) return <RegistrationSpinner />;
  if (stepOf(state) === registrationSteps.complete)
    return (
      <RegistrationScreen takesFocus title={registrationText.complete}>
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
