// Creates, changes and deletes owned objects, with the same order of checks for all (docs/rules/errors.md#order-of-checks).
// Create: owner viewable (103) → references (105, 107) → may create (303) → demands → row → audit → announcement.
// Change: visible (105) → may edit (305) → new owner viewable (103) → references → may change owner (302) → demands → version (412)
//         → columns → audit → announcement. Delete: visible → may delete (304) → version → mark → audit → announcement.
import { errorCode } from "@psp/contract/errors.ts";
import { canChangeOwner, canCreateFor, canDelete, canEdit, isRoot } from "@psp/contract/permission/can.ts";
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import type { Insertable, Updateable } from "kysely";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { checkVersion, ReplayedReply, type UnitOfWork, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { EntityChanged } from "../kit/bus.ts";
import type { Caller } from "../kit/caller.ts";
import type { OwnedNoun, OwnedTable, StoredRow } from "./noun.ts";
import { insertOwned, lockOwned, updateOwned } from "./owned.store.ts";
import { getOwner, type OwnerWithPath, requireNewOwner } from "./owner.ts";

type Judgeable = { id: string; owner_id: string; version: number };
type Rules = Pick<OwnedNoun<OwnedTable>, "rights" | "reasons">;

/**
 * Checks the owner (103), references (105), then the right to create (303). `refer` resolves ids in the request body; `demand` checks
 * further rights.
 */
export async function checkCreate<Refs = undefined>(
  { rights, reasons }: Rules,
  reader: Reader,
  caller: Caller,
  ownerId: string,
  steps: {
    refer?: (owner: OwnerWithPath) => Promise<Refs>;
    /** Replaces the check of the right to create (303). */
    mayCreate?: (owner: OwnerWithPath, refs: Refs) => void;
    demand?: (owner: OwnerWithPath, refs: Refs) => Promise<void> | void;
  } = {},
): Promise<{ owner: OwnerWithPath; refs: Refs }> {
  const owner = await requireNewOwner(reader, caller, ownerId);
  const refs = (await steps.refer?.(owner)) as Refs;
  if (steps.mayCreate) steps.mayCreate(owner, refs);
  else if (!canCreateFor(caller, rights, owner)) throw new AppError(errorCode.noCreate, reasons.create(caller, owner));
  await steps.demand?.(owner, refs);
  return { owner, refs };
}

/** Finds owners: one by one in the database, or among those that a batch has preloaded. */
export type OwnerLookUp = { ownerOf: typeof getOwner; requireNewOwner: typeof requireNewOwner };
const oneByOne: OwnerLookUp = { ownerOf: getOwner, requireNewOwner };

type ChangeSteps<Row, Refs> = {
  /** Replaces the check of the right to edit (305). */
  mayEdit?: (row: Row, owner: OwnerWithPath) => Promise<void> | void;
  /** Looks up changed references of the body before any right about them is checked. */
  refer?: (row: Row, to: OwnerWithPath | null) => Promise<Refs>;
  /** Replaces the check of the right to change the owner (302). */
  mayHandOver?: (from: OwnerWithPath, to: OwnerWithPath) => void;
  demand?: (row: Row, refs: Refs, to: OwnerWithPath | null) => Promise<void> | void;
};

/**
 * Checks a change and returns it with both owners and the references. The row must be visible to the caller; without a row, throws
 * 105.
 */
export async function checkChange<Row extends Judgeable, Refs = undefined>(
  { rights, reasons }: Rules,
  reader: Reader,
  caller: Caller,
  row: Row | null | undefined,
  change: { owner?: string | undefined },
  steps: ChangeSteps<Row, Refs> = {},
  owners = oneByOne,
) {
  if (!row) throw new AppError(errorCode.notFound);
  const from = await owners.ownerOf(reader, row.owner_id);
  if (steps.mayEdit) await steps.mayEdit(row, from);
  else if (!canEdit(caller, rights, from)) throw new AppError(errorCode.noEdit, reasons.edit(caller, from));
  const { owner } = change;
  const to = owner !== undefined && owner !== from.id ? await owners.requireNewOwner(reader, caller, owner) : null;
  const refs = (await steps.refer?.(row, to)) as Refs;
  if (to) {
    if (steps.mayHandOver) steps.mayHandOver(from, to);
    else if (!canChangeOwner(caller, rights, from, to))
      throw new AppError(errorCode.noChangeOwner, reasons.handOver(caller, from, to));
  }
  await steps.demand?.(row, refs, to);
  checkVersion(caller, row.version);
  return { row, from, to, refs };
}

export async function lockForChange<T extends OwnedTable, Refs = undefined>(
  noun: Rules & Pick<OwnedNoun<T>, "table" | "sees">,
  tx: Tx,
  caller: Caller,
  id: string,
  change: { owner?: string | undefined },
  steps?: ChangeSteps<StoredRow<T>, Refs>,
) {
  return checkChange(noun, tx, caller, await lockOwned(tx, noun, caller, id), change, steps);
}

export async function checkDelete<Row extends Judgeable>(
  { rights, reasons }: Rules,
  reader: Reader,
  caller: Caller,
  row: Row | null | undefined,
  mayDelete?: (row: Row, owner: OwnerWithPath) => Promise<void> | void,
  owners = oneByOne,
): Promise<{ row: Row; owner: OwnerWithPath }> {
  if (!row) throw new AppError(errorCode.notFound);
  const owner = await owners.ownerOf(reader, row.owner_id);
  if (mayDelete) await mayDelete(row, owner);
  else if (!canDelete(caller, rights, owner)) throw new AppError(errorCode.noDelete, reasons.remove(caller, owner));
  checkVersion(caller, row.version);
  return { row, owner };
}

type Written<T extends OwnedTable> = Pick<OwnedNoun<T>, "table" | "type" | "trail" | "eventOf">;

type NewColumns<T extends OwnedTable> = Omit<
  Insertable<Tables[T]>,
  "owner_id" | "owner_path" | "created_at" | "updated_at"
> & { id: string };

/** Inserts a checked row; `more` is added to its audit row. */
export async function createOwned<T extends OwnedTable>(
  ctx: Context,
  w: UnitOfWork,
  noun: Written<T>,
  owner: OwnerWithPath,
  columns: NewColumns<T>,
  more: Record<string, unknown> = {},
): Promise<StoredRow<T>> {
  const at = ctx.clock.date();
  const place = { owner_id: owner.id, owner_path: owner.path, created_at: at, updated_at: at };
  const row = await insertOwned(w.tx, noun.table, { ...columns, ...place } as unknown as Insertable<Tables[T]>);
  const after = { ...(noun.trail(row) as object), ...more };
  w.audit({ action: "create", object: { type: noun.type, _id: row.id }, owner, after });
  publishEntity(w, { type: noun.type, op: "create", id: row.id, ownerBefore: null, ownerAfter: owner.id });
  return row;
}

/** Writes a checked change; the row must be locked. */
export async function changeOwned<T extends OwnedTable>(
  ctx: Context,
  w: UnitOfWork,
  noun: Written<T>,
  { row, to }: { row: StoredRow<T>; to: OwnerWithPath | null },
  columns: Updateable<Tables[T]>,
  action = "update",
): Promise<StoredRow<T>> {
  const place = to ? { owner_id: to.id, owner_path: to.path } : {};
  const after = await updateOwned(ctx, w.tx, noun.table, row.id, { ...columns, ...place });
  publishChange(w, noun, row, after, action);
  return after;
}

export function publishChange<T extends OwnedTable>(
  w: UnitOfWork,
  noun: Written<T>,
  row: StoredRow<T>,
  after: StoredRow<T>,
  action = "update",
): void {
  w.audit({
    action,
    object: { type: noun.type, _id: row.id },
    owner: { id: after.owner_id, path: after.owner_path },
    before: noun.trail(row),
    after: noun.trail(after),
  });
  const owners = { ownerBefore: row.owner_id, ownerAfter: after.owner_id };
  publishEntity(w, { type: noun.type, op: "update", id: row.id, ...owners, ...noun.eventOf?.(row) });
}

/** Soft-deletes a checked, locked row. */
export async function deleteOwned<T extends OwnedTable>(
  ctx: Context,
  w: UnitOfWork,
  noun: Written<T>,
  { row, owner }: { row: StoredRow<T>; owner: OwnerWithPath },
): Promise<{ _id: string }> {
  await updateOwned(ctx, w.tx, noun.table, row.id, { is_deleted: true } as unknown as Updateable<Tables[T]>);
  publishDeletion(w, noun, { row, owner });
  return { _id: row.id };
}

export function publishDeletion<T extends OwnedTable>(
  w: UnitOfWork,
  noun: Written<T>,
  { row, owner }: { row: StoredRow<T>; owner: OwnerWithPath },
): void {
  w.audit({ action: "delete", object: { type: noun.type, _id: row.id }, owner, before: noun.trail(row) });
  const owners = { ownerBefore: owner.id, ownerAfter: owner.id };
  publishEntity(w, { type: noun.type, op: "delete", id: row.id, ...owners, ...noun.eventOf?.(row) });
}

/** Deletes one object; `then` runs in the same transaction. */
export async function deleteOwnedById<T extends OwnedTable>(
  ctx: Context,
  caller: Caller,
  noun: OwnedNoun<T>,
  id: string,
  then?: (w: UnitOfWork) => Promise<void>,
) {
  return write(ctx, caller, async (w) => {
    const judged = await checkDelete(noun, w.tx, caller, await lockOwned(w.tx, noun, caller, id));
    const deleted = await deleteOwned(ctx, w, noun, judged);
    await then?.(w);
    return deleted;
  });
}

/** Throws 306 unless the caller is the operator. */
export async function grantLicenses<T extends OwnedTable, Row, Wire>(
  ctx: Context,
  caller: Caller,
  noun: OwnedNoun<T, Row, Wire>,
  id: string,
  columnsOf: (row: StoredRow<T>) => Updateable<Tables[T]>,
): Promise<Wire | IdResponse> {
  return write(ctx, caller, async (w) => {
    const row = await lockOwned(w.tx, noun, caller, id);
    if (!row) throw new AppError(errorCode.notFound);
    if (!isRoot(caller)) throw new AppError(errorCode.noPermission, noun.reasons.onlyOperator);
    checkVersion(caller, row.version);
    await changeOwned(ctx, w, noun, { row, to: null }, columnsOf(row), "grantLicenses");
    return toOwnedResponse(ctx, w.tx, noun, caller, id);
  });
}

export function publishEntity(w: Pick<UnitOfWork, "announce">, event: EntityChanged): void {
  w.announce({ name: "entityChanged", event });
}

/** Publishes a change of an account, whose owner is the account itself. */
export function publishAccount(
  w: Pick<UnitOfWork, "announce">,
  op: EntityChanged["op"],
  id: string,
  more: Partial<EntityChanged> = {},
): void {
  publishEntity(w, { type: "account", op, id, ownerBefore: op === "create" ? null : id, ownerAfter: id, ...more });
}

/** Throws 105 if the object is not visible. */
export async function getOwned<Row, Wire>(
  ctx: Context,
  noun: Pick<OwnedNoun<OwnedTable, Row, Wire>, "find" | "toWire">,
  caller: Caller,
  id: string,
): Promise<Wire> {
  const row = await noun.find(ctx, ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  return noun.toWire(ctx, row);
}

/** Resolves with the response of a write, or with the stored response if the call is a repeat. */
export async function resolveReplay<T>(written: Promise<T>): Promise<T> {
  return written.catch((error: unknown) => {
    if (error instanceof ReplayedReply) return error.reply as T;
    throw error;
  });
}

/** Returns the object if the caller may see it, else only its id. */
export async function toOwnedResponse<Row, Wire>(
  ctx: Context,
  reader: Reader,
  noun: Pick<OwnedNoun<OwnedTable, Row, Wire>, "find" | "toWire">,
  caller: Caller,
  id: string,
): Promise<Wire | IdResponse> {
  const row = await noun.find(ctx, reader, caller, id);
  return row ? noun.toWire(ctx, row) : { _id: id };
}
