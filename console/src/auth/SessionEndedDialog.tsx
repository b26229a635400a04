// Login dialog over the page when the session has ended; waiting writes are sent afterwards.
import { loginForm } from "@psp/contract/auth/login-form.ts";
import {
  Alert,
  Button,
  CircularProgress,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Stack,
  TextField,
} from "@mui/material";
import { type ReactNode, useId, useState } from "react";
import { sessionEndedText } from "../api/call.ts";
import { useSession, useUser } from "../api/session/session.tsx";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { useCheckedForm } from "../ui/form/useCheckedForm.ts";
import { authText } from "./auth.text.ts";
import { loginFailureMessage } from "./login-failure.tsx";

export function SessionEndedDialog() {
  const { login, dismissLogin } = useSession();
  const { email: present } = useUser();
  const id = useId();
  const [failure, setFailure] = useState<ReactNode>(null);
  const { values, busy, fieldOf, onSubmit } = useCheckedForm(loginForm, { email: present, password: "" });
  const emailField = fieldOf("email");
  const isOther = values.email.trim().toLowerCase() !== present.toLowerCase();
  const submit = async ({ email, password }: { email: string; password: string }) => {
    setFailure(null);
    try {
      await login(email, password);
    } catch (error) {
      setFailure(loginFailureMessage(error));
    }
  };
  return (
    <Dialog
      open
      onClose={busy ? undefined : dismissLogin}
      fullWidth
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      slotProps={{ paper: { sx: { maxWidth: 420, m: 4 } } }}
    >
      <Stack
        component="form"
        noValidate
        aria-busy={busy}
        // Prevents submitting a form below the dialog.
        onSubmit={(event) => {
          event.stopPropagation();
          onSubmit(submit)(event);
        }}
      >
        <DialogTitle id={`${id}-title`}>{authText.again}</DialogTitle>
        <DialogContent>
          <Stack sx={{ gap: 4 }}>
            <span id={`${id}-text`}>{sessionEndedText}</span>
            {failure === null ? null : <Alert severity="error">{failure}</Alert>}
            <TextField
              id={`${id}-email`}
              label={authText.email}
              type="email"
              autoComplete="username"
              {...emailField}
              helperText={emailField.helperText ?? (isOther ? authText.otherAccount : undefined)}
            />
            <PasswordField
              id={`${id}-password`}
              label={authText.password}
              autoComplete="current-password"
              autoFocus
              {...fieldOf("password")}
            />
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button color="inherit" variant="outlined" onClick={dismissLogin} disabled={busy}>
            {authText.stay}
          </Button>
          <Button
            type="submit"
            variant="contained"
            aria-disabled={busy}
            startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
          >
            {authText.logIn}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
