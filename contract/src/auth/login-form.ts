// The forms of the login screens. Checked without a schema: these screens need no validator (ADR 0027).
import { emailPattern, maxEmailLength } from "../account/email.ts";
import { normalizeText, isBounded, rawLengthFactor } from "../kit/text-bounds.ts";

type Issue = { path: [string]; message: string };

/** Builds a form with the interface of a schema. `faultsOf` returns the message of each field, null if valid. */
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

/** The form of the login screen (AU-02). */
export const loginForm = formOf<{ email: string; password: string }>(({ email, password }) => ({
  email: emailFault(email),
  password: password === "" ? "Password is required" : null,
}));

/** The form of the forgot-password view (AU-04). */
export const forgotForm = formOf(({ email }) => ({ email: emailFault(email) }));

function emailFault(text: string): string | null {
  if (text.length > maxEmailLength * rawLengthFactor) return "Must be valid e-mail";
  if (!isBounded(text, Infinity)) return "Remove special characters";
  if (normalizeText(text) === "") return "E-mail is required";
  return emailPattern.test(normalizeText(text)) ? null : "Must be valid e-mail";
}
