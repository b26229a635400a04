// The other two views of the authentication screen. Their calls are not part of this version, so they say whom to ask and lead back.
import Alert from "@mui/material/Alert";
import Typography from "@mui/material/Typography";
import { AppLink } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { AuthScreen } from "./AuthScreen.tsx";
import { authText } from "./auth.text.ts";

function Help({ title, text }: { title: string; text: string }) {
  return (
    <AuthScreen title={title}>
      <Typography>{text}</Typography>
      <Alert severity="info">{authText.supportNow}</Alert>
      <AppLink to={paths.login}>{authText.back}</AppLink>
    </AuthScreen>
  );
}

export function ForgotPasswordPage() {
  return <Help title={authText.forgotTitle} text={authText.forgotText} />;
}

export function ResetPasswordPage() {
  return <Help title={authText.resetTitle} text={authText.resetText} />;
}
