// Loads accounts for the live hub. An account's role is sent only to viewers who may see it.
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { findAccountsForLive } from "./account.store.ts";
import { toAccount } from "./account.wire.ts";

/** An account is its own owner. */
export const accountLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "owner",
    load: async (ids) => (await findAccountsForLive(ctx.db, ids)).map((row) => ({ ...row, owner_id: row.id })),
    otherOwners: (row) => (row.role_ref ? [row.role_ref.owner._id] : []),
    mayViewOwner: (actor, owner, { roleBefore }) =>
      canView(actor, "owner", roleBefore === undefined ? owner : { ...owner, roleId: roleBefore }),
    variantOf(actor, row, owners) {
      const roleOwner = owners.get(row.role_ref?.owner._id ?? "");
      return roleOwner && canView(actor, "role", roleOwner) ? "role" : "";
    },
    render: (row, variant) => toAccount(ctx, variant === "role" ? row : { ...row, role_ref: null }),
  });
