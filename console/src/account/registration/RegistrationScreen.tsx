// The frame of the registration pages, and what they say in place of a form.
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import type { ComponentProps, ReactNode } from "react";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { EntryScreen, Outcome } from "../../ui/entry/EntryScreen.tsx";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { registrationText } from "./registration.text.ts";

export const RegistrationScreen = (props: Omit<ComponentProps<typeof EntryScreen>, "wide">) => (
  <EntryScreen {...props} wide />
);

/** What went wrong, and `onRetry?` where trying again can help. Takes the focus, so that it is read out and found. */
export function RegistrationFailure({
  children,
  onRetry,
}: {
  children: ReactNode;
  onRetry?: (() => void) | undefined;
}) {
  const retry = onRetry && (
    <Button color="inherit" size="small" onClick={onRetry}>
      {registrationText.tryAgain}
    </Button>
  );
  return (
    <Outcome severity="error" action={retry}>
      {children}
    </Outcome>
  );
}

/** Steps 1 and 2 have a message each. */
export function RegistrationStep({ step, replaces = false }: { step: number; replaces?: boolean }) {
  const done = step === registrationSteps.complete;
  return (
    <RegistrationScreen title={done ? registrationText.complete : registrationText.mailSent} replaces={replaces}>
      <div>{done ? registrationText.completeText : registrationText.mailSentText}</div>
      {done ? <ToLoginButton /> : null}
    </RegistrationScreen>
  );
}

/** While the server is asked. */
export function RegistrationSpinner({ label }: { label: string }) {
  return (
    <Box role="status" aria-busy sx={{ m: "auto", p: 8 }}>
      <CircularProgress aria-label={label} />
    </Box>
  );
}

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
