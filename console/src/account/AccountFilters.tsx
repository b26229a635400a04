// The filters of the accounts page as fields and as removable chips; all of them stand in the address (spec 1 §2).
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useRoleName } from "../api/useNames.ts";
import type { ListState } from "../list-state.ts";
import { RoleSelect } from "../role/RoleSelect.tsx";
import { useCan } from "../session/useCan.ts";
import type { ActiveFilter } from "../ui/FilterChips.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { accountText } from "./account.text.ts";

/** Names of the filters in the address. */
export const accountFilters = ["name", "email", "roleID", "accountState"] as const;

export function AccountFilters({ list }: { list: ListState }) {
  const can = useCan();
  return (
    <>
      <SearchField
        label={accountText.search}
        value={list.text("name")}
        onChange={(name) => list.set({ name }, "typed")}
      />
      <SearchField
        label={accountText.searchEmail}
        value={list.text("email")}
        onChange={(email) => list.set({ email }, "typed")}
      />
      {can.viewType("role") ? (
        <RoleSelect
          label={accountText.role}
          value={list.text("roleID") || null}
          onChange={(id) => list.set({ roleID: id ?? undefined })}
          placeholder={accountText.any}
        />
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
  const role = useRoleName(list.text("roleID") || null);
  const chip = (id: string, name: string, value: string | undefined): ActiveFilter[] =>
    list.text(id) === "" ? [] : [{ id, name, value: value ?? "…", onRemove: () => list.set({ [id]: undefined }) }];
  const states = list.many("accountState").map((state) => accountText.states.find(([value]) => value === state)?.[1]);
  return [
    ...chip("name", accountText.name, list.text("name")),
    ...chip("email", accountText.email, list.text("email")),
    ...chip("roleID", accountText.role, role),
    ...chip("accountState", accountText.state, states.join(", ")),
  ];
}
