// Accounts for the live hub: rendered once with the role and once without, for those who may not see it.
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findOwners, type PlacedOwner } from "../owned/owner.ts";
import { type AccountRow, findAccountsForLive } from "./account.store.ts";
import { toAccount } from "./account.wire.ts";

export function accountLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner, { roleBefore }) =>
      canView(actor, "owner", roleBefore === undefined ? owner : { ...owner, roleId: roleBefore }),
    async load(ids) {
      const rows = await findAccountsForLive(ctx.db, ids);
      const roleOwners = rows.flatMap((row) => (row.role_ref ? [row.role_ref.owner._id] : []));
      const owners = await findOwners(ctx.db, [...rows.map((row) => row.id), ...roleOwners]);
      return new Map(rows.map((row) => [row.id, liveObject(ctx, row, owners)]));
    },
  };
}

function liveObject(ctx: Context, row: AccountRow, owners: Map<string, PlacedOwner>): LiveObject {
  const owner = owners.get(row.id) as PlacedOwner;
  const roleOwner = owners.get(row.role_ref?.owner._id ?? "");
  return {
    owner,
    mayView: (actor) => canView(actor, "owner", owner),
    variantOf: (actor) => (roleOwner && canView(actor, "role", roleOwner) ? "role" : ""),
    render: (variant) => toAccount(ctx, variant === "role" ? row : { ...row, role_ref: null }),
  };
}
