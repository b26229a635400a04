// How items of lists and the buttons for them are called on the screen.
import { sectionFaults } from "./check/sentences.ts";
import type { ItemList } from "./field.ts";
import { idOf, valueAt } from "./values.ts";

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
