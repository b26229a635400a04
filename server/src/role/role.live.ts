// Roles for the live hub: everybody who sees one sees the same.
import { canView } from "@psp/contract/permission/can.ts";
import { findOwners, type PlacedOwner } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { LiveSource } from "../live/hub.ts";
import { findRolesForLive } from "./role.store.ts";
import { toRole } from "./role.wire.ts";

export function roleLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner) => canView(actor, "role", owner),
    async load(ids) {
      const rows = await findRolesForLive(ctx.db, ids);
      const owners = await findOwners(
        ctx.db,
        rows.map((row) => row.owner_id),
      );
      return new Map(
        rows.map((row) => {
          const owner = owners.get(row.owner_id) as PlacedOwner;
          return [
            row.id,
            {
              owner,
              mayView: (actor) => canView(actor, "role", owner),
              variantOf: () => "",
              render: () => toRole(ctx, row),
            },
          ];
        }),
      );
    },
  };
}
