// Validates the values of a section, in the form and in the server before it calls the device.
import { normalizeText } from "../../kit/text-bounds.ts";
import type { SensorType } from "../../device/sensor-type.ts";
import { type Field, isList, type ItemList, type Section, type Values } from "../field.ts";
import { sectionOf } from "../sections.ts";
import { isApplicable, idOf, isPlainObject, itemsById, toRuleContext, valueAt } from "../values.ts";
import { type FieldError, validateField, type OtherSections } from "./check-field.ts";
import { findRemovedItemInUse } from "./removal.ts";
import { sectionMessages as faults } from "./sentences.ts";

/** Known values that checks may use. A check of unknown values is left to the device. */
export type ValidationContext = {
  /** The section as last read from the device. Contains which secrets are stored, and the items of fixed lists. */
  stored?: unknown;
  others?: OtherSections;
};

/** Returns all errors in the order of the fields. Paths are dotted and relative to `values`. Never throws. */
export function validateSection(
  type: SensorType,
  key: string,
  values: unknown,
  context: ValidationContext = {},
): FieldError[] {
  const section = sectionOf(type, key);
  return section === null ? [{ path: "", message: faults.noValues }] : validateValues(section, values, context);
}

export function validateValues(
  section: Section,
  values: unknown,
  { stored, others = {} }: ValidationContext = {},
): FieldError[] {
  if (!isPlainObject(values)) return [{ path: "", message: faults.noValues }];
  return section.parts.flatMap((part) =>
    isList(part)
      ? faultsOfList(part, values, stored, others)
      : faultsAt(part, values, others, { item: values, stored, path: "" }),
  );
}

type Place = { item: unknown; stored: unknown; path: string; used?: Set<string> | undefined };

function faultsAt(
  field: Field,
  values: Values,
  others: OtherSections,
  { item, stored, path, used }: Place,
): FieldError[] {
  const context = toRuleContext(values, item, stored);
  if (!isApplicable(field, context)) return [];
  const value = valueAt(item, field.path);
  const found = validateField(field, value, context, values, others);
  const faultsHere =
    found.length === 0 && isRepeated(used, value) ? [{ path: "", message: faults.used(field) }] : found;
  return faultsHere.map((fault) => ({
    path: [path, field.path, fault.path].filter((step) => step !== "").join("."),
    message: fault.message,
  }));
}

function isRepeated(used: Set<string> | undefined, value: unknown): boolean {
  if (used === undefined || typeof value !== "string") return false;
  const text = normalizeText(value);
  if (used.has(text)) return true;
  used.add(text);
  return false;
}

function faultsOfList(list: ItemList, values: Values, stored: unknown, others: OtherSections): FieldError[] {
  const value = valueAt(values, list.path);
  const ofList = (message: string): FieldError[] => [{ path: list.path, message }];
  if (!Array.isArray(value)) return ofList(faults.noList(list));
  const items: readonly unknown[] = value;
  // Items of an oversized list are not validated, to limit the work.
  if (items.length > list.max) return ofList(faults.tooMany(list));
  const storedItems = itemsById(stored, list.path);
  const message =
    faultOfItems(list, items, storedItems) ??
    list.rule?.(items, toRuleContext(values)) ??
    findRemovedItemInUse(list, items, storedItems, others);
  return [...(message === null ? [] : ofList(message)), ...faultsOfItems(list, items, values, storedItems, others)];
}

function faultOfItems(list: ItemList, items: readonly unknown[], stored: ReadonlyMap<string, unknown>): string | null {
  if (items.length < list.min) return faults.tooFew(list);
  const ids = items.map(idOf).filter((id) => id !== null);
  if (new Set(ids).size < ids.length) return faults.sameId;
  if (list.fixed !== true || stored.size === 0) return null;
  return [...stored.keys()].every((id) => ids.includes(id)) ? null : faults.lost(list);
}

function faultsOfItems(
  list: ItemList,
  items: readonly unknown[],
  values: Values,
  stored: ReadonlyMap<string, unknown>,
  others: OtherSections,
): FieldError[] {
  const used = new Map(list.fields.filter(isUnique).map((field) => [field.path, new Set<string>()]));
  return items.flatMap((item, n) => {
    const path = `${list.path}.${n}`;
    if (!isPlainObject(item)) return [{ path, message: faults.noItem(list) }];
    const id = idOf(item);
    if (id === null || !idPattern.test(id)) return [{ path: `${path}.id`, message: faults.badId }];
    if (list.fixed === true && stored.size > 0 && !stored.has(id))
      return [{ path: `${path}.id`, message: faults.foreign(list) }];
    const place = { item, stored: stored.get(id), path };
    return list.fields.flatMap((field) => faultsAt(field, values, others, { ...place, used: used.get(field.path) }));
  });
}

/** Ids are used in URLs, topics and field paths. */
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

const isUnique = (field: Field) => field.kind === "text" && field.unique === true;
