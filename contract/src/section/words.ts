// How items of lists, the buttons for them and the choices among them are called on the screen.
import type { OtherSections } from "./check/check-field.ts";
import { sectionFaults } from "./check/sentences.ts";
import type { ItemList, ReferenceField, Values } from "./field.ts";
import { idOf, itemsAt, valueAt } from "./values.ts";

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

export const addWords = ({ words }: ItemList) => `Add ${words.one}`;
/** Why nothing more can be added; null while something can. */
export const fullReason = (list: ItemList, count: number) => (count < list.max ? null : sectionFaults.tooMany(list));

/** What an item is called alone, as in 'Remove {name}'. It stays new until it is saved, whatever its name is meanwhile. */
export function itemName(list: ItemList, item: unknown, isNew: boolean): string {
  if (isNew) return `New ${list.words.one}`;
  const name = valueAt(item, "name");
  return list.title === "name" && typeof name === "string" && name !== "" ? name : (idOf(item) ?? "");
}

/** The name of an item's group of fields. */
export function itemTitle(list: ItemList, item: unknown, isNew: boolean): string {
  return isNew ? itemName(list, item, true) : `${capital(list.words.one)} ${itemName(list, item, false)}`;
}

/** What a reference can be: the items of its list by their names, after '-' where it can be none. */
export function referenceChoices(field: ReferenceField, values: Values, others: OtherSections): ReferenceChoice[] {
  const from = field.section === undefined ? values : valueAt(others, field.section);
  const items = itemsAt(from, field.list).flatMap((item): ReferenceChoice[] => {
    const [id, name] = [idOf(item), valueAt(item, "name")];
    return id === null ? [] : [{ value: id, label: typeof name === "string" && name !== "" ? name : id }];
  });
  return field.nullable ? [{ value: null, label: "-" }, ...items] : items;
}
type ReferenceChoice = { value: string | null; label: string };
