// Texts of the dialog that makes links of displays; some are fixed: docs/rules/occupancy.md#fixed-texts

export const linkText = {
  title: "Application link",
  about: (name: string) =>
    `Everyone who opens the link sees the light of ${name}, without a login: on a tablet at the door, for example.`,
  warning:
    "Use a login that can only view this location. The link carries its e-mail and password, sealed so that only the server can read them; anyone who has the link can show the display.",
  email: "Email",
  password: "Password",
  emailRequired: "The Email is required", // fixed
  emailInvalid: "Invalid email", // fixed
  passwordRequired: "The password is required", // fixed
  generate: "Generate link", // fixed
  link: "Link",
  copy: "Copy link",
  copied: "Link copied to clipboard", // fixed
  notCopied: "The link could not be copied. Select and copy it here.",
  failed: "The link could not be made.",
  noKey: "This installation has no key for links. Please ask its operator.",
  close: "Close",
  revoke: "Revoke all links",
  revokeTitle: "Revoke all links",
  revokeQuestion: (name: string) =>
    `Displays of ${name} that are open close at once, and their links open nothing any more. A link that was made elsewhere and never opened still works: change the password of its login to end that, too.`,
  revokeConfirm: "Revoke",
  revoked: (count: number) => (count === 1 ? "1 display revoked" : `${count} displays revoked`),
  noRevoke: "You can look at this app, but not change it.",
} as const;
