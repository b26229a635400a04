// Choosing a role: by typing its name, with the owner beside it, among those that the asker may choose (spec 1 §2, §5).
import { listRoles } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import { useChoices } from "./useChoices.ts";
import { useName } from "./useNames.ts";
import { IdSelect, type IdSelectField } from "../../ui/form/IdSelect.tsx";

const everyRole = () => true;
/** Rules are asked about at most this many at once; typing narrows the rest down. */
const asked = 500;
const shown = 50;

/** Roles that can be seen, by a part of their name; `total` counts those beyond the first 500, too. */
export function useRoleChoices() {
  return useChoices(["role", "select"], (text, signal) =>
    call(listRoles, {
      query: { limit: String(asked), sortBy: "name", includeTotals: "true", ...(text === "" ? {} : { name: text }) },
      signal,
    }),
  );
}

type RoleSelectProps = IdSelectField & {
  /** Which roles may be chosen; keep it stable. */
  allow?: (role: Role) => boolean;
};

/** Props: `label`, `value` (id), `onChange(id, name)`, `allow?` and the usual ones of a field. */
export function RoleSelect({ allow = everyRole, ...field }: RoleSelectProps) {
  const { data, search } = useRoleChoices();
  const found = useName("role", field.valueName === undefined ? field.value : null);
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
  return <IdSelect {...field} {...search} found={found} options={options} total={total} />;
}
