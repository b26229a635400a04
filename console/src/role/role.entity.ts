// Entity definition of roles: API calls, texts, paths and rights.
import { createRole, deleteRole, getRole, listRoles, updateRole } from "@psp/contract/role/role.api.ts";
import { paths } from "../address/paths.ts";
import { defineEntity } from "../entity/entity.ts";
import { roleText } from "./role.text.ts";

export const role = defineEntity({
  type: "role",
  calls: { list: listRoles, get: getRole, create: createRole, update: updateRole, remove: deleteRole },
  // Excludes the user's own role (docs/rules/permissions.md#roles-page).
  listQuery: { withoutOwn: "true" },
  text: roleText,
  nameOf: ({ name }) => name,
  paths: { list: paths.roles, remove: paths.deleteRole },
  rights: {
    type: "role",
    edit: (can, { _id }, owner) => can.editRole({ id: _id, owner }),
    remove: (can, { _id }, owner) => can.deleteRole({ id: _id, owner }),
  },
});
