// Pages for registration by invitation, which show the progress (RG-01), and for sign-up that the support team reviews (RG-03).
import { registrationSteps } from "@psp/contract/account/account.ts";
import { completeRegistration, signUp } from "@psp/contract/registration/registration.api.ts";
import { Box, Typography } from "@mui/material";
import { useState } from "react";
import { AppLink, useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call, CallError } from "../api/call.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EntryOutcome } from "../ui/entry/EntryScreen.tsx";
import { RegistrationForm, type RegistrationValues } from "./RegistrationForm.tsx";
import {
  isGone,
  isRetryable,
  RegistrationFailure,
  RegistrationScreen,
  RegistrationSpinner,
  RegistrationStep,
  stepOf,
  ToLoginButton,
  useRegistration,
  linkFailureText,
} from "./RegistrationScreen.tsx";
import { registrationText } from "./registration.text.ts";

function bodyOf(form: RegistrationValues) {
  const { name, phone, street, streetNumber, zip, city, country, firstName, familyName, department } = form;
  // Both agreements are accepted, because otherwise the form is invalid. The server stores its own time instead of this one.
  const now = new Date().toISOString();
  return {
    own: { name, phone, legal: { firstName, familyName, department, dpaAcceptedAt: now, eulaAcceptedAt: now } },
    address: { street, streetNumber, zip, city, country },
  };
}

/**
 * True if the form was already sent, or if the link has expired meanwhile. The page then shows the current state, not the
 * error.
 */
const isOvertaken = (error: unknown) =>
  isGone(error) || (error instanceof CallError && error.details["field"] === "regId");

export function RegistrationPage() {
  const params = { id: useParam("id"), regId: useParam("regId") };
  const { answer: state, error, setAnswer, retry } = useRegistration(params);
  if (error) {
    return (
      <RegistrationScreen title={registrationText.registration}>
        <RegistrationFailure onRetry={isRetryable(error) ? retry : undefined}>
          {linkFailureText(error)}
        </RegistrationFailure>
        {isGone(error) ? <ToLoginButton /> : null}
      </RegistrationScreen>
    );
  }
  if (state === undefined) return <RegistrationSpinner />;
  if (stepOf(state) !== registrationSteps.invited) return <RegistrationStep step={stepOf(state)} />;
  const { name = "", phone, street, streetNumber, zip, city, country } = state;
  const filled = { name, phone, street, streetNumber, zip, city, country };
  const known = Object.fromEntries(Object.entries(filled).map(([key, value]) => [key, value ?? ""]));
  const locked = state.readonlyAddress === true;
  const colleague = state.readonlyOrganization === true;
  const heading = colleague
    ? { title: registrationText.welcome, text: registrationText.welcomeText(name) }
    : { title: registrationText.thanks, text: registrationText.thanksText };
  return (
    <RegistrationScreen {...heading}>
      <RegistrationForm
        key={params.regId}
        draftOf={params.regId}
        known={known}
        invited={state.registrationInfo[0]?.credentials?.email ?? ""}
        locked={locked}
        colleague={colleague}
        onRegister={async (form) => {
          const { own, address } = bodyOf(form);
          const body = { ...own, ...(locked ? {} : address), credentials: { password: form.password } };
          try {
            setAnswer(await call(completeRegistration, { params, body }));
            window.scrollTo({ top: 0 });
          } catch (failure) {
            if (!isOvertaken(failure)) throw failure;
            retry();
          }
        }}
      />
    </RegistrationScreen>
  );
}

export function SignUpPage() {
  const [isSent, setSent] = useState(false);
  return (
    <RegistrationScreen title={registrationText.signUp} text={registrationText.signUpText}>
      {isSent ? (
        <>
          <EntryOutcome severity="success" atTop>
            {registrationText.submitted}
          </EntryOutcome>
          <Typography>{registrationText.submittedNext}</Typography>
        </>
      ) : (
        <RegistrationForm
          draftOf={paths.signUp}
          onRegister={async (form) => {
            const { supplier, email, password } = form;
            const { own, address } = bodyOf(form);
            const optional = supplier === "" ? {} : { supplier };
            await call(signUp, { body: { ...own, ...address, ...optional, credentials: { email, password } } });
            setSent(true);
          }}
        />
      )}
      <Box sx={{ display: "flex", gap: 2, flexWrap: "wrap" }}>
        <Typography sx={{ color: "text.secondary" }}>{registrationText.haveAccount}</Typography>
        <AppLink to={paths.login} query="none" sx={standaloneLinkStyles}>
          {registrationText.backToLogin}
        </AppLink>
      </Box>
    </RegistrationScreen>
  );
}
