// Select for a role by name, with the owner as secondary text.
import { listRoles } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { type ReferenceField, ReferenceSelect } from "./ReferenceSelect.tsx";
import { maxFetchedChoices, useChoices } from "./useChoices.ts";

const everyRole = () => true;
const query = { limit: String(maxFetchedChoices), sortBy: "name" };

/** Visible roles by name; `total` includes those beyond the first 500. */
export const useRoleChoices = () => useChoices<Role>({ type: "role", list: listRoles, query, eager: true });

type RoleSelectProps = ReferenceField & {
  allow?: (role: Role) => boolean;
};

export function RoleSelect({ allow = everyRole, ...field }: RoleSelectProps) {
  const choices = useRoleChoices();
  return (
    <ReferenceSelect
      {...field}
      type="role"
      choices={choices}
      rows={choices.rows.filter((role) => !role.isDeleted && allow(role))}
      toOption={({ _id, name, owner }) => ({ id: _id, label: name, hint: `owned by ${owner.name}` })}
    />
  );
}
