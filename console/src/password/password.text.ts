// Texts of fields for new passwords; some are fixed (docs/rules/sessions.md#fixed-texts).
export const passwordText = {
  password: "Password",
  confirm: "Confirm Password", // fixed
  unfulfilled: "The password doesn't fulfill all requirements", // fixed
  rules: { requirements: "Password requirements", fulfilled: " – fulfilled", missing: " – missing" },
} as const;
