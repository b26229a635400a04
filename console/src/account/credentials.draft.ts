// What somebody typed into the credentials of an account, what is wrong with it, and the changes that it comes to (spec 1 §3, §5).
import { type CredentialChange, emailSchema } from "@psp/contract/account/account.ts";
import { accountText } from "./account.text.ts";

/** `current` is asked for one's own login only. */
export type Passwords = { password: string; repeat: string; current?: string };
export type Added = Passwords & { key: number; email: string };
export type CredentialsDraft = {
  /** New passwords by the address of an existing login. */
  changed: Readonly<Record<string, Passwords>>;
  removed: ReadonlySet<string>;
  added: readonly Added[];
};

export const noPasswords: Passwords = { password: "", repeat: "" };
export const noDraft: CredentialsDraft = { changed: {}, removed: new Set(), added: [] };

export type PasswordErrors = { password?: string; repeat?: string; current?: string };

/** `fulfilled`: what the server said of this password. An existing login may stay without a new one. */
export function passwordErrors(
  { password, repeat, current = "" }: Passwords,
  fulfilled: boolean,
  needed: boolean,
  own = false,
): PasswordErrors {
  if (password === "" && repeat === "" && current === "" && !needed) return {};
  return {
    ...(own && current === "" ? { current: accountText.currentPasswordRequired } : {}),
    ...(password === ""
      ? { password: accountText.passwordRequired }
      : fulfilled
        ? {}
        : { password: accountText.passwordUnfulfilled }),
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

/** The changes in the form of the call. */
export function changesOf({ changed, removed, added }: CredentialsDraft): CredentialChange[] {
  return [
    ...[...removed].map((email) => ({ operation: "REMOVE" as const, email })),
    ...Object.entries(changed)
      .filter(([email, { password }]) => password !== "" && !removed.has(email))
      .map(([email, { password, current }]) => ({
        operation: "CHANGE_PASSWORD" as const,
        email,
        newPassword: password,
        ...(current === undefined || current === "" ? {} : { currentPassword: current }),
      })),
    ...added.map(({ email, password }) => ({ operation: "ADD" as const, email: email.trim(), newPassword: password })),
  ];
}

/** Something was typed or taken away. */
export function isTouched({ changed, removed, added }: CredentialsDraft): boolean {
  const typed = Object.values(changed).some(
    ({ password, repeat, current = "" }) => password !== "" || repeat !== "" || current !== "",
  );
  return typed || removed.size > 0 || added.length > 0;
}
