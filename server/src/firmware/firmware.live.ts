// Firmware for the live hub: all who may see it see the same.
import { canView, canViewFirmware } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { ownedLiveSource } from "../owned/owned.live.ts";
import { findFirmwareForLive } from "./firmware.store.ts";
import { toFirmware } from "./firmware.wire.ts";

export const firmwareLiveSource = (ctx: Context) =>
  ownedLiveSource(ctx, {
    rights: "artifact",
    load: (ids) => findFirmwareForLive(ctx.db, ids),
    mayView: (actor, row, owner) =>
      canViewFirmware(actor, { owner, objPerm: { childrenCanViewObject: row.children_can_view } }),
    mayViewOwner: (actor, owner, { wasOpenToChildren }) =>
      wasOpenToChildren
        ? canViewFirmware(actor, { owner, objPerm: { childrenCanViewObject: true } })
        : canView(actor, "artifact", owner),
    render: (row) => toFirmware(ctx, row),
  });
