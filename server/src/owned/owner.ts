// Accounts as owners of other nouns: checks in requests (103), names and presence in responses.
import type { OwnerRef } from "@psp/contract/account/account.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canEdit, canView } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { findOwnerAccounts, lockOwnerAccount } from "./owned.store.ts";

/** An owner with its position in the tree: rights are checked against it, and owned rows copy its path. */
export type OwnerWithPath = Owner & { path: string; name: string; isDeleted: boolean };

export async function findOwners(reader: Reader, ids: readonly string[]): Promise<Map<string, OwnerWithPath>> {
  if (ids.length === 0) return new Map();
  return new Map((await findOwnerAccounts(reader, ids)).map((row) => [row.id, row]));
}

/** A missing owner is an internal error, because the owner of a stored object always exists. */
export async function getOwner(reader: Reader, id: string): Promise<OwnerWithPath> {
  const owner = (await findOwners(reader, [id])).get(id);
  if (!owner) throw new AppError(errorCode.internalError);
  return owner;
}

/** Throws 103 unless the account is visible and not deleted; locks it against deletion until the commit. */
export async function requireNewOwner(reader: Reader, caller: Caller, id: string): Promise<OwnerWithPath> {
  const row = await lockOwnerAccount(reader, id);
  if (!row || !canView(caller, "owner", row)) throw new AppError(errorCode.invalidOwner, { field: "owner" });
  return row;
}

/** Throws 305 without the right to edit one's own account. */
export function requireOwnAccountEdit(caller: Caller): void {
  if (!canEdit(caller, "owner", caller))
    throw new AppError(errorCode.noEdit, { reason: "You can't edit your own account." });
}

export type OwnerColumns = {
  owner_id: string;
  owner_name: string;
  owner_is_deleted: boolean;
  owner_last_seen_at: Date | null;
};

export function toOwnerRef(ctx: Context, row: OwnerColumns): OwnerRef {
  return {
    _id: row.owner_id,
    name: row.owner_name,
    isDeleted: row.owner_is_deleted,
    status: {
      numActiveSessions: ctx.presences.of(row.owner_id),
      lastSeenAt: row.owner_last_seen_at?.toISOString() ?? null,
    },
  };
}
