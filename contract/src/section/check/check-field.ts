// Validates the value of one field by its kind. Values are untrusted, so their size is checked first.
import {
  hasForbiddenCharacters,
  normalizeText,
  isBounded,
  excessiveMarksPattern,
  rawLengthFactor,
} from "../../kit/text-bounds.ts";
import type { Field, HostsField, PointsField, RuleContext, SecretField, TextField } from "../field.ts";
import { idOf, isPlainObject, itemsAt, normalizeForRules, valueAt } from "../values.ts";
import { type NumberBounds, pointLabel, sectionMessages as faults } from "./sentences.ts";

export type FieldError = { path: string; message: string };

export type OtherSections = Readonly<Record<string, unknown>>;

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** Returns the errors of the value: at most one, but for points up to one per coordinate. */
export function validateField(
  field: Field,
  value: unknown,
  context: RuleContext,
  values: unknown,
  others: OtherSections,
): FieldError[] {
  if (field.kind === "points") return faultsOfPoints(field, value, context);
  const message = faultOfKind(field, value, values, others) ?? field.rule?.(normalizeForRules(value), context) ?? null;
  return message === null ? [] : [{ path: "", message }];
}

function faultOfKind(
  field: Exclude<Field, PointsField>,
  value: unknown,
  values: unknown,
  others: OtherSections,
): string | null {
  switch (field.kind) {
    case "switch":
      return typeof value === "boolean" ? null : isEmpty(value) ? faults.required(field) : faults.switch(field);
    case "number":
      return faultOfNumber(field, value);
    case "choice":
      if (isEmpty(value)) return faults.required(field);
      return field.options.some((option) => option.value === value) ? null : faults.choice(field);
    case "text":
      return faultOfText(field, value);
    case "secret":
      return faultOfSecret(field, value);
    case "hosts":
      return faultOfHosts(field, value);
    case "reference": {
      if (value === null && field.nullable) return null;
      if (isEmpty(value)) return faults.required(field);
      const known = field.section === undefined ? values : valueAt(others, field.section);
      // If the other section is unknown, only the device can check the reference.
      if (known === undefined && field.section !== undefined) return typeof value === "string" ? null : field.missing;
      return itemsAt(known, field.list)
        .slice(0, maxComparedOptions)
        .some((item) => idOf(item) === value)
        ? null
        : field.missing;
    }
  }
}

/** Maximum length of any list. Longer lists are rejected elsewhere, so comparing the first items suffices. */
const maxComparedOptions = 64;

function faultOfNumber(field: NumberBounds, value: unknown): string | null {
  if (isEmpty(value)) return faults.required(field);
  const { min, max, decimals } = field;
  const isNumber = typeof value === "number" && Number.isFinite(value) && isRounded(value, decimals);
  return isNumber && value >= min && value <= max ? null : faults.number(field);
}

/** Decimals such as 0.3 have no exact binary form, so this compares with the nearest double. */
function isRounded(value: number, decimals: 0 | 1): boolean {
  return decimals === 0 ? Number.isInteger(value) : Math.round(value * 10) / 10 === value;
}

function faultOfText(field: TextField, value: unknown): string | null {
  if (isEmpty(value)) return field.required ? faults.required(field) : null;
  if (typeof value !== "string") return faults.text(field);
  if (value.length > field.max * rawLengthFactor) return faults.tooLong(field, field.max);
  if (excessiveMarksPattern.test(value) || hasForbiddenCharacters(value)) return faults.special;
  const text = normalizeText(value);
  if (text === "") return field.required ? faults.required(field) : null;
  if (text.length > field.max) return faults.tooLong(field, field.max);
  return field.must === undefined || field.must.be(text) ? null : field.must.sentence;
}

/** Passwords are neither trimmed nor normalized and may contain any character. */
function faultOfSecret(field: SecretField, value: unknown): string | null {
  if (isEmpty(value)) return null;
  if (typeof value !== "string") return faults.text(field);
  const { min, max } = field;
  if (value.length > max || (min !== undefined && value.length < min))
    return min === undefined ? faults.tooLong(field, max) : faults.secretLength({ ...field, min });
  return isBounded(value, max) && value.isWellFormed() ? null : faults.special;
}

function faultOfHosts(field: HostsField, value: unknown): string | null {
  if (isEmpty(value)) return null;
  if (!Array.isArray(value)) return faults.noList(field);
  const hosts: readonly unknown[] = value;
  if (hosts.length > field.max) return faults.tooManyHosts(field, field.max);
  return hosts.every((host) => typeof host === "string" && field.be(host)) ? null : field.sentence;
}

function faultsOfPoints(field: PointsField, value: unknown, context: RuleContext): FieldError[] {
  const points: readonly unknown[] = Array.isArray(value) ? value : [];
  if (points.length < field.min || points.length > field.max) return [{ path: "", message: faults.points(field) }];
  const wrong = points.flatMap((point, n) =>
    (["x", "y"] as const).flatMap((axis) => {
      const coordinate = { label: pointLabel(n, axis), min: 0, max: 100, decimals: 1 } as const;
      const message = faultOfNumber(coordinate, isPlainObject(point) ? valueAt(point, axis) : undefined);
      return message === null ? [] : [{ path: `${n}.${axis}`, message }];
    }),
  );
  if (wrong.length > 0) return wrong;
  const message = field.rule?.(points, context) ?? null;
  return message === null ? [] : [{ path: "", message }];
}
