// Texts of the invitation dialog.
import type { AccessLevel } from "@psp/contract/permission/templates.ts";

const list = new Intl.ListFormat("en", { type: "conjunction" });

export const invitationText = {
  title: "Invite a colleague",
  send: "Send invitation",
  failed: "Failed to send the invitation.",
  email: "Email",
  emailRequired: "The email is required", // fixed
  emailInvalid: "Invalid email",
  emailTwice: "Another login of this account already uses this email",
  emailUsed: "This email address already has a login.",
  access: "What can they do?",
  says: {
    viewer: "Sees everything and changes nothing.",
    operator: "Also edits sensors and locations and handles issues.",
    technician: "Also registers sensors, creates locations and installs firmware.",
    manager: "Also deletes and hands over sensors and locations, and invites colleagues.",
  } satisfies Record<AccessLevel, string>,
  lacking: (right: string) => `Your own role lacks ${right}.`,
  leftOut: (rights: readonly string[]) =>
    `Not included, because your own role lacks: ${rights.length > 4 ? `${rights.slice(0, 4).join(", ")} and ${rights.length - 4} more` : list.format(rights)}.`,
  seen: "What do they see?",
  own: "Everything of my account",
  ownSays: "Without sub-accounts: each of those needs its own invitation.",
  ownOnly: "Your colleague sees everything in your account.",
  one: "One sub-account",
  oneSays: "Everything in that sub-account, and nothing else.",
  subAccount: "Sub-account",
  subAccountRequired: "Choose a sub-account",
  sentTitle: "Invitation sent",
  sent: (email: string) => `An email with a link is on its way to ${email}. The link is valid for 30 days.`,
  sentNext: (role: string) => `Your colleague gets their own account with the role "${role}".`,
  openAccount: "Open the new account",
  another: "Invite another colleague",
  denied: "Your role doesn't allow you to invite colleagues.",
} as const;
