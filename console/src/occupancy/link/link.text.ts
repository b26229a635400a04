// Texts of the dialog that creates display links; some are fixed: docs/rules/occupancy.md#fixed-texts
import { formatCount } from "../../ui/text/numbers.ts";

export const linkText = {
  title: "Application link",
  about: (name: string) =>
    `Anyone with the link can see the traffic light of ${name} without logging in, for example on a tablet at the door.`,
  warning:
    "Use a login that can only view this location. The link contains its email and password, encrypted so that only the server can read them.",
  email: "Email",
  password: "Password",
  emailRequired: "The Email is required", // fixed
  emailInvalid: "Invalid email", // fixed
  passwordRequired: "The password is required", // fixed
  generate: "Generate link", // fixed
  link: "Link",
  copy: "Copy link",
  copied: "Link copied to clipboard", // fixed
  notCopied: "The link could not be copied. Select it and copy it.",
  failed: "The link could not be generated.",
  noKey: "No key for links is set up. Ask the operator of this installation.",
  close: "Close",
  revoke: "Revoke all links",
  revokeTitle: "Revoke all links",
  revokeQuestion: (name: string) =>
    `All open displays of ${name} close immediately, and their links stop working. Links that have never been opened still work. To stop those too, change the password of their login.`,
  revokeConfirm: "Revoke",
  revoked: (count: number) => `${formatCount(count, "display")} revoked`,
  noRevoke: "You can view but not change this app.",
} as const;
