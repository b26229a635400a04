// Text that people type: the input rule (code 400) and the codes that a broken field earns (docs/rules/api.md#input-rule).
import type { z } from "zod";
import { errorCode } from "../errors.ts";
import { boundedRaw } from "./bounded-text.ts";
import { breaksInputRule, composed } from "./text-bounds.ts";

/** One-line text within the input rule, trimmed and composed (NFC), at most `max` characters; may be empty. */
export function safeText(max: number) {
  return boundedRaw(max)
    .refine((text) => !breaksInputRule(text), {
      error: "Remove special characters",
      params: { code: errorCode.invalidInput },
      abort: true,
    })
    .transform(composed)
    .refine((text) => text.length <= max, { error: `At most ${max} characters` });
}

/** A name: like safeText, but must hold something; an empty one earns 108. */
export function safeName(max = 200) {
  return safeText(max).refine((text) => text.length > 0, {
    error: "The name is required",
    params: { code: errorCode.nameMissing },
  });
}

/** Codes that particular fields earn instead of the general ones: `missing` when absent, `bad` when the value can't be. */
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
/** What is reported after missing fields; anything else stands between the two. */
const laterRanks: ReadonlyMap<number, number> = new Map([
  [errorCode.invalidFieldType, 1],
  [errorCode.invalidInput, 3],
]);

type FieldFault = { code: number; field: string; message: string };

/** Turns what zod found into the catalog's code and the field's name: 104 missing, 402 wrong type or unknown field, 102 otherwise. */
export function faultOf(error: z.ZodError): FieldFault {
  const faults = error.issues.map(faultOfIssue);
  // Deterministic: a missing field before a wrong type, that before a bad value, the input rule last (docs/rules/api.md#failures).
  const rank = ({ code }: FieldFault) => (missingCodes.has(code) ? 0 : (laterRanks.get(code) ?? 2));
  return (
    faults.toSorted((a, b) => rank(a) - rank(b))[0] ?? {
      code: errorCode.invalidArgument,
      field: "",
      message: "Invalid",
    }
  );
}

function faultOfIssue(issue: z.core.$ZodIssue): FieldFault {
  const path = issue.path.map(String);
  const last = issue.path.findLast((part) => typeof part === "string");
  const special = fieldCodes[String(last)] ?? {};
  const message = plainWords(issue);
  const fault = (code: number, field = path.join(".")): FieldFault => ({ code, field, message });
  if (issue.code === "unrecognized_keys")
    return fault(errorCode.invalidFieldType, [...path, issue.keys[0] ?? ""].join("."));
  if (issue.code === "custom" && typeof issue.params?.["code"] === "number") return fault(issue.params["code"]);
  // A number that should be whole has the right type and a bad value.
  const fraction = issue.code === "invalid_type" && issue.expected === "int" && typeof issue.input === "number";
  if (issue.code === "invalid_type" && !fraction) {
    const missing = issue.input === undefined;
    return fault(missing ? (special.missing ?? errorCode.missingArgument) : errorCode.invalidFieldType);
  }
  if (issue.code === "invalid_value") {
    // Of a choice the value may be no choice, of another type, or not there at all.
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
    // One of the forms fitted but for a rule that has its own code.
    const ruled = inner.find((one) => one.code === "custom" && typeof one.params?.["code"] === "number");
    if (ruled?.code === "custom") return fault(Number(ruled.params?.["code"]));
  }
  return fault(special.bad ?? errorCode.invalidArgument);
}

/** A schema's own words, or plain ones in place of the library's. */
function plainWords({ code, message, input }: z.core.$ZodIssue): string {
  if (code === "unrecognized_keys") return "There is no such field";
  if (!/^Invalid (input|option)/.test(message)) return message;
  if (input === undefined) return "It is missing";
  return code === "invalid_type" ? "It is of the wrong type" : "It is none of the possible values";
}

function isOfOtherType(choices: readonly unknown[], value: unknown): boolean {
  return !choices.some((choice) => typeof choice === typeof value);
}

/** What is wrong with the field that says which kind an object is: missing, of the wrong type, or an unknown kind. */
function discriminatorCode(object: unknown, field: string): number {
  const value = object && typeof object === "object" ? (object as Record<string, unknown>)[field] : undefined;
  if (value === undefined) return errorCode.missingArgument;
  return typeof value === "string" ? errorCode.invalidArgument : errorCode.invalidFieldType;
}
