// The filters of the accounts page (spec 1 §2).
import type { ListState } from "../../address/list-state.ts";
import {
  choiceFilter,
  type ListFilter,
  nameFilter,
  textFilter,
  useReferenceFilter,
} from "../../entity/list-filters.tsx";
import { RoleSelect } from "../../entity/reference/RoleSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import { accountText as text } from "../account.text.ts";

/** Names of the filters in the address. */
export const accountFilters = ["name", "email", "roleID", "accountState"] as const;

export function useAccountFilters(list: ListState): ListFilter[] {
  const { any } = text;
  return [
    nameFilter(list, text),
    textFilter(list, "email", { search: text.searchEmail, name: text.email }),
    useReferenceFilter({
      list,
      name: "roleID",
      type: "role",
      text: { label: text.role, any },
      select: useCan().viewType("role") ? (field) => <RoleSelect {...field} /> : null,
    }),
    choiceFilter(list, "accountState", { label: text.state, any }, text.states),
  ];
}
