// Gives fields access to the values and errors of their section, also within list items.
import type { ItemList, Section, Values } from "@psp/contract/section/field.ts";
import { idOf, itemsAt, toRuleContext, valueAt, withoutValueAt, withValueAt } from "@psp/contract/section/values.ts";
import { createContext, useContext } from "react";
import type { ValuesUpdater } from "../useSectionDraft.ts";

export type SectionFormState = {
  section: Section;
  values: Values;
  /** Values as read before the first change. */
  stored: Values;
  others: Values;
  info: unknown;
  readOnly: boolean;
  edit: (fieldPath: string, change: ValuesUpdater) => void;
  /** Error of a field; undefined until it should be shown. */
  errorAt: (fieldPath: string) => string | undefined;
  /** Called on blur. From then on, errors of the field are shown. */
  leave: (fieldPath: string) => void;
  /** Called when an item's fields get the focus. */
  select: (list: string, id: string) => void;
};

const FormContext = createContext<SectionFormState | null>(null);
export const SectionFormProvider = FormContext.Provider;

export function useSectionForm(): SectionFormState {
  const form = useContext(FormContext);
  if (form === null) throw new Error("useSectionForm needs a SectionFormProvider above it");
  return form;
}

export type ListItemRef = { list: ItemList; id: string };

/** Reads and writes one value. Setting it to undefined removes it. */
export function useFieldValue(path: string, within?: ListItemRef) {
  const { values, stored, errorAt, edit, leave } = useSectionForm();
  const itemIn = (all: Values): unknown =>
    within === undefined ? all : itemsAt(all, within.list.path).find((item) => idOf(item) === within.id);
  const item = itemIn(values);
  const fieldPath = within === undefined ? path : `${within.list.path}.${within.id}.${path}`;
  const changed = (one: Values, value: unknown) =>
    value === undefined ? withoutValueAt(one, path) : withValueAt(one, path, value);
  return {
    value: valueAt(item, path),
    storedItem: itemIn(stored),
    context: toRuleContext(values, item, itemIn(stored)),
    fieldPath,
    error: errorAt(fieldPath),
    errorIn: (part: string) => errorAt(`${fieldPath}.${part}`),
    leave: () => leave(fieldPath),
    leavePart: (part: string) => leave(`${fieldPath}.${part}`),
    set: (value: unknown) =>
      edit(fieldPath, (all) => {
        if (within === undefined) return changed(all, value);
        const { list, id } = within;
        const items = itemsAt(all, list.path).map((one) => (idOf(one) === id ? changed(one as Values, value) : one));
        return withValueAt(all, list.path, items);
      }),
  };
}
