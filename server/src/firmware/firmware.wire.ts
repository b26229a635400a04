// Converts firmware rows to the format of the API; no other file does.
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { FirmwareRow } from "./firmware.store.ts";

export function toFirmware(ctx: Context, row: FirmwareRow): Firmware {
  return {
    _id: row.id,
    name: row.name,
    type: row.type as Firmware["type"],
    owner: toOwnerRef(ctx, row),
    file: fileOf(row),
    md5: row.md5,
    objPerm: { childrenCanViewObject: row.children_can_view },
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

function fileOf({ package_id, size, sha256, signature }: FirmwareRow): Firmware["file"] {
  if (package_id === null || size === null || sha256 === null || signature === null) return null;
  return { size: Number(size), sha256, signature };
}

export function toAuditedFirmware(row: { name: string; type: string; owner_id: string; children_can_view: boolean }) {
  return {
    name: row.name,
    type: row.type,
    owner: row.owner_id,
    objPerm: { childrenCanViewObject: row.children_can_view },
  };
}
