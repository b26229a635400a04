// Use cases about firmware: right, rule, transaction, announcement, in this order, always.
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import type { listFirmware as listCall } from "@psp/contract/firmware/firmware.api.ts";
import { type Firmware, type FirmwareChange, hasLargeNumber } from "@psp/contract/firmware/firmware.ts";
import { canChangeOwner, canDelete, canEdit, type FirmwareRights } from "@psp/contract/permission/can.ts";
import { whyNotFetchPackage } from "@psp/contract/permission/why-not.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import { ownerOf, type PlacedOwner, requireNewOwner } from "../owned/owner.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { arrayOrPage } from "../db/list.ts";
import { bumped, checkVersion, onDuplicate, write } from "../db/write.ts";
import { readDownloadToken } from "./download-link.ts";
import { firmwareReasons } from "./firmware.reasons.ts";
import * as store from "./firmware.store.ts";
import { firmwareTrail, toFirmware } from "./firmware.wire.ts";
import { findPackage, type PackageRow } from "./package.store.ts";
import { semverKey } from "./semver.ts";

export { semverKey };
export { nextSeq } from "./firmware.store.ts";

/** All that the caller may view, or the page asked for; an array, or objects with their total (decisions 3). */
export async function listFirmware(ctx: Context, caller: Caller, query: Received<typeof listCall>["query"]) {
  const { skip = 0, limit = null, includeTotals, includeDeleted, sortBy, sortDesc, ...filter } = query;
  const conditions = store.firmwareConditions(caller, filter, includeDeleted);
  const [rows, total] = await Promise.all([
    store.findFirmwarePage(ctx.db, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? store.countFirmware(ctx.db, conditions) : undefined,
  ]);
  return arrayOrPage(
    rows.map((row) => toFirmware(ctx, row)),
    total,
  );
}

/** One visible firmware; what may not be seen is not there (105). */
export async function getFirmware(ctx: Context, caller: Caller, id: string): Promise<Firmware> {
  const row = await store.findFirmware(ctx.db, caller, id);
  if (!row) throw new AppError(105);
  return toFirmware(ctx, row);
}

type VisibleFirmware = FirmwareRights & { id: string; type: string; name: string; owner: PlacedOwner };

/** A firmware named in a body (`artifact`): visible, else 105; kept from being deleted until the commit. */
export async function requireVisibleFirmware(tx: Tx, caller: Caller, id: string): Promise<VisibleFirmware> {
  const firmware = await findVisibleFirmware(tx, caller, id);
  if (!firmware) throw new AppError(105, { field: "artifact" });
  return firmware;
}

/** The same, or null. */
export async function findVisibleFirmware(tx: Tx, caller: Caller, id: string): Promise<VisibleFirmware | null> {
  const row = await store.lockFirmware(tx, caller, id, "share");
  if (!row) return null;
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    owner: await ownerOf(tx, row.owner_id),
    objPerm: { childrenCanViewObject: row.children_can_view },
  };
}

type Numbered = { id: string; type: string; name: string; seq: number | null };

/** Under another name or owner a firmware takes its place among its new neighbors; one without a file has none. */
async function newSeq(tx: Tx, firmware: Numbered, owner: PlacedOwner, name: string): Promise<number | null> {
  // Its version was given when larger numbers were allowed, and nobody asks for another.
  if (firmware.seq === null || (name === firmware.name && hasLargeNumber(name))) return firmware.seq;
  const seq = await store.nextSeq(tx, owner, firmware.type, name, firmware.id);
  if (seq === null) throw new AppError(102, { field: "name", ...firmwareReasons.noRoom });
  return seq;
}

/** The stored file of a visible firmware: 105 while there is none, 310 for those who may neither use nor edit it. */
export async function getPackage(ctx: Context, caller: Caller, id: string): Promise<PackageRow> {
  const row = await store.findFirmware(ctx.db, caller, id);
  if (!row) throw new AppError(105);
  const owner = await ownerOf(ctx.db, row.owner_id);
  const rights = { owner, objPerm: { childrenCanViewObject: row.children_can_view } };
  refuseIf(whyNotFetchPackage(caller, rights), () => firmwareReasons.use(caller, { name: row.name, owner }));
  const found = await findPackage(ctx.db, id);
  if (!found) throw new AppError(105);
  return found;
}

/** The stored file that a device's link names; deleting the firmware ends no download that was granted. */
export async function getLinkedPackage(ctx: Context, token: string): Promise<PackageRow> {
  const id = readDownloadToken(ctx.config, token, ctx.clock.now());
  const found = id === null ? null : await findPackage(ctx.db, id);
  if (!found) throw new AppError(105);
  return found;
}

/** Changes version name, owner or visibility; type and file are fixed. One owner has each version of a type once (109). */
export async function updateFirmware(
  ctx: Context,
  caller: Caller,
  id: string,
  change: FirmwareChange,
): Promise<Firmware | IdReply> {
  return write(ctx, caller, async (w) => {
    const firmware = await store.lockFirmware(w.tx, caller, id, "update");
    if (!firmware) throw new AppError(105);
    const from = await ownerOf(w.tx, firmware.owner_id);
    if (!canEdit(caller, "artifact", from)) throw new AppError(305, firmwareReasons.edit(caller, from));
    if (change.type !== undefined && change.type !== firmware.type)
      throw new AppError(102, { field: "type", ...firmwareReasons.typeStays(firmware.type) });
    const to =
      change.owner !== undefined && change.owner !== from.id ? await requireNewOwner(w.tx, caller, change.owner) : null;
    if (to && !canChangeOwner(caller, "artifact", from, to))
      throw new AppError(302, firmwareReasons.handOver(caller, from, to));
    checkVersion(caller, firmware.version);
    const name = change.name ?? firmware.name;
    const seq = name === firmware.name && !to ? firmware.seq : await newSeq(w.tx, firmware, to ?? from, name);
    const after = await onDuplicate("firmware_name", [109, firmwareReasons.versionTaken(firmware.type, name)], () =>
      w.tx
        .updateTable("firmware")
        .set({
          ...bumped(ctx),
          ...(change.name !== undefined ? { name, precedence: semverKey(name) } : {}),
          seq,
          ...(to ? { owner_id: to.id, owner_path: to.path } : {}),
          ...(change.objPerm ? { children_can_view: change.objPerm.childrenCanViewObject } : {}),
        })
        .where("id", "=", firmware.id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    w.audit({
      action: "update",
      object: { type: "artifact", _id: after.id },
      owner: { id: after.owner_id, path: after.owner_path },
      before: firmwareTrail(firmware),
      after: firmwareTrail(after),
    });
    w.announce({
      name: "entityChanged",
      event: {
        type: "artifact",
        op: "update",
        id: after.id,
        ownerBefore: from.id,
        ownerAfter: after.owner_id,
        wasOpenToChildren: firmware.children_can_view,
      },
    });
    const row = await store.findFirmware(w.tx, caller, after.id);
    return row ? toFirmware(ctx, row) : { _id: after.id };
  });
}

/** Deletes a firmware; sensors that run it keep showing its name, and those that fetch it now may finish. */
export async function deleteFirmware(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    const firmware = await store.lockFirmware(w.tx, caller, id, "update");
    if (!firmware) throw new AppError(105);
    const owner = await ownerOf(w.tx, firmware.owner_id);
    if (!canDelete(caller, "artifact", owner)) throw new AppError(304, firmwareReasons.remove(caller, owner));
    checkVersion(caller, firmware.version);
    await w.tx
      .updateTable("firmware")
      .set({ ...bumped(ctx), is_deleted: true })
      .where("id", "=", firmware.id)
      .execute();
    w.audit({
      action: "delete",
      object: { type: "artifact", _id: firmware.id },
      owner,
      before: firmwareTrail(firmware),
    });
    w.announce({
      name: "entityChanged",
      event: {
        type: "artifact",
        op: "delete",
        id: firmware.id,
        ownerBefore: owner.id,
        ownerAfter: owner.id,
        wasOpenToChildren: firmware.children_can_view,
      },
    });
    return { _id: firmware.id };
  });
}
