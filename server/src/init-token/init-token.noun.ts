// Declares init tokens as an owned noun and a live source. Both omit the secret, and show firmware only to accounts that may view it.
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import { canViewFirmware } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { createOwnedLiveSource } from "../owned/owned.live.ts";
import { createOwnedReasons } from "../owned/owned.reasons.ts";
import { findInitToken, findInitTokensForLive, type InitTokenRow, initTokenTable } from "./init-token.store.ts";
import { initTokenTrail, toInitToken } from "./init-token.wire.ts";

export const initTokens: OwnedNoun<"init_token", InitTokenRow, InitToken> = {
  ...initTokenTable,
  type: "init-token",
  rights: "sensor",
  reasons: createOwnedReasons("sensor", { one: "init token", many: "init tokens" }),
  find: (_ctx, reader, caller, id) => findInitToken(reader, caller, id),
  toWire: toInitToken,
  trail: initTokenTrail,
};

export const initTokenLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "sensor",
    load: (ids) => findInitTokensForLive(ctx.db, ids),
    otherOwners: (row) => [row.firmware_owner_id],
    variantOf(actor, row, owners) {
      const owner = owners.get(row.firmware_owner_id ?? "");
      const objPerm = { childrenCanViewObject: row.firmware_children ?? false };
      return owner && canViewFirmware(actor, { owner, objPerm }) ? "firmware" : "";
    },
    render: (row, variant) => toInitToken(ctx, { ...row, firmware_ref: variant === "" ? null : firmwareRef(row) }),
  });

function firmwareRef(row: Awaited<ReturnType<typeof findInitTokensForLive>>[number]) {
  const { firmware_id: id, firmware_name: name, firmware_type: type, firmware_is_deleted: isDeleted } = row;
  return id === null || name === null || type === null ? null : { _id: id, name, type, isDeleted: isDeleted ?? false };
}
