// Field validators of the device: each checks a value, reports problems, and returns the value to store.
import type { SectionValues } from "../device/section-state.ts";

export type ReportError = (path: string, message: string) => void;

type Place = {
  path: string;
  complain: ReportError;
  /** The group that contains the value, as sent. */
  beside: SectionValues;
  before: unknown;
};

/** Returns the value to store, which is ignored if a problem was reported. */
export type Field = (value: unknown, place: Place) => unknown;
export type Fields = Record<string, Field>;

const maxText = 255;
const maxParts = 16;
const placeOf = (path: string, key: string | number): string => (path === "" ? String(key) : `${path}.${key}`);

export function isValues(value: unknown): value is SectionValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A required field; `problem` returns a message or null. */
function required(label: string, problem: (value: unknown) => string | null): Field {
  return (value, { path, complain }) => {
    const isMissing = value === undefined || value === null || value === "";
    const message = isMissing ? `${label} is required.` : problem(value);
    if (message !== null) complain(path, message);
    return value;
  };
}

export const flag = (label: string): Field =>
  required(label, (value) => (typeof value === "boolean" ? null : `${label} must be on or off.`));

export const integer = (label: string, min: number, max: number): Field =>
  required(label, (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? null
      : `${label} must be a whole number between ${min} and ${max}.`,
  );

export const choice = (label: string, options: readonly (string | number)[]): Field =>
  required(label, (value) =>
    options.some((option) => option === value) ? null : `${label} must be one of ${options.join(", ")}.`,
  );

/** A number from 0 to 100 with at most one decimal. */
export const percent = (label: string): Field =>
  required(label, (value) =>
    typeof value === "number" && value >= 0 && value <= 100 && Math.abs(value * 10 - Math.round(value * 10)) < 1e-9
      ? null
      : `${label} must be a number between 0 and 100 with at most one decimal.`,
  );

const special = /[<>[\]{}]/;
// Separate constant, because the linter rejects these characters elsewhere.
const control = /\p{Cc}|\p{Cs}/u;

function textProblem(label: string, value: unknown, max: number): string | null {
  if (typeof value !== "string") return `${label} must be a text.`;
  if (value.length > max) return `${label} may have at most ${max} characters.`;
  return control.test(value) ? `${label} has characters that are not allowed.` : null;
}

export const text = (label: string, max: number, problem: (value: string) => string | null = () => null): Field =>
  required(label, (value) => textProblem(label, value, max) ?? problem(String(value)));

export const optionalText =
  (label: string, max: number): Field =>
  (value, { path, complain }) => {
    const problem = textProblem(label, value ?? "", max);
    if (problem !== null) complain(path, problem);
    return value ?? "";
  };

/** A required text of at most 40 characters, without surrounding spaces. */
export const name =
  (label = "Name"): Field =>
  (value, place) => {
    const trimmed = typeof value === "string" ? value.trim() : value;
    return text(label, 40, (one) => (special.test(one) ? `${label} must not contain any of < > [ ] { }.` : null))(
      trimmed,
      place,
    );
  };

const idPattern = /^[A-Za-z0-9_-]{1,32}$/;
/** A stable identifier, independent of the display name. */
export const ident: Field = required("The id", (value) =>
  typeof value === "string" && idPattern.test(value) ? null : "The id may have 1 to 32 letters and digits.",
);

export const reference =
  (): Field =>
  (value, place): unknown =>
    value === null ? null : ident(value, place);

/** Write-only: absent or empty keeps the stored value, null removes it. */
export const secret =
  (label: string, min: number, max: number): Field =>
  (value, { path, complain, before }) => {
    if (value === undefined || value === "") return before ?? null;
    if (value === null) return null;
    const problem = textProblem(label, value, max);
    const isShort = typeof value === "string" && value.length < min;
    if (min > 1 && (problem !== null || isShort))
      complain(path, `${label} must have between ${min} and ${max} characters.`);
    else if (problem !== null) complain(path, problem);
    return value;
  };

export function group(fields: Fields): Field {
  return (value, { path, complain, before }) => {
    const kept: SectionValues = {};
    if (!isValues(value)) {
      complain(path, "A group of fields is required.");
      return kept;
    }
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(fields, key)) continue;
      complain(placeOf(path, key.slice(0, 40)), "This field is not known.");
      // Stops at the first unknown field, because there may be a hundred thousand.
      return kept;
    }
    for (const [key, field] of Object.entries(fields)) {
      const was = isValues(before) ? before[key] : undefined;
      kept[key] = field(value[key], { path: placeOf(path, key), complain, beside: value, before: was });
    }
    return kept;
  };
}

type ListRules = {
  min?: number;
  max: number;
  tooFew?: string;
  /** Keys whose values must be unique, with their labels. */
  unique?: Record<string, string>;
};

export function list(label: string, item: Field, { min = 0, max, tooFew, unique = {} }: ListRules): Field {
  return (value, { path, complain, before, beside }) => {
    if (!Array.isArray(value)) {
      complain(path, `${label} must be a list.`);
      return [];
    }
    if (value.length > max) complain(path, `${label} may have at most ${max} entries.`);
    else if (value.length < min) complain(path, tooFew ?? `${label} must have at least ${min} entries.`);
    const parts: unknown[] = value.slice(0, max);
    const kept = parts.map((part, index) =>
      item(part, { path: placeOf(path, index), complain, beside, before: sameBefore(before, part) }),
    );
    for (const [key, of] of Object.entries(unique))
      complainOfTwins(kept, key, (index) => complain(`${path}.${index}.${key}`, `${of} is already used.`));
    return kept;
  };
}

/** The stored item with the same id, wherever it was in the list. */
function sameBefore(before: unknown, part: unknown): unknown {
  if (!Array.isArray(before) || !isValues(part)) return undefined;
  return before.find((one: unknown) => isValues(one) && one["id"] === part["id"]);
}

function complainOfTwins(parts: readonly unknown[], key: string, complain: (index: number) => void): void {
  const seen = new Set<unknown>();
  for (const [index, part] of parts.entries()) {
    const value = isValues(part) ? part[key] : undefined;
    if (typeof value !== "string") continue;
    if (seen.has(value)) complain(index);
    seen.add(value);
  }
}

/** Validates the value only if `applies` returns true; otherwise the value is stored as sent, within bounds. */
export function when(applies: (beside: SectionValues) => boolean, field: Field): Field {
  return (value, place) => {
    if (applies(place.beside)) return field(value, place);
    const isSmall = Array.isArray(value) ? value.length <= maxParts && value.every(isScalar) : isScalar(value);
    if (!isSmall) place.complain(place.path, "This value is not valid.");
    return value ?? null;
  };
}

function isScalar(value: unknown): boolean {
  if (typeof value === "string") return value.length <= maxText;
  return value === undefined || value === null || typeof value === "number" || typeof value === "boolean";
}
