// Choosing a location by its name.
import { listLocations } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/call.ts";
import { useLocationName } from "../api/useNames.ts";
import { useOwners } from "../session/useCan.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { SearchSelect } from "../ui/SearchSelect.tsx";

const shown = 50;
const everyone = () => true;

type LocationSelectProps = {
  label: string;
  value: string | null;
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  /** Whose locations may be chosen. */
  allow?: (owner: Owner) => boolean;
  id?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  placeholder?: string;
};

/** Props: `label`, `value` (id), `onChange(id, name)`, `allow?` and the usual ones of a field. */
export function LocationSelect({ value, valueName, onChange, allow = everyone, ...field }: LocationSelectProps) {
  const [text, setText] = useState("");
  const { data, isFetching } = useQuery({
    queryKey: ["measurement", "select", text],
    queryFn: ({ signal }) =>
      call(listLocations, {
        query: { limit: String(shown), sortBy: "name", includeTotals: "true", ...(text === "" ? {} : { name: text }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const found = useLocationName(valueName === undefined ? value : null);
  const list = rowsOf(data);
  const { ownerOf } = useOwners(list.map((location) => location.owner._id));
  const options = list
    .filter((location) => allow(ownerOf(location.owner._id)))
    .map((location) => ({ id: location._id, label: location.name, hint: location.owner.name }));
  const beyond = data !== undefined && "total" in data ? (data.total ?? 0) - list.length : 0;
  const label = valueName ?? options.find((option) => option.id === value)?.label ?? found ?? "…";
  return (
    <SearchSelect
      {...field}
      value={value === null ? null : { id: value, label }}
      onChange={(option) => onChange(option?.id ?? null, option?.label ?? "")}
      options={options}
      total={options.length + beyond}
      loading={isFetching}
      onSearch={setText}
    />
  );
}

function rowsOf(data: unknown): Location[] {
  return (data as { objects?: Location[] } | undefined)?.objects ?? [];
}
