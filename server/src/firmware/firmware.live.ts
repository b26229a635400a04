// Firmware for the live hub: all who may see it see the same.
import { canView, canViewFirmware } from "@psp/contract/permission/can.ts";
import { findOwners } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findFirmwareForLive } from "./firmware.store.ts";
import { toFirmware } from "./firmware.wire.ts";

export function firmwareLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner, { wasOpenToChildren }) =>
      wasOpenToChildren
        ? canViewFirmware(actor, { owner, objPerm: { childrenCanViewObject: true } })
        : canView(actor, "artifact", owner),
    async load(ids) {
      const rows = await findFirmwareForLive(ctx.db, ids);
      const owners = await findOwners(
        ctx.db,
        rows.map((row) => row.owner_id),
      );
      const objects = new Map<string, LiveObject>();
      for (const row of rows) {
        const owner = owners.get(row.owner_id);
        if (!owner) continue;
        objects.set(row.id, {
          owner,
          mayView: (actor) =>
            canViewFirmware(actor, { owner, objPerm: { childrenCanViewObject: row.children_can_view } }),
          variantOf: () => "",
          render: () => toFirmware(ctx, row),
        });
      }
      return objects;
    },
  };
}
