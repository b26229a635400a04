// Labels of list items, of their buttons, and of the choices of references.
import type { OtherSections } from "./check/check-field.ts";
import { sectionMessages } from "./check/sentences.ts";
import type { ItemList, ReferenceField, Values } from "./field.ts";
import { idOf, itemsAt, valueAt } from "./values.ts";

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

export const addButtonLabel = ({ words }: ItemList) => `Add ${words.one}`;
export const listFullReason = (list: ItemList, count: number) =>
  count < list.max ? null : sectionMessages.tooMany(list);

/** Returns the name for texts like 'Remove {name}'. An unsaved item is called new, even if it has a name. */
export function itemName(list: ItemList, item: unknown, isNew: boolean): string {
  if (isNew) return `New ${list.words.one}`;
  const name = valueAt(item, "name");
  return list.title === "name" && typeof name === "string" && name !== "" ? name : (idOf(item) ?? "");
}

export function itemTitle(list: ItemList, item: unknown, isNew: boolean): string {
  return isNew ? itemName(list, item, true) : `${capital(list.words.one)} ${itemName(list, item, false)}`;
}

/** Returns the choices of a reference: the items of the list by name, after '-' if null is allowed. */
export function referenceChoices(field: ReferenceField, values: Values, others: OtherSections): ReferenceChoice[] {
  const from = field.section === undefined ? values : valueAt(others, field.section);
  const items = itemsAt(from, field.list).flatMap((item): ReferenceChoice[] => {
    const [id, name] = [idOf(item), valueAt(item, "name")];
    return id === null ? [] : [{ value: id, label: typeof name === "string" && name !== "" ? name : id }];
  });
  return field.nullable ? [{ value: null, label: "-" }, ...items] : items;
}
type ReferenceChoice = { value: string | null; label: string };
