// Frame of the sign-in and registration pages: logo, heading, and a centered card with a form.
import { Alert, Button, Card, CardContent, CircularProgress, Stack, Typography } from "@mui/material";
import { type ReactNode, type SubmitEventHandler, useEffect, useRef } from "react";
import { useInvalidFields } from "../form/ErrorSummary.tsx";
import { Logo } from "../Logo.tsx";

type EntryScreenProps = {
  title: string;
  text?: string | undefined;
  /** For longer forms: wider, and aligned to the top of the page. */
  wide?: boolean;
  /** Focuses the title, so that screen readers announce a screen that replaces another one. */
  takesFocus?: boolean;
  children?: ReactNode;
};

const places = {
  narrow: { m: "auto", maxWidth: 400, py: 6 },
  wide: { mx: "auto", maxWidth: 640, py: { xs: 4, sm: 6 } },
} as const;

export function EntryScreen({ title, text, wide = false, takesFocus = false, children }: EntryScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <Stack sx={{ ...places[wide ? "wide" : "narrow"], width: 1, gap: 5 }}>
      <Stack sx={{ alignItems: "center", gap: 3, textAlign: "center" }}>
        <Logo size={40} />
        <Typography ref={heading} variant="h1" tabIndex={-1}>
          {title}
        </Typography>
        {text === undefined ? null : <Typography sx={{ color: "text.secondary" }}>{text}</Typography>}
      </Stack>
      {children === undefined ? null : (
        <Card>
          <CardContent
            sx={{
              p: { xs: "20px !important", sm: "28px !important" },
              display: "flex",
              flexDirection: "column",
              gap: wide ? 5 : 4,
            }}
          >
            {children}
          </CardContent>
        </Card>
      )}
    </Stack>
  );
}

type EntryFormProps = {
  busy: boolean;
  submitLabel: string;
  onSubmit: SubmitEventHandler<HTMLElement>;
  onBlur?: () => void;
  wide?: boolean;
  children: ReactNode;
};

export function EntryForm({ busy, submitLabel, onSubmit, onBlur, wide = false, children }: EntryFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { attempted, summary } = useInvalidFields(form);
  const submit: SubmitEventHandler<HTMLElement> = (event) => {
    onSubmit(event);
    attempted();
  };
  return (
    <Stack
      component="form"
      ref={form}
      noValidate
      aria-busy={busy}
      onBlur={onBlur}
      onSubmit={wide ? submit : onSubmit}
      sx={{ gap: wide ? 7 : 4 }}
    >
      {summary}
      {children}
      <Button
        type="submit"
        variant="contained"
        disabled={busy}
        startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
        sx={{ minHeight: 40, ...(wide && { alignSelf: { sm: "flex-start" }, px: 8 }) }}
      >
        {submitLabel}
      </Button>
    </Stack>
  );
}

type OutcomeProps = {
  severity: "error" | "success";
  action?: ReactNode;
  /** For long pages: scrolls to the top. */
  atTop?: boolean;
  children: ReactNode;
};

/** Result above a form, or instead of it. Takes the focus, so that screen readers announce it. */
export function EntryOutcome({ severity, action, atTop = false, children }: OutcomeProps) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (atTop) window.scrollTo({ top: 0 });
    alert.current?.focus({ preventScroll: atTop });
  }, [atTop]);
  return (
    <Alert ref={alert} severity={severity} tabIndex={-1} action={action}>
      {children}
    </Alert>
  );
}
