// The frame of the registration pages: sign, heading, one card; and what they say in place of a form.
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import CardContent from "@mui/material/CardContent";
import CircularProgress from "@mui/material/CircularProgress";
import Typography from "@mui/material/Typography";
import { type ReactNode, useEffect, useRef } from "react";
import { registrationSteps } from "@psp/contract/account/account.ts";
import { Logo } from "../../ui/Logo.tsx";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { registrationText } from "./registration.text.ts";

type RegistrationScreenProps = {
  title: string;
  /** Below the title. */
  text?: string;
  /** In place of another screen: takes the focus, so that it is read out. */
  replaces?: boolean;
  children?: ReactNode;
};

/** Props: `title`, `text?`, `replaces?`. */
export function RegistrationScreen({ title, text, replaces = false, children }: RegistrationScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (replaces) heading.current?.focus();
  }, [replaces]);
  return (
    <Box
      sx={{
        mx: "auto",
        width: 1,
        maxWidth: 640,
        py: { xs: 4, sm: 6 },
        display: "flex",
        flexDirection: "column",
        gap: 5,
      }}
    >
      <Box sx={{ display: "flex", flexDirection: "column", alignItems: "center", gap: 3, textAlign: "center" }}>
        <Logo size={40} />
        <Typography ref={heading} variant="h1" tabIndex={-1}>
          {title}
        </Typography>
        {text === undefined ? null : <Typography sx={{ color: "text.secondary" }}>{text}</Typography>}
      </Box>
      {children === undefined ? null : (
        <Card>
          <CardContent
            sx={{
              p: { xs: "20px !important", sm: "28px !important" },
              display: "flex",
              flexDirection: "column",
              gap: 5,
            }}
          >
            {children}
          </CardContent>
        </Card>
      )}
    </Box>
  );
}

/** What went wrong, and `onRetry?` where trying again can help. Takes the focus, so that it is read out and found. */
export function RegistrationFailure({
  children,
  onRetry,
}: {
  children: ReactNode;
  onRetry?: (() => void) | undefined;
}) {
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
