// Role rows as they travel.
import { withOwnView } from "@psp/contract/permission/permissions.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { RoleRow } from "./role.store.ts";

export function toRole(ctx: Context, row: RoleRow): Role {
  return {
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    permissions: withOwnView(row.permissions),
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

/** For the audit trail. */
export function roleTrail(row: Pick<RoleRow, "name" | "owner_id" | "permissions">) {
  return { name: row.name, owner: row.owner_id, permissions: row.permissions };
}
