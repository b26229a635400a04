// Records which roles got permissions from which role, and reports gifts that the giver no longer has (RO-04, ADR 0008).
import { errorCode } from "@psp/contract/errors.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import { maxAncestorLevel } from "@psp/contract/permission/document.ts";
import {
  listGrants,
  type Permissions,
  rightOfGrant,
  withOwnAccountView,
} from "@psp/contract/permission/permissions.ts";
import { allowsAnyLevel } from "@psp/contract/permission/scope.ts";
import type { StrongerRole } from "@psp/contract/role/role.ts";
import { toOwnerRef } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import * as store from "./role.store.ts";

/**
 * Records gained permissions as gifts of the editor's role, and removes lost ones from all gifts. The root account's
 * gifts are not recorded, because its permissions do not come from a role.
 */
export async function recordGifts(tx: Tx, actor: Caller, roleId: string, before: Permissions, after: Permissions) {
  const parts = listGrants(after);
  const had = new Set(listGrants(before));
  if (had.size > 0) await store.restrictGifts(tx, roleId, parts);
  const gained = parts.filter((part) => !had.has(part));
  if (gained.length > 0 && actor.roleId !== null && !isRoot(actor))
    await store.addGift(tx, { roleId, giverId: actor.roleId, parts: gained });
}

/** The grants that the role has or may pass on. */
const listHeld = (permissions: Permissions) =>
  listGrants(withOwnAccountView(permissions), (scope) =>
    allowsAnyLevel(scope) ? maxAncestorLevel : (scope?.relativeAncestorLevel ?? 0),
  );

/**
 * Lists visible roles that still have permissions from this role, although this role has lost them, or would lose them
 * with the given `permissions`.
 */
export async function listStrongerRoles(
  ctx: Context,
  caller: Caller,
  id: string,
  permissions: Permissions | undefined,
): Promise<{ objects: StrongerRole[]; total: number }> {
  const role = await store.findRole(ctx.db, caller, id);
  if (!role) throw new AppError(errorCode.notFound);
  const rows = await store.findStrongerRoles(ctx.db, caller, id, listHeld(permissions ?? role.permissions));
  const objects = rows.map((row) => ({
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    rights: [...new Set(row.kept.map(rightOfGrant))].toSorted(),
  }));
  return { objects, total: rows[0]?.total ?? 0 };
}
