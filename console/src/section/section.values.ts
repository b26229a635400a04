// Converts between the values of a section and those of the form, and locates errors.
import type { FieldError } from "@psp/contract/section/check/check-field.ts";
import { type Field, isList, type ItemList, type Section, type Values } from "@psp/contract/section/field.ts";
import {
  getDefaults,
  isApplicable,
  idOf,
  isPlainObject,
  itemsAt,
  itemsById,
  createItem,
  normalizeForRules,
  toRuleContext,
  secretFlagPath,
  valueAt,
  withoutValueAt,
  withValueAt,
} from "@psp/contract/section/values.ts";

/** Comparing as JSON works because edits keep the order of keys. */
export const isSameValue = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** All values, normalized. Includes secrets only if they were replaced or removed. */
export function toRequestValues(section: Section, values: Values, before: Values): Values {
  const defaults = getDefaults(section);
  const withSent = (sent: Values, field: Field, item: unknown, stored: unknown, start: unknown): Values => {
    const value = valueAt(item, field.path);
    if (field.kind === "secret") return isTyped(value) ? withValueAt(sent, field.path, value) : sent;
    // Incomplete values can only be in fields that don't apply, because others would have failed validation.
    const kept = isHalfTyped(field, value) ? (valueAt(stored, field.path) ?? valueAt(start, field.path)) : value;
    return withValueAt(sent, field.path, field.kind === "text" ? normalizeForRules(kept) : kept);
  };
  return section.parts.reduce<Values>((sent, part) => {
    if (!isList(part)) return withSent(sent, part, values, before, defaults);
    const stored = itemsById(before, part.path);
    const items = itemsAt(values, part.path).map((item) => {
      const id = idOf(item) ?? "";
      const start = createItem(part, []);
      return part.fields.reduce<Values>((all, field) => withSent(all, field, item, stored.get(id), start), { id });
    });
    return withValueAt(sent, part.path, items);
  }, {});
}

function isHalfTyped(field: Field, value: unknown): boolean {
  if (field.kind === "number") return typeof value !== "number";
  return field.kind === "text" && typeof value === "string" && value.length > field.max;
}

const isTyped = (secret: unknown) => secret === null || (typeof secret === "string" && secret !== "");

/** Values that the device stores when it accepts `sent`. Flags replace the secrets. */
export function toStoredValues(section: Section, sent: Values, before: Values): Values {
  return section.parts.reduce<Values>((values, part) => {
    if (!isList(part)) return withFlag(values, part, before);
    const stored = itemsById(before, part.path);
    const items = itemsAt(values, part.path).map((item) =>
      isPlainObject(item)
        ? part.fields.reduce<Values>((all, field) => withFlag(all, field, stored.get(idOf(item) ?? "")), item)
        : item,
    );
    return withValueAt(values, part.path, items);
  }, sent);
}

function withFlag(values: Values, field: Field, before: unknown): Values {
  if (field.kind !== "secret") return values;
  const secret = valueAt(values, field.path);
  const flag = secretFlagPath(field.path);
  const isSet = isTyped(secret) ? secret !== null : valueAt(before, flag) === true;
  return withValueAt(withoutValueAt(values, field.path), flag, isSet);
}

const changedParts = ({ parts }: Section, before: Values, after: Values) =>
  parts.filter(({ path }) => !isSameValue(valueAt(before, path), valueAt(after, path)));

export const changedLabelsOf = (section: Section, before: Values, after: Values): string[] =>
  changedParts(section, before, after).map(({ label }) => label);

/** Three-way merge: applies to `others` the changes that lead from `before` to `mine`. */
export function mergeChanges(section: Section, mine: Values, before: Values, others: Values): Values {
  return changedParts(section, before, mine).reduce<Values>((values, { path }) => {
    const value = valueAt(mine, path);
    return value === undefined ? withoutValueAt(values, path) : withValueAt(values, path, value);
  }, others);
}

/** Path relative to an item list; null if the path is not in this list. */
const insideOf = (list: ItemList, path: string): string[] | null =>
  path.startsWith(`${list.path}.`) ? path.slice(list.path.length + 1).split(".") : null;

function fieldPathOf({ parts }: Section, values: Values, path: string): string {
  for (const list of parts.filter(isList)) {
    const [index, ...rest] = insideOf(list, path) ?? [];
    const id = index === undefined ? null : idOf(itemsAt(values, list.path)[Number(index)]);
    if (id !== null) return [list.path, id, ...rest].join(".");
  }
  return path;
}

function shownFieldPaths({ parts }: Section, values: Values): ReadonlySet<string> {
  const ofFields = (fields: readonly Field[], item: unknown, prefix: string) =>
    fields.flatMap((field) => {
      if (field.otherwise !== "off" && !isApplicable(field, toRuleContext(values, item))) return [];
      const fieldPath = `${prefix}${field.path}`;
      if (field.kind !== "points") return [fieldPath];
      const points = itemsAt(item, field.path).flatMap((_, n) => [`${fieldPath}.${n}.x`, `${fieldPath}.${n}.y`]);
      return [fieldPath, ...points];
    });
  const fieldPaths = parts.flatMap((part) => {
    if (!isList(part)) return ofFields([part], values, "");
    const items = itemsAt(values, part.path).flatMap((item) => {
      const fieldPath = `${part.path}.${idOf(item) ?? ""}`;
      return [fieldPath, ...ofFields(part.fields, item, `${fieldPath}.`)];
    });
    return [part.path, ...items];
  });
  return new Set(fieldPaths);
}

/** Where the focus goes if there is no better target. */
export const firstFieldPath = (section: Section, values: Values): string =>
  shownFieldPaths(section, values).values().next().value ?? "";

/** `fieldPath` is the field with the error, or its nearest displayed ancestor; null if none is displayed. */
export type FieldPathError = { fieldPath: string | null; message: string };

export function toFieldPathErrors(section: Section, values: Values, faults: readonly FieldError[]): FieldPathError[] {
  const shown = shownFieldPaths(section, values);
  return faults.map(({ path, message }) => {
    const steps = fieldPathOf(section, values, path).split(".");
    const around = steps.map((_, n) => steps.slice(0, steps.length - n).join("."));
    return { fieldPath: around.find((fieldPath) => shown.has(fieldPath)) ?? null, message };
  });
}

export const elementId = (fieldPath: string) => `section-${fieldPath}`;

const minutes = new Intl.DateTimeFormat("de-DE", {
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
/** Formats as dd.MM.yyyy HH:mm in the browser's time zone. */
export const formatMinute = (at: number | string) => minutes.format(new Date(at)).replace(",", "");
