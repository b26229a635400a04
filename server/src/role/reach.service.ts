// Refuses changes with which an account would reach more than the user who makes them (docs/rules/permissions.md#within-reach).
import { errorCode } from "@psp/contract/errors.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import {
  asHolder,
  checkEditedReach,
  checkMovedReach,
  type ReachCheck,
  reachesAncestors,
} from "@psp/contract/permission/reach.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Reader, Tx } from "../db/database.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import * as store from "./reach.store.ts";
import { roleReasons } from "./role.reasons.ts";

/** The roles of all ancestors of these accounts, by account, as far as they are `among` these. */
export async function findAncestorRoles(reader: Reader, owners: readonly Owner[], among?: readonly string[]) {
  const above = new Set(owners.flatMap(({ parentAccounts }) => parentAccounts));
  return store.findRolesOf(reader, [...above], among);
}

/** Adds the roles of the ancestors if the permissions reach any. */
export async function loadHolder<O extends Owner>(reader: Reader, owner: O, permissions: Permissions) {
  const isUpwards = reachesAncestors(permissions);
  return asHolder(owner, isUpwards ? await findAncestorRoles(reader, [owner]) : new Map());
}

/**
 * Throws 308 if an account with this role, visible or not, would newly reach more than the editor. Call it under `lockRights`.
 */
export async function requireHoldersWithinReach(
  tx: Tx,
  editor: Caller,
  roleId: string,
  { wanted, before }: { wanted: Permissions; before: Permissions },
): Promise<void> {
  const check = checkEditedReach(editor, wanted, before);
  if (check === null) return;
  for await (const rows of store.readHolders(tx, roleId)) {
    const roles = await findAncestorRoles(tx, rows, check.ancestorRoles);
    throwIfExcess(
      editor,
      rows.map((row) => ({ row, right: check.find(asHolder(row, roles)) })),
      roleReasons.holderReachesMore,
    );
  }
}

type Place = { id: string; path: string; ancestor_ids: readonly string[] };

/**
 * Throws 308 if the account, or one below it, would reach more ancestors than the mover after the move below `parent`. Call it under
 * `lockRights`, before the move. `except` is an account whose new role is checked at the new position anyway.
 */
export async function requireMoveWithinReach(
  tx: Tx,
  mover: Caller,
  account: Place,
  parent: Place,
  except: string | null,
): Promise<void> {
  const checks = new Map<string, ReachCheck | null>();
  const newAncestors = [...parent.ancestor_ids, parent.id];
  for await (const all of store.readHoldersFrom(tx, account.path)) {
    const rows = all.filter(({ id }) => id !== except);
    const unknown = new Set(rows.flatMap(({ roleId }) => (roleId === null || checks.has(roleId) ? [] : roleId)));
    for (const [id, permissions] of await store.findPermissionsByRole(tx, [...unknown]))
      checks.set(id, checkMovedReach(mover, permissions));
    const concerned = rows.flatMap((row) => {
      const check = checks.get(row.roleId ?? "");
      const parentAccounts = [...newAncestors, ...row.parentAccounts.slice(account.ancestor_ids.length)];
      return check ? [{ row, check, moved: { ...row, parentAccounts } }] : [];
    });
    const places = concerned.flatMap(({ row, moved }) => [row, moved]);
    const named = new Set(concerned.flatMap(({ check }) => check.ancestorRoles));
    const roles = await findAncestorRoles(tx, places, [...named]);
    const found = concerned.map(({ row, check, moved }) => ({
      row,
      right: check.find(asHolder(row, roles), asHolder(moved, roles)),
    }));
    throwIfExcess(mover, found, roleReasons.movedReachesMore);
  }
}

type Found = { row: store.HolderRow; right: string | null };

/** Names an account only if the caller may view it. */
function throwIfExcess(caller: Caller, found: readonly Found[], reason: typeof roleReasons.holderReachesMore): void {
  const beyond = found.flatMap(({ row, right }) => (right === null ? [] : [{ row, right }]));
  const [first] = beyond;
  if (!first) return;
  const seen = beyond.find(({ row }) => canView(caller, "owner", row));
  throw new AppError(errorCode.roleTooPowerful, reason((seen ?? first).right, seen?.row ?? null));
}
