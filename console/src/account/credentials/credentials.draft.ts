// What somebody typed into the credentials of an account, what is wrong with it, and the changes that it comes to (AC-11).
import { type CredentialChange, emailSchema } from "@psp/contract/account/account.ts";
import { passwordText } from "../../password/password.text.ts";
import { accountText } from "../account.text.ts";

export type Passwords = { password: string; repeat: string };
export type Added = Passwords & { key: number; email: string };
export type CredentialsDraft = {
  /** New passwords by the address of an existing login. */
  changed: Readonly<Record<string, Passwords>>;
  removed: ReadonlySet<string>;
  added: readonly Added[];
  /** The present password of the login that one is signed in with; asked for in one's own account only. */
  current: string;
};

export const noPasswords: Passwords = { password: "", repeat: "" };
export const noDraft: CredentialsDraft = { changed: {}, removed: new Set(), added: [], current: "" };

export type PasswordErrors = { password?: string; repeat?: string };

/** `fulfilled`: what the server said of this password. An existing login may stay without a new one. */
export function passwordErrors({ password, repeat }: Passwords, fulfilled: boolean, needed: boolean): PasswordErrors {
  if (password === "" && repeat === "" && !needed) return {};
  return {
    ...(password === ""
      ? { password: accountText.passwordRequired }
      : fulfilled
        ? {}
        : { password: passwordText.unfulfilled }),
    ...(repeat === password ? {} : { repeat: accountText.passwordMismatch }),
  };
}

/** What is wrong with the address of new credentials; `others` are those of the account. */
export function emailError(email: string, others: readonly string[]): string | undefined {
  if (email.trim() === "") return accountText.emailRequired;
  if (!emailSchema.safeParse(email).success) return accountText.emailInvalid;
  const key = email.trim().toLowerCase();
  return others.some((other) => other.trim().toLowerCase() === key) ? accountText.emailTwice : undefined;
}

/** One's own logins are changed with the present password only. */
export function currentError(draft: CredentialsDraft): string | undefined {
  return draft.current === "" && changesOf(draft).length > 0 ? accountText.currentPasswordRequired : undefined;
}

/** The changes in the form of the call, each with the present password if there is one. */
export function changesOf({ changed, removed, added, current }: CredentialsDraft): CredentialChange[] {
  const proof = current === "" ? {} : { currentPassword: current };
  return [
    ...[...removed].map((email) => ({ operation: "REMOVE" as const, email, ...proof })),
    ...Object.entries(changed)
      .filter(([email, { password }]) => password !== "" && !removed.has(email))
      .map(([email, { password }]) => ({
        operation: "CHANGE_PASSWORD" as const,
        email,
        newPassword: password,
        ...proof,
      })),
    ...added.map(({ email, password }) => ({
      operation: "ADD" as const,
      email: email.trim(),
      newPassword: password,
      ...proof,
    })),
  ];
}

export function isTouched({ changed, removed, added, current }: CredentialsDraft): boolean {
  const typed = Object.values(changed).some(({ password, repeat }) => password !== "" || repeat !== "");
  return typed || current !== "" || removed.size > 0 || added.length > 0;
}
