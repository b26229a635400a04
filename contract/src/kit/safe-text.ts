// Validates texts entered by users, and maps invalid fields to error codes (docs/rules/api.md#input-rule).
import type { z } from "zod";
import { errorCode } from "../errors.ts";
import { boundedNormalizedText } from "./bounded-text.ts";
import { hasForbiddenCharacters, normalizeText } from "./text-bounds.ts";

/** One line that obeys the input rule (400), trimmed and NFC-normalized, with at most `max` characters. May be empty. */
export function safeText(max: number) {
  return boundedNormalizedText(max)
    .refine((text) => !hasForbiddenCharacters(text), {
      error: "Remove special characters",
      params: { code: errorCode.invalidInput },
      abort: true,
    })
    .transform(normalizeText)
    .refine((text) => text.length <= max, { error: `At most ${max} characters` });
}

/** Like safeText, but rejects the empty text with error 108. */
export function safeName(max = 200) {
  return safeText(max).refine((text) => text.length > 0, {
    error: "The name is required",
    params: { code: errorCode.nameMissing },
  });
}

/** Fields with their own error codes: `missing` if the field is missing, `bad` if its value is invalid. */
const fieldCodes: Record<string, { missing?: number; bad?: number }> = {
  name: { missing: errorCode.nameMissing },
  email: { missing: errorCode.emailMissing, bad: errorCode.invalidEmail },
  password: { missing: errorCode.passwordMissing, bad: errorCode.invalidPassword },
  newPassword: { missing: errorCode.passwordMissing, bad: errorCode.invalidPassword },
  owner: { bad: errorCode.invalidOwner },
  role: { bad: errorCode.invalidRole },
  directParentAccount: { bad: errorCode.invalidOwner },
};

const missingCodes: ReadonlySet<number> = new Set([
  errorCode.missingArgument,
  errorCode.nameMissing,
  errorCode.emailMissing,
  errorCode.passwordMissing,
]);
const laterRanks: ReadonlyMap<number, number> = new Map([
  [errorCode.invalidFieldType, 1],
  [errorCode.invalidInput, 3],
]);

type InputError = { code: number; field: string; message: string };

/**
 * Returns the error code and field of the most important issue: 104 for a missing field, 402 for a wrong type or unknown field,
 * otherwise 102. Some fields have their own codes.
 */
export function toInputError(error: z.ZodError): InputError {
  const faults = error.issues.map(faultOfIssue);
  // Precedence of errors: missing field, wrong type, bad value, input rule (docs/rules/api.md#failures).
  const rank = ({ code }: InputError) => (missingCodes.has(code) ? 0 : (laterRanks.get(code) ?? 2));
  return (
    faults.toSorted((a, b) => rank(a) - rank(b))[0] ?? {
      code: errorCode.invalidArgument,
      field: "",
      message: "Invalid",
    }
  );
}

function faultOfIssue(issue: z.core.$ZodIssue): InputError {
  const path = issue.path.map(String);
  const last = issue.path.findLast((part) => typeof part === "string");
  const special = fieldCodes[String(last)] ?? {};
  const message = plainWords(issue);
  const fault = (code: number, field = path.join(".")): InputError => ({ code, field, message });
  if (issue.code === "unrecognized_keys")
    return fault(errorCode.invalidFieldType, [...path, issue.keys[0] ?? ""].join("."));
  if (issue.code === "custom" && typeof issue.params?.["code"] === "number") return fault(issue.params["code"]);
  // zod reports a fraction as a wrong type, but for our callers it is a number with a bad value.
  const fraction = issue.code === "invalid_type" && issue.expected === "int" && typeof issue.input === "number";
  if (issue.code === "invalid_type" && !fraction) {
    const missing = issue.input === undefined;
    return fault(missing ? (special.missing ?? errorCode.missingArgument) : errorCode.invalidFieldType);
  }
  if (issue.code === "invalid_value") {
    // For a field with fixed choices, zod reports a missing value or a wrong type as an invalid choice.
    if (issue.input === undefined) return fault(special.missing ?? errorCode.missingArgument);
    if (isOfOtherType(issue.values, issue.input)) return fault(errorCode.invalidFieldType);
  }
  if (issue.code === "invalid_union") {
    if (issue.errors.length === 0) return fault(discriminatorCode(issue.input, String(last)));
    const inner = issue.errors.flat();
    const typed = inner.every(
      (one) =>
        one.code === "invalid_type" ||
        (one.code === "invalid_value" && one.path.length === 0 && isOfOtherType(one.values, issue.input)),
    );
    if (typed)
      return fault(
        issue.input === undefined ? (special.missing ?? errorCode.missingArgument) : errorCode.invalidFieldType,
      );
    // One member of the union matched, but violated a rule that has its own error code.
    const ruled = inner.find((one) => one.code === "custom" && typeof one.params?.["code"] === "number");
    if (ruled?.code === "custom") return fault(Number(ruled.params?.["code"]));
  }
  return fault(special.bad ?? errorCode.invalidArgument);
}

function plainWords({ code, message, input }: z.core.$ZodIssue): string {
  if (code === "unrecognized_keys") return "Unknown field";
  if (!/^Invalid (input|option)/.test(message)) return message;
  if (input === undefined) return "Required";
  return code === "invalid_type" ? "Wrong type" : "Not one of the allowed values";
}

function isOfOtherType(choices: readonly unknown[], value: unknown): boolean {
  return !choices.some((choice) => typeof choice === typeof value);
}

function discriminatorCode(object: unknown, field: string): number {
  const value = object && typeof object === "object" ? (object as Record<string, unknown>)[field] : undefined;
  if (value === undefined) return errorCode.missingArgument;
  return typeof value === "string" ? errorCode.invalidArgument : errorCode.invalidFieldType;
}
