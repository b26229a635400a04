// The one judge of a section's values: the form asks it while people type, the server before the device is asked.
import { composed } from "../../kit/text-bounds.ts";
import type { SensorType } from "../../device/sensor-type.ts";
import { type Field, isList, type ItemList, type Section, type Values } from "../field.ts";
import { sectionOf } from "../sections.ts";
import { doesApply, idOf, isTree, itemsById, scopeOf, valueAt } from "../values.ts";
import { type Fault, faultsOfField, type OtherSections } from "./check-field.ts";
import { lostUses } from "./removal.ts";
import { sectionFaults as faults } from "./sentences.ts";

/** What is known besides. Whatever is not known is left to the device to judge. */
export type Known = {
  /** The section as it was read: which secrets there are, and of fixed lists which items. */
  stored?: unknown;
  /** Values of other sections, by key. */
  others?: OtherSections;
};

/** Everything that is wrong, in the order of the fields; paths are dotted and relative to `values`. Never throws. */
export function checkSection(type: SensorType, key: string, values: unknown, known: Known = {}): Fault[] {
  const section = sectionOf(type, key);
  return section === null ? [{ path: "", message: faults.noValues }] : faultsOfValues(section, values, known);
}

/** The same for a section that is at hand. */
export function faultsOfValues(section: Section, values: unknown, { stored, others = {} }: Known = {}): Fault[] {
  if (!isTree(values)) return [{ path: "", message: faults.noValues }];
  return section.parts.flatMap((part) =>
    isList(part)
      ? faultsOfList(part, values, stored, others)
      : faultsAt(part, values, others, { item: values, stored, path: "" }),
  );
}

type Place = { item: unknown; stored: unknown; path: string; used?: Set<string> | undefined };

function faultsAt(field: Field, values: Values, others: OtherSections, { item, stored, path, used }: Place): Fault[] {
  const scope = scopeOf(values, item, stored);
  if (!doesApply(field, scope)) return [];
  const value = valueAt(item, field.path);
  const found = faultsOfField(field, value, scope, values, others);
  const faultsHere =
    found.length === 0 && isRepeated(used, value) ? [{ path: "", message: faults.used(field) }] : found;
  return faultsHere.map((fault) => ({
    path: [path, field.path, fault.path].filter((step) => step !== "").join("."),
    message: fault.message,
  }));
}

/** Notes a text that was found right; true when an earlier item has it. */
function isRepeated(used: Set<string> | undefined, value: unknown): boolean {
  if (used === undefined || typeof value !== "string") return false;
  const text = composed(value);
  if (used.has(text)) return true;
  used.add(text);
  return false;
}

function faultsOfList(list: ItemList, values: Values, stored: unknown, others: OtherSections): Fault[] {
  const value = valueAt(values, list.path);
  const ofList = (message: string): Fault[] => [{ path: list.path, message }];
  if (!Array.isArray(value)) return ofList(faults.noList(list));
  const items: readonly unknown[] = value;
  // A list that is too long is not read any further.
  if (items.length > list.max) return ofList(faults.tooMany(list));
  const storedItems = itemsById(stored, list.path);
  const message =
    faultOfItems(list, items, storedItems) ??
    list.rule?.(items, scopeOf(values)) ??
    lostUses(list, items, storedItems, others);
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
): Fault[] {
  const used = new Map(list.fields.filter(isUnique).map((field) => [field.path, new Set<string>()]));
  return items.flatMap((item, n) => {
    const path = `${list.path}.${n}`;
    if (!isTree(item)) return [{ path, message: faults.noItem(list) }];
    const id = idOf(item);
    if (id === null || !idPattern.test(id)) return [{ path: `${path}.id`, message: faults.badId }];
    if (list.fixed === true && stored.size > 0 && !stored.has(id))
      return [{ path: `${path}.id`, message: faults.foreign(list) }];
    const place = { item, stored: stored.get(id), path };
    return list.fields.flatMap((field) => faultsAt(field, values, others, { ...place, used: used.get(field.path) }));
  });
}

/** Ids end up in addresses, topics and paths of fields. */
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

const isUnique = (field: Field) => field.kind === "text" && field.unique === true;
