// Validates the email address of a login.
import { emailSchema } from "@psp/contract/account/account.ts";
import { invitationText as text } from "./invitation.text.ts";

/** `others`: addresses of the account's other logins. */
export function emailError(email: string, others: readonly string[] = []): string | undefined {
  if (email.trim() === "") return text.emailRequired;
  if (!emailSchema.safeParse(email).success) return text.emailInvalid;
  const key = email.trim().toLowerCase();
  return others.some((other) => other.trim().toLowerCase() === key) ? text.emailTwice : undefined;
}
