// Open registration: anybody may ask for an account, and the support team decides (RG-03).
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { signUp } from "@psp/contract/registration/registration.api.ts";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { Outcome } from "../../ui/entry/EntryScreen.tsx";
import { signUpBody } from "./registration.body.ts";
import { RegistrationForm } from "./RegistrationForm.tsx";
import { RegistrationScreen } from "./RegistrationScreen.tsx";
import { registrationText } from "./registration.text.ts";

export function SignUpPage() {
  const [isSent, setSent] = useState(false);
  return (
    <RegistrationScreen title={registrationText.signUp} text={registrationText.signUpText}>
      {isSent ? (
        <>
          <Outcome severity="success" atTop>
            {registrationText.submitted}
          </Outcome>
          <Typography>{registrationText.submittedNext}</Typography>
        </>
      ) : (
        <RegistrationForm
          draftOf={paths.signUp}
          onRegister={async (form) => {
            await call(signUp, { body: signUpBody(form) });
            setSent(true);
          }}
        />
      )}
      <Box sx={{ display: "flex", gap: 2, flexWrap: "wrap" }}>
        <Typography sx={{ color: "text.secondary" }}>{registrationText.haveAccount}</Typography>
        <AppLink to={paths.login} query="none">
          {registrationText.backToLogin}
        </AppLink>
      </Box>
    </RegistrationScreen>
  );
}
