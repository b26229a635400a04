// What every field of a section's form gets from the form, and where a field stands: in the section itself, or in an item of a list.
import type { ItemList, Section, Values } from "@psp/contract/section/field.ts";
import { idOf, itemsAt, scopeOf, valueAt, withoutValueAt, withValueAt } from "@psp/contract/section/values.ts";
import { createContext, useContext } from "react";
import type { Change } from "../useSectionDraft.ts";

export type SectionFormState = {
  section: Section;
  values: Values;
  /** What was read before the first change. */
  stored: Values;
  /** Values of other sections, by key. */
  others: Values;
  /** What the device states. */
  info: unknown;
  readOnly: boolean;
  /** Changes the values; `place` is what was changed. */
  edit: (place: string, change: Change) => void;
  /** What is wrong at a place and due to be said. */
  errorAt: (place: string) => string | undefined;
  /** A field was left: from now on is said what is wrong there. */
  leave: (place: string) => void;
  /** The fields of this item were touched last. */
  select: (list: string, id: string) => void;
};

const FormContext = createContext<SectionFormState | null>(null);
export const SectionFormProvider = FormContext.Provider;

export function useSectionForm(): SectionFormState {
  const form = useContext(FormContext);
  if (form === null) throw new Error("useSectionForm needs a SectionFormProvider above it");
  return form;
}

/** An item of a list, where a field is in one. */
export type InItem = { list: ItemList; id: string };

/** Reads and writes one value. A value that is set to undefined is taken away. */
export function useFieldValue(path: string, within?: InItem) {
  const { values, stored, errorAt, edit, leave } = useSectionForm();
  const itemIn = (all: Values): unknown =>
    within === undefined ? all : itemsAt(all, within.list.path).find((item) => idOf(item) === within.id);
  const item = itemIn(values);
  const place = within === undefined ? path : `${within.list.path}.${within.id}.${path}`;
  const changed = (one: Values, value: unknown) =>
    value === undefined ? withoutValueAt(one, path) : withValueAt(one, path, value);
  return {
    value: valueAt(item, path),
    storedItem: itemIn(stored),
    scope: scopeOf(values, item, itemIn(stored)),
    place,
    error: errorAt(place),
    /** Of a part of it. */
    errorIn: (part: string) => errorAt(`${place}.${part}`),
    leave: () => leave(place),
    leavePart: (part: string) => leave(`${place}.${part}`),
    set: (value: unknown) =>
      edit(place, (all) => {
        if (within === undefined) return changed(all, value);
        const { list, id } = within;
        const items = itemsAt(all, list.path).map((one) => (idOf(one) === id ? changed(one as Values, value) : one));
        return withValueAt(all, list.path, items);
      }),
  };
}
