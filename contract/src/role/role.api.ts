// The calls about roles (spec 1 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idReply, orId } from "../kit/id-reply.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, pageReply, queryFlag, textFilter } from "../kit/page.ts";
import { permissionsSchema } from "../permission/permissions.ts";
import { newRoleSchema, roleChangeSchema, roleSchema, strongerRoleSchema } from "./role.ts";

const byId = z.strictObject({ id: uuid });

export const roleListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
  /** Leaves out the role that the caller holds: nobody edits their own (spec 1 §2). */
  withoutOwn: queryFlag.optional(),
});

export const listRoles = endpoint({
  name: "listRoles",
  method: "GET",
  path: "/role",
  caller: "session",
  summary: "Roles that the caller may view; an array, or objects with total on request",
  query: roleListQuery,
  reply: z.union([z.array(roleSchema), pageReply(roleSchema)]),
});
export const getRole = endpoint({
  name: "getRole",
  method: "GET",
  path: "/role/{id}",
  caller: "session",
  summary: "One role with its permissions",
  params: byId,
  reply: roleSchema,
});
export const createRole = endpoint({
  name: "createRole",
  method: "POST",
  path: "/role",
  caller: "session",
  summary: "Creates a role; its permissions may not exceed the caller's own (308)",
  body: newRoleSchema,
  reply: orId(roleSchema),
});
export const updateRole = endpoint({
  name: "updateRole",
  method: "PUT",
  path: "/role/{id}",
  caller: "session",
  summary: "Renames, hands over or replaces the permissions of a role",
  params: byId,
  body: roleChangeSchema,
  reply: orId(roleSchema),
});
export const previewRole = endpoint({
  name: "previewRole",
  method: "PUT",
  path: "/role/{id}/preview",
  caller: "session",
  summary:
    "What an account would see with this role and these permissions, counted among what the caller sees; stores nothing",
  params: byId,
  body: z.strictObject({ account: uuid, permissions: permissionsSchema }),
  reply: z.object({ accounts: z.int(), sensors: z.int() }),
});
export const listStrongerRoles = endpoint({
  name: "listStrongerRoles",
  method: "PUT",
  path: "/role/{id}/stronger",
  caller: "session",
  summary:
    "Visible roles that holders of this one gave what it has no more, by its own permissions or by those sent; the first 50, and how many in all; stores nothing",
  params: byId,
  body: z.strictObject({ permissions: permissionsSchema.optional() }),
  reply: z.object({ objects: z.array(strongerRoleSchema), total: z.int() }),
});
export const deleteRole = endpoint({
  name: "deleteRole",
  method: "DELETE",
  path: "/role/{id}",
  caller: "session",
  summary: "Soft-deletes a role; its holders keep the id and lose the rights",
  params: byId,
  reply: idReply,
});
