// Defines roles as an owned noun and as a source of live events.
import { withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import type { Role } from "@psp/contract/role/role.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { toOwnerRef } from "../owned/owner.ts";
import { roleReasons } from "./role.reasons.ts";
import { findRole, findRolesForLive, type RoleRow, roleTable } from "./role.store.ts";

export const roles: OwnedNoun<"role", RoleRow, Role> = {
  ...roleTable,
  type: "role",
  rights: "role",
  reasons: roleReasons,
  find: (_ctx, reader, caller, id) => findRole(reader, caller, id),
  toWire: (ctx, row) => ({
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    permissions: withOwnAccountView(row.permissions),
    isDeleted: row.is_deleted,
    version: row.version,
  }),
  trail: (row) => ({ name: row.name, owner: row.owner_id, permissions: row.permissions }),
};

/** Needs no variants, because all viewers see the same fields. */
export const roleLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "role",
    load: (ids) => findRolesForLive(ctx.db, ids),
    render: (row) => roles.toWire(ctx, row),
  });
