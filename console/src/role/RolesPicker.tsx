// Select for the roles of a scope. Offers only roles that the user may grant.
import type { Role } from "@psp/contract/role/role.ts";
import { listRoles } from "@psp/contract/role/role.api.ts";
import { Autocomplete, TextField } from "@mui/material";
import { useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { useListQuery } from "../api/listed.ts";
import { SearchFailed } from "../ui/choice/SearchingSelect.tsx";
import { useTip } from "../ui/feedback/Tip.tsx";
import { permissionText } from "./permission.text.ts";

const shown = 100;

/** Names by id, including deleted roles; `undefined` while unknown. */
export function useRoleNames(ids: readonly string[]): (id: string) => string | undefined {
  const wanted = useMemo(() => [...new Set(ids)].toSorted().slice(0, shown), [ids]);
  const query = { ids: wanted, limit: String(shown), includeDeleted: "true" } as const;
  const { data } = useListQuery<Role>(
    ["role", "named", wanted],
    (signal) => call(listRoles, { query, signal }),
    wanted.length > 0,
  );
  return (id) => data && (data.objects.find(({ _id }) => _id === id)?.name ?? permissionText.unknownRole);
}

type RolesPickerProps = {
  value: readonly string[];
  onChange: (ids: string[]) => void;
  /** Ids that may be added; null means any. */
  allowed: readonly string[] | null;
  nameOf: (id: string) => string | undefined;
  reason: string | undefined;
};

export function RolesPicker({ value, onChange, allowed, nameOf, reason }: RolesPickerProps) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const { data, isFetching, isError, refetch } = useListQuery<Role>(
    ["role", "picker", allowed, text],
    (signal) => {
      const ids = allowed === null ? {} : { ids: allowed.slice(0, shown) };
      const name = text === "" ? {} : { name: text };
      return call(listRoles, { query: { ...ids, ...name, limit: String(shown), sortBy: "name" }, signal });
    },
    open && (allowed === null || allowed.length > 0),
  );
  const readOnly = reason !== undefined;
  const { handlers, tip } = useTip(() => reason, 150);
  const names = new Map((data?.objects ?? []).map((role) => [role._id, role.name]));
  const options = [...new Set([...value, ...names.keys()])];
  return (
    <>
      <Autocomplete
        {...handlers}
        multiple
        size="small"
        disableClearable
        filterSelectedOptions
        filterOptions={(all) => all}
        options={options}
        value={[...value]}
        readOnly={readOnly}
        {...(readOnly ? { forcePopupIcon: false } : {})}
        open={open}
        onOpen={() => setOpen(true)}
        onClose={() => setOpen(false)}
        loading={isFetching}
        noOptionsText={isError ? <SearchFailed onRetry={() => void refetch()} /> : "Nothing found"}
        getOptionLabel={(id) => names.get(id) ?? nameOf(id) ?? "…"}
        onChange={(_, ids) => onChange(ids)}
        onInputChange={(_, typed, reason) => setText(reason === "input" ? typed.trim() : "")}
        renderInput={(params) => (
          <TextField
            {...params}
            label={permissionText.roles}
            placeholder={value.length === 0 && !readOnly ? permissionText.anyRole : ""}
            slotProps={{
              ...params.slotProps,
              input: { ...params.slotProps.input, readOnly },
              htmlInput: { ...params.slotProps.htmlInput, "aria-description": reason },
            }}
          />
        )}
      />
      {tip}
    </>
  );
}
