// Checks the login form in the words of its schema, which the login screen would load a whole validator for (ADR 0027).
import { emailPattern, maxEmailLength } from "../account/email.ts";
import { composed, isBounded, rawLengths } from "../kit/text-bounds.ts";

type Login = { email: string; password: string };

/** The same answers as `loginFormSchema` gives to two texts; a test compares them. */
export const loginForm = {
  safeParse(values: unknown) {
    const { email, password } = values as Login;
    const found = [
      { path: ["email"], message: faultOfEmail(email) },
      { path: ["password"], message: password === "" ? "Password is required" : null },
    ];
    const issues = found.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]));
    if (issues.length > 0) return { success: false as const, error: { issues } };
    return { success: true as const, data: { email: composed(email), password } };
  },
};

function faultOfEmail(text: string): string | null {
  if (text.length > maxEmailLength * rawLengths) return "Must be valid e-mail";
  if (!isBounded(text, Infinity)) return "Remove special characters";
  if (composed(text) === "") return "E-mail is required";
  return emailPattern.test(composed(text)) ? null : "Must be valid e-mail";
}
