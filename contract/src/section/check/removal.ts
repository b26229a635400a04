// Prevents the removal of items that are still referenced, in the same section or in another section of the sensor.
import type { ItemList, Values } from "../field.ts";
import { idOf, itemsAt, valueAt } from "../values.ts";
import type { OtherSections } from "./check-field.ts";

/**
 * Returns why the item can't be removed, or null. Checks the form's values of this section, and the stored values of other
 * sections.
 */
export function findRemovalBlocker(list: ItemList, id: string, values: Values, others: OtherSections): string | null {
  for (const use of list.usedBy ?? []) {
    const from = use.section === undefined ? values : valueAt(others, use.section);
    const ids = itemsAt(from, use.list).flatMap((item) => (valueAt(item, use.field) === id ? [idOf(item) ?? ""] : []));
    if (ids.length > 0) return use.sentence(ids);
  }
  return null;
}

/**
 * Checks on save whether a stored item was removed although another section uses it. References within the section report such
 * errors themselves.
 */
export function findRemovedItemInUse(
  list: ItemList,
  items: readonly unknown[],
  stored: ReadonlyMap<string, unknown>,
  others: OtherSections,
): string | null {
  const uses = (list.usedBy ?? []).filter(({ section }) => section !== undefined);
  if (uses.length === 0) return null;
  const left = new Set(items.map(idOf));
  for (const id of stored.keys()) {
    const fault = left.has(id) ? null : findRemovalBlocker({ ...list, usedBy: uses }, id, {}, others);
    if (fault !== null) return fault;
  }
  return null;
}
