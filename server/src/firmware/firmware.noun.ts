// Defines firmware as an owned noun and as a source of live events. All viewers see the same fields.
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { canView, canViewFirmware } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { firmwareReasons } from "./firmware.reasons.ts";
import { findFirmware, findFirmwareForLive, type FirmwareRow, firmwareTable } from "./firmware.store.ts";
import { toAuditedFirmware, toFirmware } from "./firmware.wire.ts";

export const firmwareNoun: OwnedNoun<"firmware", FirmwareRow, Firmware> = {
  ...firmwareTable,
  type: "artifact",
  rights: "artifact",
  reasons: firmwareReasons,
  find: (_ctx, reader, caller, id) => findFirmware(reader, caller, id),
  toWire: toFirmware,
  trail: toAuditedFirmware,
  eventOf: (before) => ({ wasOpenToChildren: before.children_can_view }),
};

export const firmwareLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
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
