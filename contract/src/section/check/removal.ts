// What can't be removed because something else looks at it, in the same section or in another one of the sensor.
import type { ItemList, Values } from "../field.ts";
import { idOf, itemsAt, valueAt } from "../values.ts";
import type { OtherSections } from "./check-field.ts";

/** Why this item of a list stays, given the section as it is in the form and the others as they are stored; null when it may go. */
export function removalFault(list: ItemList, id: string, values: Values, others: OtherSections): string | null {
  for (const use of list.usedBy ?? []) {
    const from = use.section === undefined ? values : valueAt(others, use.section);
    const ids = itemsAt(from, use.list).flatMap((item) => (valueAt(item, use.field) === id ? [idOf(item) ?? ""] : []));
    if (ids.length > 0) return use.sentence(ids);
  }
  return null;
}

/** The same at saving, of stored items that are gone. Within the section the reference itself is the fault then. */
export function lostUses(
  list: ItemList,
  items: readonly unknown[],
  stored: ReadonlyMap<string, unknown>,
  others: OtherSections,
): string | null {
  const uses = (list.usedBy ?? []).filter(({ section }) => section !== undefined);
  if (uses.length === 0) return null;
  const left = new Set(items.map(idOf));
  for (const id of stored.keys()) {
    const fault = left.has(id) ? null : removalFault({ ...list, usedBy: uses }, id, {}, others);
    if (fault !== null) return fault;
  }
  return null;
}
