// List filters as fields and removable chips, stored in the URL.
import { MenuItem, TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import type { ListState } from "../../address/list-state.ts";
import { ChipsField } from "../../ui/choice/ChipsField.tsx";
import type { ActiveFilter } from "../../ui/table/FilterChips.tsx";
import { SearchField } from "../../ui/table/SearchField.tsx";
import { AccountSelect } from "../reference/AccountSelect.tsx";
import type { ReferenceField } from "../reference/ReferenceSelect.tsx";
import { type NamedType, useName } from "../reference/useNames.ts";

export type ListFilter = {
  field: ReactNode;
  chips: readonly ActiveFilter[];
  /** Text that rows highlight. Set only for the search, which is in the toolbar. All other filters are in the drawer. */
  searchText?: string;
};

export const textFilter = (list: ListState, name: string, text: { search: string; name: string }): ListFilter => ({
  field: <SearchField label={text.search} {...list.typed(name)} />,
  chips: list.chip(name, text.name, list.text(name)),
});

export const searchFilter = (list: ListState, name: string, text: { search: string; name: string }): ListFilter => ({
  ...textFilter(list, name, text),
  field: <SearchField bare label={text.search} {...list.typed(name)} />,
  searchText: list.text(name),
});

export const nameFilter = (list: ListState, text: { search: string; name: string }): ListFilter =>
  searchFilter(list, "name", text);

export type FilterChoice = readonly [value: string, label: string];

type ChoiceFieldProps = {
  list: ListState;
  name: string;
  text: { label: string; any: string; hint?: string };
  choices: readonly FilterChoice[];
};

/** `choices` may change, but the options stay the same while the list is open. */
export function ChoiceField({ list, name, text, choices }: ChoiceFieldProps) {
  // Changing options would move under the pointer.
  const [held, setHeld] = useState<readonly FilterChoice[]>([]);
  const offered = held.length === 0 ? choices : held;
  const chosen = list.text(name);
  return (
    <TextField
      select
      label={text.label}
      value={offered.some(([value]) => value === chosen) ? chosen : ""}
      onChange={(event) => list.set({ [name]: event.target.value })}
      helperText={text.hint}
      slotProps={{ select: { displayEmpty: true, onOpen: () => setHeld(choices), onClose: () => setHeld([]) } }}
    >
      <MenuItem value="">{text.any}</MenuItem>
      {offered.map(([value, label]) => (
        <MenuItem key={value} value={value}>
          {label}
        </MenuItem>
      ))}
    </TextField>
  );
}

export function choiceFilter(
  list: ListState,
  name: string,
  text: ChoiceFieldProps["text"],
  choices: readonly FilterChoice[],
): ListFilter {
  const words = new Map(choices);
  const chosen = list.many(name).map((value) => words.get(value) ?? value);
  return {
    field: <ChoiceField list={list} name={name} text={text} choices={choices} />,
    chips: list.chip(name, text.label, chosen.join(", ")),
  };
}

export function chipsFilter(list: ListState, name: string, text: { label: string; hint: string }): ListFilter {
  const words = list.several(name);
  return {
    field: <ChipsField label={text.label} {...words} helperText={text.hint} />,
    chips: words.value.map((word) => ({
      id: `${name} ${word}`,
      name: text.label,
      value: word,
      onRemove: () => words.onChange(words.value.filter((one) => one !== word)),
    })),
  };
}

type ReferenceFilter = {
  list: ListState;
  name: string;
  type: NamedType;
  text: { label: string; any: string };
  /** Null if the user can't view such objects. A URL may contain the filter nevertheless. */
  select: ((field: Pick<ReferenceField, "label" | "value" | "onChange" | "placeholder">) => ReactNode) | null;
};

export function useReferenceFilter({ list, name, type, text, select }: ReferenceFilter): ListFilter {
  const found = useName(type, list.text(name) || null);
  return {
    field: select?.({ label: text.label, ...list.chosen(name), placeholder: text.any }) ?? null,
    chips: list.chip(name, text.label, found),
  };
}

export const useOwnerFilter = (list: ListState, { owner, any }: { owner: string; any: string }): ListFilter =>
  useReferenceFilter({
    list,
    name: "ownerID",
    type: "account",
    text: { label: owner, any },
    select: (field) => <AccountSelect {...field} />,
  });

/** An account with everything below it. Shown only if it is set, e.g. by a link from the health of customers. */
export const useOwnerTreeFilter = (list: ListState): ListFilter =>
  useReferenceFilter({
    list,
    name: "ownerTreeID",
    type: "account",
    text: { label: "Account with sub-accounts", any: "Any" },
    select: list.text("ownerTreeID") === "" ? null : (field) => <AccountSelect {...field} />,
  });
