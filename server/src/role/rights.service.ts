// Checks rights at the time of a write: the actor's committed rights, whether a role may be given, and the effects of giving it.
import { errorCode } from "@psp/contract/errors.ts";
import { type ObjectType, resolveViewScope } from "@psp/contract/permission/can.ts";
import {
  fullPermissions,
  ownableTypes,
  type Permissions,
  listScopes,
  withOwnAccountView,
} from "@psp/contract/permission/permissions.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { findRoleAssignmentDenial } from "@psp/contract/permission/why-not.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { roleReasons } from "./role.reasons.ts";
import * as store from "./role.store.ts";

/**
 * The caller with current position and rights. Call it under `lockRights`, so that two concurrent changes can't each rely on what the other
 * removes (T-05). Throws 106 if the account is gone.
 */
export async function reloadCaller(tx: Tx, caller: Caller): Promise<Caller> {
  const now = await store.findRights(tx, caller.id);
  if (!now) throw new AppError(errorCode.unauthorized);
  return { ...caller, ...now, permissions: now.permissions ? withOwnAccountView(now.permissions) : null };
}

/** Throws 107 unless the role is visible to the giver. */
export async function requireVisibleRole(reader: Reader, actor: Caller, roleId: string): Promise<Permissions> {
  const role = await store.findRole(reader, actor, roleId);
  if (!role) throw new AppError(errorCode.invalidRole, { field: "role" });
  return role.permissions;
}

/**
 * Throws 300 unless the giver may assign roles to the receiver, which would not reach more than the giver. A receiver without a name is
 * a new account.
 */
export function requireGivable(actor: Caller, permissions: Permissions, receiver: Holder & { name?: string }): void {
  throwIfDenied(findRoleAssignmentDenial(actor, permissions, receiver), ({ details }) => {
    const { name } = receiver;
    const named = name === undefined ? null : { ...receiver, name };
    if (details && "scope" in details) return roleReasons.reachesMore(actor, details.scope, named);
    return details ?? roleReasons.assign(actor, named);
  });
}

const rolesNamedIn = (permissions: Permissions) => listScopes(permissions).flatMap(({ scope }) => scope?.roles ?? []);

/** Returns the roles that are visible to the actor or named in the actor's own scopes. */
export async function findNameableRoles(db: Reader, actor: Caller, ids: readonly string[]): Promise<string[]> {
  const own = new Set(rolesNamedIn(actor.permissions ?? {}));
  const wanted = [...new Set(ids)];
  const unknown = wanted.filter((id) => !own.has(id));
  const visible = await store.findVisibleRoles(db, actor, unknown);
  return wanted.filter((id) => own.has(id) || visible.has(id));
}

/**
 * Throws 107 if a scope names an unknown or invisible role. Exempts roles that `before` or the actor's own scopes
 * already name.
 */
export async function requireKnownRoles(db: Reader, actor: Caller, wanted: Permissions, before: Permissions) {
  const given = new Set(rolesNamedIn(before));
  const asked = rolesNamedIn(wanted).filter((id) => !given.has(id));
  const nameable = new Set(await findNameableRoles(db, actor, asked));
  const missing = asked.find((id) => !nameable.has(id));
  if (missing !== undefined) throw new AppError(errorCode.invalidRole, { field: "permissions", role: missing });
}

/** Whether view scopes change, so that holders' consoles must reload. */
export function haveViewScopesChanged(before: Permissions | null, after: Permissions | null): boolean {
  if ((before === null) !== (after === null)) return true;
  return ([...ownableTypes, "owner"] as const).some((type) => scopeText(before, type) !== scopeText(after, type));
}

function scopeText(permissions: Permissions | null, type: ObjectType): string {
  // Gives the actor more ancestors than a scope can refer to, so that equal sets imply equal scopes.
  const parentAccounts = Array.from({ length: 101 }, (_, n) => String(n));
  const set = resolveViewScope({ id: "me", parentAccounts, roleId: null, permissions }, type);
  return JSON.stringify([set.ids.toSorted(), set.descendantsOf, [...new Set(set.withRole)].toSorted()]);
}

export async function findPermissions(reader: Reader, roleId: string | null): Promise<Permissions | null> {
  return store.findPermissions(reader, roleId);
}

/** The role of an account as a viewer may see it: all its permissions, but only names of visible roles. */
export async function getVisibleRole(reader: Reader, viewer: Caller, holder: Owner) {
  const role = await store.findLivingRole(reader, holder.roleId);
  const permissions = role ? withOwnAccountView(role.permissions) : null;
  const asked = [...new Set([holder.roleId ?? [], permissions ? rolesNamedIn(permissions) : []].flat())];
  const names = await store.findVisibleRoles(reader, viewer, asked);
  // Everyone knows their own role's name.
  const isOwn = holder.id === viewer.id;
  return { permissions, name: (isOwn ? role?.name : names.get(holder.roleId ?? "")) ?? null, names };
}

/** Inserts the first role of an empty database, with every right. Its owner account is created afterwards. */
export async function insertFirstRole(ctx: Context, tx: Tx, owner: { id: string; path: string }): Promise<string> {
  const id = uuidv7(ctx.clock.now());
  const permissions = JSON.stringify(withOwnAccountView(fullPermissions));
  await store.insertRole(tx, { id, owner_id: owner.id, owner_path: owner.path, name: "Administrator", permissions });
  return id;
}
