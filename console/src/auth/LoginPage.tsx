// Signing in (AU-01 to AU-03): two fields, one button, and a sentence for everything that can go wrong.
import { loginFormSchema } from "@psp/contract/auth/auth.ts";
import { Box, Link, TextField } from "@mui/material";
import { type MouseEvent, type ReactNode, useState } from "react";
import { safeReturn } from "../address/address.ts";
import { CallError } from "../api/call.ts";
import { AppLink, Redirect, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useSession } from "../session/session.tsx";
import { EntryForm, EntryScreen, Outcome } from "../ui/entry/EntryScreen.tsx";
import { useCheckedForm } from "../ui/form/useCheckedForm.ts";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { authText } from "./auth.text.ts";

/** The sentence for a failed sign-in, by status (spec 1 §8). */
function loginFailure(error: unknown): ReactNode {
  if (!(error instanceof CallError)) return authText.failed;
  const { reason, publicUrl } = error.details;
  if (error.status === 403 && typeof reason === "string")
    return <ForeignOrigin reason={reason} publicUrl={publicUrl} />;
  if (error.status === 0) return authText.timeout;
  if (error.status === 401) return authText.wrong;
  if (error.status === 429) return authText.rateLimit;
  return error.message || authText.failed;
}

/** Why no one can sign in at this address, with a link to the one that the server was set up for (decisions 15). */
function ForeignOrigin({ reason, publicUrl }: { reason: string; publicUrl: unknown }) {
  if (typeof publicUrl !== "string") return reason;
  const [before, after] = reason.split(publicUrl);
  const { pathname, search } = globalThis.location;
  return (
    <>
      {before}
      <Link href={publicUrl + pathname + search} color="inherit" underline="always">
        {publicUrl}
      </Link>
      {after}
    </>
  );
}

/** Pressing a link must not leave the field first: its message would move the link away from under the pointer. */
const keepFocus = (event: MouseEvent) => event.preventDefault();

const empty = { email: "", password: "" };

export function LoginPage() {
  const { state, login } = useSession();
  const search = useSearchParams();
  const [failure, setFailure] = useState<ReactNode>(null);
  const { busy, fieldOf, onSubmit } = useCheckedForm(loginFormSchema, empty);
  if (state.status === "signedIn") return <Redirect to={safeReturn(search["from"]) ?? paths.root} />;

  const submit = async ({ email, password }: typeof empty) => {
    setFailure(null);
    try {
      await login(email, password);
    } catch (error) {
      setFailure(loginFailure(error));
    }
  };
  return (
    <EntryScreen title={authText.title}>
      {failure === null ? null : <Outcome severity="error">{failure}</Outcome>}
      <EntryForm busy={busy} submitLabel={authText.login} onSubmit={onSubmit(submit)}>
        <TextField
          id="email"
          label={authText.email}
          type="email"
          autoComplete="username"
          autoFocus
          {...fieldOf("email")}
        />
        <Box>
          <PasswordField
            id="password"
            label={authText.password}
            autoComplete="current-password"
            {...fieldOf("password")}
          />
          <Box onMouseDown={keepFocus} sx={{ display: "flex", justifyContent: "flex-end", mt: 2 }}>
            <AppLink to={paths.forgotPassword}>{authText.forgot}</AppLink>
          </Box>
        </Box>
      </EntryForm>
      <Box onMouseDown={keepFocus} sx={{ display: "flex", flexWrap: "wrap", justifyContent: "center", columnGap: 2 }}>
        <span>{authText.noAccount}</span>
        <AppLink to={paths.signUp} query="none">
          {authText.signUp}
        </AppLink>
      </Box>
    </EntryScreen>
  );
}
