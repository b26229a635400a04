// Validates the forms of the login screens. Uses no schema, so that these screens don't load a validator (ADR 0027).
import { emailPattern, maxEmailLength } from "../account/email.ts";
import { normalizeText, isBounded, rawLengthFactor } from "../kit/text-bounds.ts";

type Issue = { path: [string]; message: string };

/**
 * Builds an object with the interface of a zod schema. `faultsOf` returns a message for each invalid field, and null for valid
 * fields.
 */
const formOf = <V extends { email: string }>(faultsOf: (values: V) => Record<string, string | null>) => ({
  safeParse(values: unknown) {
    const given = values as V;
    const issues = Object.entries(faultsOf(given)).flatMap(([field, message]): Issue[] =>
      message === null ? [] : [{ path: [field], message }],
    );
    if (issues.length > 0) return { success: false as const, error: { issues } };
    return { success: true as const, data: { ...given, email: normalizeText(given.email) } };
  },
});

/** The login screen (AU-02). */
export const loginForm = formOf<{ email: string; password: string }>(({ email, password }) => ({
  email: emailFault(email),
  password: password === "" ? "Password is required" : null,
}));

/** The forgot-password screen (AU-04). */
export const forgotForm = formOf(({ email }) => ({ email: emailFault(email) }));

function emailFault(text: string): string | null {
  if (text.length > maxEmailLength * rawLengthFactor) return "Must be valid e-mail";
  if (!isBounded(text, Infinity)) return "Remove special characters";
  if (normalizeText(text) === "") return "E-mail is required";
  return emailPattern.test(normalizeText(text)) ? null : "Must be valid e-mail";
}
