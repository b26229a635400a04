// Validates the draft of login changes in the account dialog, and converts it to API changes (AC-11).
import type { CredentialChange } from "@psp/contract/account/account.ts";
import { passwordText } from "../../password/password.text.ts";
import { accountText } from "../account.text.ts";

export type PasswordEntry = { password: string; repeat: string };
export type AddedLogin = PasswordEntry & { key: number; email: string };
export type CredentialsDraft = {
  /** New passwords by email of the login. */
  changed: Readonly<Record<string, PasswordEntry>>;
  removed: ReadonlySet<string>;
  added: readonly AddedLogin[];
  /** Password of the current session's login. Only needed for changes to the user's own account. */
  current: string;
};

export const emptyPasswords: PasswordEntry = { password: "", repeat: "" };
export const emptyDraft: CredentialsDraft = { changed: {}, removed: new Set(), added: [], current: "" };

export type PasswordErrors = { password?: string; repeat?: string };

/** `fulfilled`: whether the server accepts the password. `needed`: whether the password must not be empty. */
export function passwordErrors(
  { password, repeat }: PasswordEntry,
  fulfilled: boolean,
  needed: boolean,
): PasswordErrors {
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

export function currentPasswordError(draft: CredentialsDraft): string | undefined {
  return draft.current === "" && toCredentialChanges(draft).length > 0
    ? accountText.currentPasswordRequired
    : undefined;
}

/** Converts the draft to API changes, each with the current password if it was entered. */
export function toCredentialChanges({ changed, removed, added, current }: CredentialsDraft): CredentialChange[] {
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

export function hasChanges({ changed, removed, added, current }: CredentialsDraft): boolean {
  const typed = Object.values(changed).some(({ password, repeat }) => password !== "" || repeat !== "");
  return typed || current !== "" || removed.size > 0 || added.length > 0;
}
