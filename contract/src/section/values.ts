// Reads and builds section values by path. Input values are untrusted.
import { normalizeText, isBounded } from "../kit/text-bounds.ts";
import { type Field, isList, type ItemList, type RuleContext, type Section, type Values } from "./field.ts";

export function isPlainObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a dotted path, or undefined. Ignores inherited properties. */
export function valueAt(values: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), values);
}

/** Returns a copy with the value at a dotted path replaced. Creates missing parents. */
export function withValueAt(values: Values, path: string, value: unknown): Values {
  const [key = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...values, [key]: value };
  const inner = valueAt(values, key);
  return { ...values, [key]: withValueAt(isPlainObject(inner) ? inner : {}, rest.join("."), value) };
}

export function withoutValueAt(values: Values, path: string): Values {
  const [key = "", ...rest] = path.split(".");
  if (!Object.hasOwn(values, key)) return values;
  if (rest.length === 0) return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
  const inner = values[key];
  return isPlainObject(inner) ? { ...values, [key]: withoutValueAt(inner, rest.join(".")) } : values;
}

export function itemsAt(values: unknown, path: string): readonly unknown[] {
  const items = valueAt(values, path);
  return Array.isArray(items) ? items : [];
}

export function idOf(item: unknown): string | null {
  const id = valueAt(item, "id");
  return typeof id === "string" ? id : null;
}

export function itemsById(values: unknown, path: string): ReadonlyMap<string, unknown> {
  return new Map(itemsAt(values, path).flatMap((item) => (idOf(item) === null ? [] : [[String(idOf(item)), item]])));
}

/** Path of the flag with which the device reports whether a secret is set. */
export const secretFlagPath = (path: string): string => `${path}Set`;

/** Normalizes a text, so that rules see it as the device will store it. Leaves long texts and other values unchanged. */
export function normalizeForRules(value: unknown): unknown {
  return typeof value === "string" && isBounded(value, longestRead) ? normalizeText(value) : value;
}
/** Longer than any text that a rule needs. */
const longestRead = 1024;

/** Returns the context for the rules of a field. For a field in a list, pass the item and its stored version. */
export function toRuleContext(values: Values, item: unknown = values, stored?: unknown): RuleContext {
  return {
    inItem: (path) => normalizeForRules(valueAt(item, path)),
    inSection: (path) => normalizeForRules(valueAt(values, path)),
    hasSecret: (path) => {
      const typed = valueAt(item, path);
      if (typed === null) return false;
      if (typed === undefined || typed === "") return valueAt(stored, secretFlagPath(path)) === true;
      return true;
    },
  };
}

export function isApplicable(field: Field, context: RuleContext): boolean {
  return field.applies?.(context) ?? true;
}

function defaultOf(field: Field): unknown {
  if (field.kind === "secret") return "";
  return field.kind === "reference" ? null : field.default;
}

function filled(fields: readonly (Field | ItemList)[]): Values {
  return fields.reduce<Values>((values, field) => withValueAt(values, field.path, copyOf(startOf(field))), {});
}

const startOf = (part: Field | ItemList) => (isList(part) ? part.default : defaultOf(part));

/** Copies a default, so that no form can modify the description. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

/** Returns the default values of a section. Values that only the device knows are empty. */
export function getDefaults({ parts }: Section): Values {
  return filled(parts);
}

/** Returns a new item with default values. The number in its id is higher than in all ids in `taken`. */
export function createItem(list: ItemList, taken: Iterable<string>): Values {
  const numbers = Array.from(taken, (id) =>
    id.startsWith(list.idPrefix) ? Number(/^\d{1,9}$/.exec(id.slice(list.idPrefix.length))?.[0] ?? 0) : 0,
  );
  const next = numbers.reduce((most, n) => Math.max(most, n), 0) + 1;
  return { id: `${list.idPrefix}${next}`, ...filled(list.fields) };
}
