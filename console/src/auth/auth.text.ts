// Texts of the authentication screen; most are fixed (docs/rules/sessions.md#fixed-texts).
export const authText = {
  title: "Welcome to PS.Platform", // fixed
  email: "Email",
  password: "Password",
  forgot: "Forgot password?", // fixed
  login: "Login",
  noAccount: "No account yet?",
  signUp: "Sign up",
  timeout: "Login request timed out", // fixed
  wrong: "Email or password is wrong", // fixed
  rateLimit: "Rate limit reached. Please wait 1 minute before trying again.", // fixed
  failed: "Login failed",
  again: "Log in again",
  logIn: "Log in",
  stay: "Close",
  otherAccount: "If you log in with another account, your unsaved changes are discarded.",
  back: "Back to login page", // fixed
  forgotTitle: "Forgot password", // fixed
  forgotText: "Enter the email address linked to your account, and we'll send you a reset link.", // fixed
  resetTitle: "Reset password",
  resetText: "Enter the new password and click on update password button.", // fixed
  getLink: "Get reset link", // fixed
  linkSent: "We sent you a reset link to your email. Please check your inbox to proceed.", // fixed
  linkFailed: "The reset link could not be requested",
  newPassword: "New password",
  confirmPassword: "Confirm password",
  update: "Update Password", // fixed
  updated: "Your password was updated successfully. You can now login with your new password.", // fixed
  invalidLink: "Reset link is invalid. Try to generate a new one", // fixed
  /** Same wording as the server's. */
  expiredLink: "The link has expired",
  unfulfilled: "The password doesn't fulfill all requirements", // fixed
  requirements: "Password requirements",
  // Appended to each requirement for screen readers, because its state is only an icon.
  fulfilled: ": fulfilled",
  missing: ": not fulfilled",
} as const;
