// Init tokens for the live hub: never with their secret; firmware only for those who may see it.
import { canView, canViewFirmware } from "@psp/contract/permission/can.ts";
import { findOwners } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { LiveObject, LiveSource } from "../live/hub.ts";
import { findInitTokensForLive } from "./init-token.store.ts";
import { toInitToken } from "./init-token.wire.ts";

export function initTokenLiveSource(ctx: Context): LiveSource {
  return {
    mayViewOwner: (actor, owner) => canView(actor, "sensor", owner),
    async load(ids) {
      const rows = await findInitTokensForLive(ctx.db, ids);
      const owners = await findOwners(
        ctx.db,
        rows.flatMap((row) => [row.owner_id, row.firmware_owner_id]).filter((id) => id !== null),
      );
      const objects = new Map<string, LiveObject>();
      for (const row of rows) {
        const owner = owners.get(row.owner_id);
        if (!owner) continue;
        const firmwareOwner = owners.get(row.firmware_owner_id ?? "");
        const objPerm = { childrenCanViewObject: row.firmware_children ?? false };
        objects.set(row.id, {
          owner,
          mayView: (actor) => canView(actor, "sensor", owner),
          variantOf: (actor) =>
            firmwareOwner && canViewFirmware(actor, { owner: firmwareOwner, objPerm }) ? "firmware" : "",
          render: (variant) => toInitToken(ctx, { ...row, firmware_ref: variant === "" ? null : firmwareRef(row) }),
        });
      }
      return objects;
    },
  };
}

type Row = Awaited<ReturnType<typeof findInitTokensForLive>>[number];

function firmwareRef(row: Row) {
  const { firmware_id: id, firmware_name: name, firmware_type: type, firmware_is_deleted: isDeleted } = row;
  return id === null || name === null || type === null ? null : { _id: id, name, type, isDeleted: isDeleted ?? false };
}
