// Words of the authentication screen, verbatim from spec 1 §2 and §8.
export const authText = {
  title: "Welcome to PS.Platform",
  email: "Email",
  password: "Password",
  forgot: "Forgot password?",
  login: "Login",
  timeout: "Login request timed out",
  wrong: "Email or password is wrong",
  rateLimit: "Rate limit reached. Please wait 1 minute before trying again.",
  failed: "Login failed",
  back: "Back to login page",
  forgotTitle: "Forgot password",
  forgotText: "Enter the email address linked to your account, and we'll send you a reset link.",
  resetTitle: "Reset password",
  resetText: "Enter the new password and click on update password button.",
  /** While no call for it exists (the next issue brings it). */
  supportNow:
    "Resetting by e-mail is not part of this version. Please ask the person who manages your account for a new password.",
} as const;
