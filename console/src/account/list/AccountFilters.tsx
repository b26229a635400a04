// The filters of the accounts page as fields and as removable chips; all of them stand in the address (spec 1 §2).
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useName } from "../../entity/reference/useNames.ts";
import type { ListState } from "../../address/list-state.ts";
import { RoleSelect } from "../../entity/reference/RoleSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import type { ActiveFilter } from "../../ui/table/FilterChips.tsx";
import { SearchField } from "../../ui/table/SearchField.tsx";
import { accountText } from "../account.text.ts";

/** Names of the filters in the address. */
export const accountFilters = ["name", "email", "roleID", "accountState"] as const;

export function AccountFilters({ list }: { list: ListState }) {
  const can = useCan();
  return (
    <>
      <SearchField label={accountText.search} {...list.typed("name")} />
      <SearchField label={accountText.searchEmail} {...list.typed("email")} />
      {can.viewType("role") ? (
        <RoleSelect label={accountText.role} {...list.chosen("roleID")} placeholder={accountText.any} />
      ) : null}
      <TextField
        select
        label={accountText.state}
        value={list.text("accountState")}
        onChange={(event) => list.set({ accountState: event.target.value })}
        slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
      >
        <MenuItem value="">{accountText.any}</MenuItem>
        {accountText.states.map(([value, label]) => (
          <MenuItem key={value} value={value}>
            {label}
          </MenuItem>
        ))}
      </TextField>
    </>
  );
}

/** The active filters, with names instead of ids and numbers. */
export function useAccountChips(list: ListState): ActiveFilter[] {
  const role = useName("role", list.text("roleID") || null);
  const states = list.many("accountState").map((state) => accountText.states.find(([value]) => value === state)?.[1]);
  return [
    ...list.chip("name", accountText.name, list.text("name")),
    ...list.chip("email", accountText.email, list.text("email")),
    ...list.chip("roleID", accountText.role, role),
    ...list.chip("accountState", accountText.state, states.join(", ")),
  ];
}
