// API calls for roles.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { permissionsSchema } from "../permission/document.ts";
import { roleListQuery } from "./role.query.ts";
import { newRoleSchema, roleChangeSchema, roleSchema, strongerRoleSchema } from "./role.ts";

const role = ownedCalls("Role", "/role", uuid, roleSchema);

export const listRoles = role.list(
  "listRoles",
  roleListQuery,
  "Roles that the caller may view; an array, or objects with total on request",
);
export const getRole = role.get("One role with its permissions");
export const createRole = role.create(
  newRoleSchema,
  "Creates a role; its permissions may not exceed the caller's own (308)",
);
export const updateRole = role.update(roleChangeSchema, "Renames, hands over or replaces the permissions of a role");
export const previewRole = endpoint("previewRole", "PUT", "/role/{id}/preview", {
  summary:
    "What an account would see with this role and these permissions, counted among what the caller sees; stores nothing",
  params: role.byId,
  body: z.strictObject({ account: uuid, permissions: permissionsSchema }),
  reply: z.object({ accounts: z.int(), sensors: z.int() }),
});
export const listStrongerRoles = endpoint("listStrongerRoles", "PUT", "/role/{id}/stronger", {
  summary:
    "Visible roles that holders of this one gave what it has no more, by its own permissions or by those sent; the first 50, and how many in all; stores nothing",
  params: role.byId,
  body: z.strictObject({ permissions: permissionsSchema.optional() }),
  reply: z.object({ objects: z.array(strongerRoleSchema), total: z.int() }),
});
export const deleteRole = role.remove("Soft-deletes a role; its holders keep the id and lose the rights");
