// Choosing a role: by typing its name, with the owner beside it, among those that the asker may choose (spec 1 §2, §5).
import { listRoles } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { useRoleName } from "../api/useNames.ts";
import { SearchSelect } from "../ui/SearchSelect.tsx";

const everyRole = () => true;
/** Rules are asked about at most this many at once; typing narrows the rest down. */
const asked = 500;
const shown = 50;

/** Roles that can be seen, by a part of their name; `total` counts those beyond the first 500, too. */
export function useRoleChoices(text: string) {
  return useQuery({
    queryKey: ["role", "select", text],
    queryFn: async ({ signal }): Promise<{ objects: Role[]; total: number }> => {
      const query = {
        limit: String(asked),
        sortBy: "name",
        includeTotals: "true" as const,
        ...(text === "" ? {} : { name: text }),
      };
      const page = await call(listRoles, { query, signal });
      const objects = Array.isArray(page) ? page : page.objects;
      return { objects, total: Array.isArray(page) ? page.length : (page.total ?? page.objects.length) };
    },
    placeholderData: keepPreviousData,
  });
}

type RoleSelectProps = {
  label: string;
  value: string | null;
  /** Name of the chosen role where it is known already. */
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  /** Which roles may be chosen; keep it stable. */
  allow?: (role: Role) => boolean;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  clearable?: boolean;
  required?: boolean;
  placeholder?: string;
};

/** Props: `label`, `value` (id), `onChange(id, name)`, `allow?` and the usual ones of a field. */
export function RoleSelect({ value, valueName, onChange, allow = everyRole, ...field }: RoleSelectProps) {
  const [text, setText] = useState("");
  const { data, isFetching } = useRoleChoices(text);
  const found = useRoleName(valueName === undefined ? value : null);
  const { options, total } = useMemo(() => {
    const list = data?.objects ?? [];
    const allowed = list.filter((role) => !role.isDeleted && allow(role));
    return {
      options: allowed
        .slice(0, shown)
        .map((role) => ({ id: role._id, label: role.name, hint: `owned by ${role.owner.name}` })),
      total: allowed.length + (data?.total ?? 0) - list.length,
    };
  }, [data, allow]);
  const label = valueName ?? options.find((option) => option.id === value)?.label ?? found ?? "…";
  return (
    <SearchSelect
      {...field}
      value={value === null ? null : { id: value, label }}
      onChange={(option) => onChange(option?.id ?? null, option?.label ?? "")}
      options={options}
      total={total}
      loading={isFetching}
      onSearch={setText}
    />
  );
}
