// The login that made a report, as a caller with its rights of now.
import { canEdit } from "@psp/contract/permission/can.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import type { Caller } from "../kit/caller.ts";
import { findLocationsAfter } from "../location/location.service.ts";
import { getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { mayEditAll } from "./report.rights.ts";
import { findLogin, type Login } from "./report.store.ts";

export type Creator = { login: Login; caller: Caller };

/** Null if the login can't sign in. */
export async function loadCreator(tx: Tx, credentialId: string | null): Promise<Creator | null> {
  const login = credentialId === null ? undefined : await findLogin(tx, credentialId);
  if (!login) return null;
  const request = { id: "report", idempotency: null, ifMatch: null };
  const unknown = { path: login.accountPath, parentAccounts: [], roleId: null, permissions: null };
  const { accountId: id, accountName: name, email } = login;
  const caller = await reloadCaller(tx, {
    ...unknown,
    id,
    name,
    email,
    sessionId: "",
    credentialId: login.id,
    request,
  });
  return { login, caller };
}

/** Equal for callers who see the same. */
export const rightsKey = ({ id, path, parentAccounts, permissions }: Caller) =>
  JSON.stringify([id, path, parentAccounts, permissions]);

/** Whether the owner exists and the caller may edit it, or all locations that the report names. */
export async function mayManage(
  reader: Reader,
  caller: Caller,
  report: { ownerId: string; locationIds: readonly string[] | undefined },
): Promise<boolean> {
  const owner = await getOwner(reader, report.ownerId);
  if (owner.isDeleted) return false;
  if (canEdit(caller, "owner", owner)) return true;
  return report.locationIds !== undefined && mayEditAll(reader, caller, report.locationIds);
}

/**
 * Whether the caller may add a report to the owner. The right to edit the named locations suffices only for the caller's own account,
 * because recipients get mails in the name of the owner.
 */
export async function mayAdd(
  reader: Reader,
  caller: Caller,
  owner: OwnerWithPath,
  locationIds: readonly string[] | undefined,
): Promise<boolean> {
  if (canEdit(caller, "owner", owner)) return true;
  return owner.id === caller.id && locationIds !== undefined && mayEditAll(reader, caller, locationIds);
}

/** Zone of the oldest visible location, or null. Ids are sorted by creation. */
export async function findFirstZone(ctx: Context, caller: Caller): Promise<Zone | null> {
  const [first] = await findLocationsAfter(ctx, caller, null, 1);
  return first === undefined ? null : zoneOf(first.timezone);
}
