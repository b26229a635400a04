// What an account would see with a role, saved or not: counted exactly, whatever the number of accounts.
import { canView, viewSet } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { findOwners } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { countReach } from "./preview.store.ts";
import { nameableRoles, requireKnownRoles } from "./rights.service.ts";
import * as store from "./role.store.ts";

/**
 * The sensors that the account would see, and the accounts that might own them, among what the caller sees themselves.
 * Roles that the caller may not name (107) can't be counted either: that would reveal who holds them. Those that were in the
 * role before are taken as they are, but add nothing.
 */
export async function previewRole(
  ctx: Context,
  caller: Caller,
  id: string,
  { account, permissions }: { account: string; permissions: Permissions },
): Promise<{ accounts: number; sensors: number }> {
  const role = await store.findRole(ctx.db, caller, id);
  if (!role) throw new AppError(105);
  const holder = (await findOwners(ctx.db, [account])).get(account);
  if (!holder || holder.isDeleted || !canView(caller, "owner", holder)) throw new AppError(103, { field: "account" });
  await requireKnownRoles(ctx.db, caller, permissions, role.permissions);
  const sees = viewSet({ ...holder, roleId: id, permissions }, "sensor");
  const withRole = await nameableRoles(ctx.db, caller, sees.withRole);
  return countReach(ctx.db, caller, { ...holder, roleId: id }, { ...sees, withRole });
}
