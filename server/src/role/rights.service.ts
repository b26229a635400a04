// Rights at the moment of a write: the actor's as they are committed now, whether a role may be given, and what giving it changes.
import { canAssignRole, tooPowerful, type Visible, viewSet } from "@psp/contract/permission/can.ts";
import { fullPermissions, ownableTypes, type Permissions, withOwnView } from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { AppError } from "../app-error.ts";
import type { Caller } from "../caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { uuidv7 } from "../db/uuid.ts";
import * as store from "./role.store.ts";

/**
 * The caller with place and rights as committed; to be asked under `lockRights`, so that two changes at the same time
 * can't each rely on what the other is taking away (T-05). Throws 106 when the account is gone.
 */
export async function refreshed(tx: Tx, caller: Caller): Promise<Caller> {
  const now = await store.findRights(tx, caller.id);
  if (!now) throw new AppError(106);
  return { ...caller, ...now, permissions: now.permissions ? withOwnView(now.permissions) : null };
}

/** The role must live within the giver's sight (107). */
export async function requireVisibleRole(tx: Tx, actor: Caller, roleId: string): Promise<Permissions> {
  const role = await store.findRole(tx, actor, roleId);
  if (!role) throw new AppError(107, { field: "role" });
  return role.permissions;
}

/** The giver may assign roles to the receiver, and none beyond their own (300). */
export function requireGivable(actor: Caller, permissions: Permissions, receiver: Owner): void {
  if (!canAssignRole(actor, receiver)) throw new AppError(300);
  const scope = tooPowerful(actor, permissions);
  if (scope !== null) throw new AppError(300, { scope });
}

/** Would holders see other things than before? Then their console has to load anew. */
export function viewScopesDiffer(before: Permissions | null, after: Permissions | null): boolean {
  if ((before === null) !== (after === null)) return true;
  return ([...ownableTypes, "owner"] as const).some((type) => scopeText(before, type) !== scopeText(after, type));
}

/** What a set of permissions shows of one type, in a form that can be compared. */
function scopeText(permissions: Permissions | null, type: Visible): string {
  // Seen from an account with more ancestors than any level, equal sets mean equal scopes.
  const parentAccounts = Array.from({ length: 101 }, (_, n) => String(n));
  const set = viewSet({ id: "me", parentAccounts, roleId: null, permissions }, type);
  return JSON.stringify([set.ids.toSorted(), set.descendantsOf, [...new Set(set.withRole)].toSorted()]);
}

/** Permissions of a living role, or null. */
export async function permissionsOf(tx: Tx, roleId: string | null): Promise<Permissions | null> {
  return store.permissionsOf(tx, roleId);
}

/** The first role of an empty database, for an account that is about to be made; every right. */
export async function insertFirstRole(ctx: Context, tx: Tx, owner: { id: string; path: string }): Promise<string> {
  const id = uuidv7(ctx.clock.now());
  const permissions = withOwnView(fullPermissions);
  await store.insertRole(tx, { id, owner_id: owner.id, owner_path: owner.path, name: "Administrator", permissions });
  return id;
}
