// Reads and builds section values by path; input values are untrusted.
import { normalizeText, isBounded } from "../kit/text-bounds.ts";
import { type Field, isList, type ItemList, type RuleContext, type Section, type Values } from "./field.ts";

export function isPlainObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own property at a dotted path, or undefined. */
export function valueAt(values: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), values);
}

/** Copy with the value at a dotted path replaced; missing parents are created. */
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

/** Path at which the device reports whether a secret is stored. */
export const secretSetPath = (path: string): string => `${path}Set`;

/** Normalizes short texts as they will be stored, so that rules see what the device would. */
export function normalizeForRules(value: unknown): unknown {
  return typeof value === "string" && isBounded(value, longestRead) ? normalizeText(value) : value;
}
/** Longer than any text that a rule reads. */
const longestRead = 1024;

/** Context for the rules of a field; for a field in a list, of the item and its stored version. */
export function toRuleContext(values: Values, item: unknown = values, stored?: unknown): RuleContext {
  return {
    inItem: (path) => normalizeForRules(valueAt(item, path)),
    inSection: (path) => normalizeForRules(valueAt(values, path)),
    hasSecret: (path) => {
      const typed = valueAt(item, path);
      if (typed === null) return false;
      if (typed === undefined || typed === "") return valueAt(stored, secretSetPath(path)) === true;
      return true;
    },
  };
}

/** Whether a field applies. If not, its value is sent but not validated. */
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

/** Defaults are copied, so that no form modifies the description. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

/** Initial values. Those that only the device knows are empty. */
export function getDefaults({ parts }: Section): Values {
  return filled(parts);
}

/** A new item with defaults and an id greater than all `taken` ones. */
export function newItem(list: ItemList, taken: Iterable<string>): Values {
  const numbers = Array.from(taken, (id) =>
    id.startsWith(list.idPrefix) ? Number(/^\d{1,9}$/.exec(id.slice(list.idPrefix.length))?.[0] ?? 0) : 0,
  );
  const next = numbers.reduce((most, n) => Math.max(most, n), 0) + 1;
  return { id: `${list.idPrefix}${next}`, ...filled(list.fields) };
}
