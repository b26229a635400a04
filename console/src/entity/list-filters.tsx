// Filters of a list as fields and as removable chips: those that every noun with owners has.
import type { ReactNode } from "react";
import type { ListState } from "../address/list-state.ts";
import type { ActiveFilter } from "../ui/table/FilterChips.tsx";
import { SearchField } from "../ui/table/SearchField.tsx";
import { AccountSelect } from "./reference/AccountSelect.tsx";
import { useName } from "./reference/useNames.ts";

export type ListFilter = { field: ReactNode; chips: readonly ActiveFilter[] };

/** By a part of the name. */
export const nameFilter = (list: ListState, text: { search: string; name: string }): ListFilter => ({
  field: <SearchField label={text.search} {...list.typed("name")} />,
  chips: list.chip("name", text.name, list.text("name")),
});

/** By whose it is. */
export function useOwnerFilter(list: ListState, text: { owner: string; any: string }): ListFilter {
  const name = useName("account", list.text("ownerID") || null);
  return {
    field: <AccountSelect label={text.owner} {...list.chosen("ownerID")} placeholder={text.any} />,
    chips: list.chip("ownerID", text.owner, name),
  };
}
