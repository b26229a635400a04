// Rights at the moment of a write: the actor's as they are committed now, whether a role may be given, and what giving it changes.
import { errorCode } from "@psp/contract/errors.ts";
import { type Visible, viewSet } from "@psp/contract/permission/can.ts";
import {
  fullPermissions,
  ownableTypes,
  type Permissions,
  scopesOf,
  withOwnView,
} from "@psp/contract/permission/permissions.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { whyNotGiveRole } from "@psp/contract/permission/why-not.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { roleReasons } from "./role.reasons.ts";
import * as store from "./role.store.ts";

/**
 * The caller with place and rights as committed; to be asked under `lockRights`, so that two changes at the same time
 * can't each rely on what the other is taking away (T-05). Throws 106 when the account is gone.
 */
export async function refreshed(tx: Tx, caller: Caller): Promise<Caller> {
  const now = await store.findRights(tx, caller.id);
  if (!now) throw new AppError(errorCode.unauthorized);
  return { ...caller, ...now, permissions: now.permissions ? withOwnView(now.permissions) : null };
}

/** The role must be visible to the giver (107). */
export async function requireVisibleRole(reader: Reader, actor: Caller, roleId: string): Promise<Permissions> {
  const role = await store.findRole(reader, actor, roleId);
  if (!role) throw new AppError(errorCode.invalidRole, { field: "role" });
  return role.permissions;
}

/** The giver may assign roles to the receiver, and none beyond their own (300). One that is yet to be made has no name. */
export function requireGivable(actor: Caller, permissions: Permissions, receiver: Owner & { name?: string }): void {
  refuseIf(whyNotGiveRole(actor, permissions, receiver), ({ details }) => {
    if (details && "scope" in details) return roleReasons.tooPowerful(details.scope);
    if (details) return roleReasons.rootKeepsRole;
    const { name } = receiver;
    return roleReasons.assign(actor, name === undefined ? null : { ...receiver, name });
  });
}

const rolesNamedIn = (permissions: Permissions) => scopesOf(permissions).flatMap(({ scope }) => scope?.roles ?? []);

/** Of these roles those that the actor sees or that the actor's own scopes name, whose holders they know anyway. */
export async function nameableRoles(db: Reader, actor: Caller, ids: readonly string[]): Promise<string[]> {
  const own = new Set(rolesNamedIn(actor.permissions ?? {}));
  const wanted = [...new Set(ids)];
  const unknown = wanted.filter((id) => !own.has(id));
  const visible = await store.visibleRoles(db, actor, unknown);
  return wanted.filter((id) => own.has(id) || visible.has(id));
}

/** Roles named inside scopes must exist and be visible, unless the role named them before or the actor's own scope does (107). */
export async function requireKnownRoles(db: Reader, actor: Caller, wanted: Permissions, before: Permissions) {
  const given = new Set(rolesNamedIn(before));
  const asked = rolesNamedIn(wanted).filter((id) => !given.has(id));
  const nameable = new Set(await nameableRoles(db, actor, asked));
  const missing = asked.find((id) => !nameable.has(id));
  if (missing !== undefined) throw new AppError(errorCode.invalidRole, { field: "permissions", role: missing });
}

/** Would holders see other things than before? Then their console has to reload. */
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
export async function permissionsOf(reader: Reader, roleId: string | null): Promise<Permissions | null> {
  return store.permissionsOf(reader, roleId);
}

/** An account's role as a third account sees what it gives: the permissions decide, the names are those in the viewer's view. */
export async function roleAsSeen(reader: Reader, viewer: Caller, holder: Owner) {
  const role = await store.livingRole(reader, holder.roleId);
  const permissions = role ? withOwnView(role.permissions) : null;
  const asked = [...new Set([holder.roleId ?? [], permissions ? rolesNamedIn(permissions) : []].flat())];
  const names = await store.visibleRoles(reader, viewer, asked);
  // Everybody knows what their own role is called.
  const isOwn = holder.id === viewer.id;
  return { permissions, name: (isOwn ? role?.name : names.get(holder.roleId ?? "")) ?? null, names };
}

/** The first role of an empty database, for an account that is about to be made; every right. */
export async function insertFirstRole(ctx: Context, tx: Tx, owner: { id: string; path: string }): Promise<string> {
  const id = uuidv7(ctx.clock.now());
  const permissions = JSON.stringify(withOwnView(fullPermissions));
  await store.insertRole(tx, { id, owner_id: owner.id, owner_path: owner.path, name: "Administrator", permissions });
  return id;
}
