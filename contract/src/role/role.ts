// Roles: named permissions documents owned by accounts (docs/rules/permissions.md#role-objects).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { uuid } from "../kit/ids.ts";
import { safeName } from "../kit/safe-text.ts";
import { permissionsSchema } from "../permission/document.ts";

export const roleSchema = z.object({
  _id: z.string(),
  name: z.string(),
  owner: ownerRefSchema,
  permissions: permissionsSchema,
  isDeleted: z.boolean(),
  version: z.int(),
});
export type Role = z.output<typeof roleSchema>;

export const newRoleSchema = z.strictObject({
  name: safeName(),
  owner: uuid,
  permissions: permissionsSchema.optional(),
});
export const roleChangeSchema = z.strictObject({
  name: safeName().optional(),
  owner: uuid.optional(),
  permissions: permissionsSchema.optional(),
});
export type RoleChange = z.output<typeof roleChangeSchema>;

/** A role with rights granted by holders of another role, although that other role no longer has them. `rights` are scope keys. */
export const strongerRoleSchema = z.object({
  _id: z.string(),
  name: z.string(),
  owner: ownerRefSchema,
  rights: z.array(z.string()),
});
export type StrongerRole = z.output<typeof strongerRoleSchema>;
