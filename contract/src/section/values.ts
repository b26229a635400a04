// Reads and builds values along the description of their section; hostile values are looked at, never trusted.
import { composed, isBounded } from "../kit/text-bounds.ts";
import { type Field, isList, type ItemList, type Scope, type Section, type Values } from "./field.ts";

export function isTree(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What stands at a dotted path; undefined where nothing of its own does. */
export function valueAt(values: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (isTree(at) && Object.hasOwn(at, key) ? at[key] : undefined), values);
}

/** The values with another one at a dotted path; what leads there is copied, and made where it is missing. */
export function withValueAt(values: Values, path: string, value: unknown): Values {
  const [key = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...values, [key]: value };
  const inner = valueAt(values, key);
  return { ...values, [key]: withValueAt(isTree(inner) ? inner : {}, rest.join("."), value) };
}

/** The values without what stands at a dotted path. */
export function withoutValueAt(values: Values, path: string): Values {
  const [key = "", ...rest] = path.split(".");
  if (!Object.hasOwn(values, key)) return values;
  if (rest.length === 0) return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
  const inner = values[key];
  return isTree(inner) ? { ...values, [key]: withoutValueAt(inner, rest.join(".")) } : values;
}

/** The items of a list; empty where there is no list. */
export function itemsAt(values: unknown, path: string): readonly unknown[] {
  const items = valueAt(values, path);
  return Array.isArray(items) ? items : [];
}

/** The id of an item; null where it has none. */
export function idOf(item: unknown): string | null {
  const id = valueAt(item, "id");
  return typeof id === "string" ? id : null;
}

/** Items of a list by their ids. */
export function itemsById(values: unknown, path: string): ReadonlyMap<string, unknown> {
  return new Map(itemsAt(values, path).flatMap((item) => (idOf(item) === null ? [] : [[String(idOf(item)), item]])));
}

/** Where the device says that a secret is stored. */
export const secretSetPath = (path: string): string => `${path}Set`;

/** A short text as it will be stored, anything else as it is: rules see what the device would. */
export function readable(value: unknown): unknown {
  return typeof value === "string" && isBounded(value, longestRead) ? composed(value) : value;
}
/** Longer than any text that a rule looks at. */
const longestRead = 1024;

/** What the rules of a field look at: of an item of a list that item, with the one that is stored under its id. */
export function scopeOf(values: Values, item: unknown = values, stored?: unknown): Scope {
  return {
    near: (path) => readable(valueAt(item, path)),
    whole: (path) => readable(valueAt(values, path)),
    hasSecret: (path) => {
      const typed = valueAt(item, path);
      if (typed === null) return false;
      if (typed === undefined || typed === "") return valueAt(stored, secretSetPath(path)) === true;
      return true;
    },
  };
}

/** Whether a field applies at present. One that does not keeps its value, which is sent and not judged. */
export function doesApply(field: Field, scope: Scope): boolean {
  return field.applies?.(scope) ?? true;
}

function defaultOf(field: Field): unknown {
  if (field.kind === "secret") return "";
  return field.kind === "reference" ? null : field.default;
}

function filled(fields: readonly (Field | ItemList)[]): Values {
  return fields.reduce<Values>((values, field) => withValueAt(values, field.path, copyOf(startOf(field))), {});
}

const startOf = (part: Field | ItemList) => (isList(part) ? part.default : defaultOf(part));

/** Lists of the descriptions are handed out as copies, so that no form changes the description. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

/** What a section begins with. What only the device can know, such as the name of its coach, is empty. */
export function defaultsOf({ parts }: Section): Values {
  return filled(parts);
}

/** A new item with its defaults, under an id that is neither among `taken` nor less than one of them. */
export function newItem(list: ItemList, taken: Iterable<string>): Values {
  const numbers = Array.from(taken, (id) =>
    id.startsWith(list.idPrefix) ? Number(/^\d{1,9}$/.exec(id.slice(list.idPrefix.length))?.[0] ?? 0) : 0,
  );
  const next = numbers.reduce((most, n) => Math.max(most, n), 0) + 1;
  return { id: `${list.idPrefix}${next}`, ...filled(list.fields) };
}
