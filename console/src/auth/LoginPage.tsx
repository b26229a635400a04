// Login page (AU-01 to AU-03).
import { loginForm } from "@psp/contract/auth/login-form.ts";
import { Box } from "@mui/material";
import { type MouseEvent, type ReactNode, useState } from "react";
import { safeReturnPath } from "../address/address.ts";
import { AppLink, Redirect, useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useSession } from "../api/session/session.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EntryForm, EntryScreen, EntryOutcome } from "../ui/entry/EntryScreen.tsx";
import { useCheckedForm } from "../ui/form/useCheckedForm.ts";
import { PlainField } from "../ui/form/PlainField.tsx";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { authText } from "./auth.text.ts";
import { loginFailureMessage } from "./login-failure.tsx";

/** Prevents the blur on pointer down, because the validation message would move the link away from the pointer. */
const keepFocus = (event: MouseEvent) => event.preventDefault();

const empty = { email: "", password: "" };

export function LoginPage() {
  const { state, login } = useSession();
  const search = useSearchParams();
  const [failure, setFailure] = useState<ReactNode>(null);
  const { busy, fieldOf, onSubmit } = useCheckedForm(loginForm, empty);
  if (state.status === "signedIn") return <Redirect to={safeReturnPath(search["from"]) ?? paths.root} />;

  const submit = async ({ email, password }: typeof empty) => {
    setFailure(null);
    try {
      await login(email, password);
    } catch (error) {
      setFailure(loginFailureMessage(error));
    }
  };
  return (
    <EntryScreen title={authText.title}>
      {failure === null ? null : <EntryOutcome severity="error">{failure}</EntryOutcome>}
      <EntryForm busy={busy} submitLabel={authText.login} onSubmit={onSubmit(submit)}>
        <PlainField
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
            <AppLink to={paths.forgotPassword} sx={standaloneLinkStyles}>
              {authText.forgot}
            </AppLink>
          </Box>
        </Box>
      </EntryForm>
      <Box onMouseDown={keepFocus} sx={{ display: "flex", flexWrap: "wrap", justifyContent: "center", columnGap: 2 }}>
        <span>{authText.noAccount}</span>
        <AppLink to={paths.signUp} query="none" sx={standaloneLinkStyles}>
          {authText.signUp}
        </AppLink>
      </Box>
    </EntryScreen>
  );
}
