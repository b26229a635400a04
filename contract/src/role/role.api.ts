// The calls about roles (spec 1 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, pageReply, queryFlag, textFilter } from "../kit/page.ts";
import { newRoleSchema, roleChangeSchema, roleSchema } from "./role.ts";

const byId = z.strictObject({ id: uuid });
const idReply = z.object({ _id: z.string() });

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
  reply: roleSchema,
});
export const updateRole = endpoint({
  name: "updateRole",
  method: "PUT",
  path: "/role/{id}",
  caller: "session",
  summary: "Renames, hands over or replaces the permissions of a role",
  params: byId,
  body: roleChangeSchema,
  reply: roleSchema,
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
