// What the link of an invitation opens: the form, and how far the registration has come (RG-01).
import { registrationSteps } from "@psp/contract/account/account.ts";
import { completeRegistration } from "@psp/contract/registration/registration.api.ts";
import { call, CallError } from "../../api/call.ts";
import { useParam } from "../../address/navigation.tsx";
import { invitedBody } from "./registration.body.ts";
import { RegistrationForm } from "./RegistrationForm.tsx";
import {
  RegistrationFailure,
  RegistrationScreen,
  RegistrationSpinner,
  RegistrationStep,
  ToLoginButton,
} from "./RegistrationScreen.tsx";
import { registrationText } from "./registration.text.ts";
import { isGone, mayWorkLater, stepOf, useRegistration, whyLinkFailed } from "./useRegistration.ts";

/** The form was taken before, or the link ended while it was filled in: where it stands now says more than the refusal. */
const isOvertaken = (error: unknown) =>
  isGone(error) || (error instanceof CallError && error.details["field"] === "regId");

export function RegistrationPage() {
  const params = { id: useParam("id"), regId: useParam("regId") };
  const { state, error, setState, retry } = useRegistration(params);
  if (error) {
    return (
      <RegistrationScreen title={registrationText.registration}>
        <RegistrationFailure onRetry={mayWorkLater(error) ? retry : undefined}>
          {whyLinkFailed(error)}
        </RegistrationFailure>
        {isGone(error) ? <ToLoginButton /> : null}
      </RegistrationScreen>
    );
  }
  if (state === undefined) return <RegistrationSpinner label={registrationText.loading} />;
  if (stepOf(state) !== registrationSteps.invited) return <RegistrationStep step={stepOf(state)} />;
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
          try {
            setState(await call(completeRegistration, { params, body: invitedBody(form, locked) }));
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
