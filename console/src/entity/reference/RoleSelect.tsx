// Choosing a role: by typing its name, with the owner beside it, among those that the asker may choose.
import { listRoles } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { type ReferenceField, ReferenceSelect } from "./ReferenceSelect.tsx";
import { judgedChoices, useChoices } from "./useChoices.ts";

const everyRole = () => true;
const query = { limit: String(judgedChoices), sortBy: "name" };

/** Roles that can be seen, by a part of their name; `total` counts those beyond the first 500, too. */
export const useRoleChoices = () => useChoices<Role>({ type: "role", list: listRoles, query, atOnce: true });

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
