// Lists and changes firmware, and finds its files. Every change checks rights, runs in a transaction and is published.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type { listFirmware as listCall } from "@psp/contract/firmware/firmware.api.ts";
import { type FirmwareChange, hasOversizedNumber } from "@psp/contract/firmware/firmware.ts";
import { canEdit, type FirmwareRights } from "@psp/contract/permission/can.ts";
import { findDownloadDenial } from "@psp/contract/permission/why-not.ts";
import { getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { readArrayOrPage, countRows } from "../db/list.ts";
import { onDuplicate, write } from "../db/write.ts";
import { toOwnedResponse, changeOwned, getOwned, lockForChange } from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { readDownloadToken } from "./package/download-link.rules.ts";
import { firmwareNoun } from "./firmware.noun.ts";
import { firmwareReasons } from "./firmware.reasons.ts";
import * as store from "./firmware.store.ts";
import { toFirmware } from "./firmware.wire.ts";
import { findPackage, type PackageRow } from "./package/package.store.ts";
import { semverKey } from "@psp/contract/firmware/semver.ts";

export { assignSeq } from "./firmware.store.ts";

export async function listFirmware(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const conditions = store.firmwareConditions(caller, query, query.includeDeleted);
  return readArrayOrPage(
    query,
    null,
    async (sort, part) =>
      (await store.findFirmwarePage(ctx.db, conditions, sort, part)).map((row) => toFirmware(ctx, row)),
    () => countRows(ctx.db, "firmware", conditions),
  );
}

export type VisibleFirmware = FirmwareRights & { id: string; type: string; name: string; owner: OwnerWithPath };

/**
 * Finds and locks the firmware that a body names in `artifact`, so that it can't be deleted before the commit. Throws 105 if it is not
 * visible.
 */
export async function requireVisibleFirmware(tx: Tx, caller: Caller, id: string): Promise<VisibleFirmware> {
  const firmware = await findVisibleFirmware(tx, caller, id);
  if (!firmware) throw new AppError(errorCode.notFound, { field: "artifact" });
  return firmware;
}

export async function findVisibleFirmware(tx: Tx, caller: Caller, id: string): Promise<VisibleFirmware | null> {
  const row = await lockOwned(tx, store.firmwareTable, caller, id, "share");
  if (!row) return null;
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    owner: await getOwner(tx, row.owner_id),
    objPerm: { childrenCanViewObject: row.children_can_view },
  };
}

type Numbered = { id: string; type: string; name: string; seq: number | null };

/** A new name or owner requires a new sequence number. Firmware without a file has none. */
async function newSeq(tx: Tx, firmware: Numbered, owner: OwnerWithPath, name: string): Promise<number | null> {
  // Old names may contain version numbers above the current maximum. They keep their sequence number until they are changed.
  if (firmware.seq === null || (name === firmware.name && hasOversizedNumber(name))) return firmware.seq;
  const seq = await store.assignSeq(tx, owner, firmware.type, name, firmware.id);
  if (seq === null) throw new AppError(errorCode.invalidArgument, { field: "name", ...firmwareReasons.noRoom });
  return seq;
}

/** Throws 105 if it is not visible. */
export function getFirmware(ctx: Context, caller: Caller, id: string) {
  return getOwned(ctx, firmwareNoun, caller, id);
}

/**
 * Finds the file of a visible firmware. Throws 105 if there is none, and 310 for callers who may neither use nor edit the firmware.
 */
export async function getPackage(ctx: Context, caller: Caller, id: string): Promise<PackageRow> {
  const row = await store.findFirmware(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const owner = await getOwner(ctx.db, row.owner_id);
  const rights = { owner, objPerm: { childrenCanViewObject: row.children_can_view } };
  throwIfDenied(findDownloadDenial(caller, rights), () => firmwareReasons.use(caller, { name: row.name, owner }));
  const found = await findPackage(ctx.db, id);
  if (!found) throw new AppError(errorCode.notFound);
  return found;
}

/** Finds the file of a download link; deleting the firmware does not end the link. Throws 105 for an invalid or expired link. */
export async function getLinkedPackage(ctx: Context, token: string): Promise<PackageRow> {
  const id = readDownloadToken(ctx.config, token, ctx.clock.now());
  const found = id === null ? null : await findPackage(ctx.db, id);
  if (!found) throw new AppError(errorCode.notFound);
  return found;
}

/**
 * Changes the version, owner or visibility; type and file can't be changed. Throws 109 if the owner already has this version of the
 * type.
 */
export async function updateFirmware(ctx: Context, caller: Caller, id: string, change: FirmwareChange) {
  return write(ctx, caller, async (w) => {
    const judged = await lockForChange(firmwareNoun, w.tx, caller, id, change, {
      mayEdit: (row, owner) => requireEditable(caller, row, owner, change),
    });
    const { row, from, to } = judged;
    const name = change.name ?? row.name;
    const columns = {
      ...(change.name !== undefined ? { name, precedence: semverKey(name) } : {}),
      seq: name === row.name && !to ? row.seq : await newSeq(w.tx, row, to ?? from, name),
      ...(change.objPerm ? { children_can_view: change.objPerm.childrenCanViewObject } : {}),
    };
    await onDuplicate("firmware_name", [errorCode.nameUsed, firmwareReasons.versionTaken(row.type, name)], () =>
      changeOwned(ctx, w, firmwareNoun, judged, columns),
    );
    return toOwnedResponse(ctx, w.tx, firmwareNoun, caller, id);
  });
}

function requireEditable(caller: Caller, row: { type: string }, owner: OwnerWithPath, { type }: FirmwareChange): void {
  if (!canEdit(caller, "artifact", owner)) throw new AppError(errorCode.noEdit, firmwareReasons.edit(caller, owner));
  if (type !== undefined && type !== row.type)
    throw new AppError(errorCode.invalidArgument, { field: "type", ...firmwareReasons.typeStays(row.type) });
}
