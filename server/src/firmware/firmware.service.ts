// Use cases about firmware: right, rule, transaction, announcement, in this order, always.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type { listFirmware as listCall } from "@psp/contract/firmware/firmware.api.ts";
import { type FirmwareChange, hasOversizedNumber } from "@psp/contract/firmware/firmware.ts";
import { canEdit, type FirmwareRights } from "@psp/contract/permission/can.ts";
import { whyNotFetchPackage } from "@psp/contract/permission/why-not.ts";
import { ownerOf, type PlacedOwner } from "../owned/owner.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { arrayOrPage, countRows } from "../db/list.ts";
import { onDuplicate, write } from "../db/write.ts";
import { answerOwned, changeOwned, getOwned, lockForChange } from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { readDownloadToken } from "./package/download-link.rules.ts";
import { firmwareNoun } from "./firmware.noun.ts";
import { firmwareReasons } from "./firmware.reasons.ts";
import * as store from "./firmware.store.ts";
import { toFirmware } from "./firmware.wire.ts";
import { findPackage, type PackageRow } from "./package/package.store.ts";
import { semverKey } from "@psp/contract/firmware/semver.ts";

export { nextSeq } from "./firmware.store.ts";

/** All that the caller may view, or the page asked for; an array, or objects with their total. */
export async function listFirmware(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const conditions = store.firmwareConditions(caller, query, query.includeDeleted);
  return arrayOrPage(
    query,
    null,
    async (sort, part) =>
      (await store.findFirmwarePage(ctx.db, conditions, sort, part)).map((row) => toFirmware(ctx, row)),
    () => countRows(ctx.db, "firmware", conditions),
  );
}

export type VisibleFirmware = FirmwareRights & { id: string; type: string; name: string; owner: PlacedOwner };

/** A firmware named in a body (`artifact`): visible, else 105; kept from being deleted until the commit. */
export async function requireVisibleFirmware(tx: Tx, caller: Caller, id: string): Promise<VisibleFirmware> {
  const firmware = await findVisibleFirmware(tx, caller, id);
  if (!firmware) throw new AppError(errorCode.notFound, { field: "artifact" });
  return firmware;
}

/** The same, or null. */
export async function findVisibleFirmware(tx: Tx, caller: Caller, id: string): Promise<VisibleFirmware | null> {
  const row = await lockOwned(tx, store.firmwareTable, caller, id, "share");
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
  // Its version was given when larger numbers were allowed, and no one asks for another.
  if (firmware.seq === null || (name === firmware.name && hasOversizedNumber(name))) return firmware.seq;
  const seq = await store.nextSeq(tx, owner, firmware.type, name, firmware.id);
  if (seq === null) throw new AppError(errorCode.invalidArgument, { field: "name", ...firmwareReasons.noRoom });
  return seq;
}

/** One firmware as the caller views it; 105 where they may not. */
export function getFirmware(ctx: Context, caller: Caller, id: string) {
  return getOwned(ctx, firmwareNoun, caller, id);
}

/** The stored file of a visible firmware: 105 while there is none, 310 for those who may neither use nor edit it. */
export async function getPackage(ctx: Context, caller: Caller, id: string): Promise<PackageRow> {
  const row = await store.findFirmware(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const owner = await ownerOf(ctx.db, row.owner_id);
  const rights = { owner, objPerm: { childrenCanViewObject: row.children_can_view } };
  refuseIf(whyNotFetchPackage(caller, rights), () => firmwareReasons.use(caller, { name: row.name, owner }));
  const found = await findPackage(ctx.db, id);
  if (!found) throw new AppError(errorCode.notFound);
  return found;
}

/** The stored file that a device's link names; deleting the firmware ends no download that was granted. */
export async function getLinkedPackage(ctx: Context, token: string): Promise<PackageRow> {
  const id = readDownloadToken(ctx.config, token, ctx.clock.now());
  const found = id === null ? null : await findPackage(ctx.db, id);
  if (!found) throw new AppError(errorCode.notFound);
  return found;
}

/** Changes version name, owner or visibility; type and file are fixed. One owner has each version of a type once (109). */
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
    return answerOwned(ctx, w.tx, firmwareNoun, caller, id);
  });
}

function requireEditable(caller: Caller, row: { type: string }, owner: PlacedOwner, { type }: FirmwareChange): void {
  if (!canEdit(caller, "artifact", owner)) throw new AppError(errorCode.noEdit, firmwareReasons.edit(caller, owner));
  if (type !== undefined && type !== row.type)
    throw new AppError(errorCode.invalidArgument, { field: "type", ...firmwareReasons.typeStays(row.type) });
}
