// A new firmware from a form: rights and rules before the file if the fields came first, all of them again when it is stored.
import { createHash } from "node:crypto";
import { type Firmware, firmwareFields, type NewFirmware, newFirmwareSchema } from "@psp/contract/firmware/firmware.ts";
import { isServerErrorCode } from "@psp/contract/errors.ts";
import { faultOf } from "@psp/contract/kit/safe-text.ts";
import { canCreateFor, createSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { type PlacedOwner, requireNewOwner } from "../account/account.owner.ts";
import { AppError } from "../app-error.ts";
import type { Caller } from "../caller.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { uuidv7 } from "../db/uuid.ts";
import { onDuplicate, ReplayedReply, write, type Write } from "../db/write.ts";
import * as store from "./firmware.store.ts";
import { firmwareTrail, toFirmware } from "./firmware.wire.ts";
import { signPackage } from "./manifest.service.ts";
import { dropPackage, keepPackage, type StoredPackage } from "./package.service.ts";
import { semverKey } from "./semver.ts";

type Fields = Record<string, string>;
/** Reads the form of a request; `take` gets the file's bytes and the fields that stood before it. */
export type FirmwareForm = (
  take: (bytes: AsyncIterable<Buffer>, before: Fields) => Promise<StoredPackage | null>,
) => Promise<{ fields: Fields; file: StoredPackage | null }>;

/** Stores the file and then, with one commit, the firmware (spec 3 §7); 103, 303, 109 before a byte is kept if they can be known. */
export async function createFirmware(ctx: Context, caller: Caller, form: FirmwareForm): Promise<Firmware> {
  let kept: StoredPackage | null = null;
  try {
    const { fields, file } = await form(async (bytes, before) => {
      if (firmwareFields.every((name) => name in before || name === "objPerm")) {
        const wish = parseForm(before);
        const owner = await requireOwner(ctx.db, caller, wish);
        // A repeat finds its own firmware: it is told the first answer when its file is here.
        if (caller.request.idempotency === null) await requireUnused(ctx.db, wish, owner);
      }
      if (isEmptySet(createSet(caller, "artifact"))) return passBy(bytes);
      return (kept = await keepPackage(ctx, bytes));
    });
    const wish = parseForm(fields);
    if (file === null) {
      await requireOwner(ctx.db, caller, wish);
      throw new AppError(303);
    }
    if (file.size === 0) throw new AppError(102, { field: "file", message: "The file is empty" });
    bindKeyTo(caller, fields, file);
    return await write(ctx, caller, async (w) => insert(ctx, caller, w, wish, file));
  } catch (error) {
    // An end of another kind may have been a commit whose answer got lost: then the sweep decides.
    if (kept !== null && (error instanceof AppError || error instanceof ReplayedReply)) await dropPackage(ctx, kept);
    throw error;
  }
}

/** Bytes of somebody who may make firmware for nobody: they are not kept until the fields behind them have come. */
async function passBy(bytes: AsyncIterable<Buffer>): Promise<null> {
  for await (const _ of bytes);
  return null;
}

function parseForm(fields: Fields): NewFirmware {
  const { objPerm, ...rest } = fields;
  const parsed = newFirmwareSchema.safeParse(
    { ...rest, ...(objPerm === undefined ? {} : { objPerm: parseJson(objPerm) }) },
    { reportInput: true },
  );
  if (parsed.success) return parsed.data;
  const { code, field, message } = faultOf(parsed.error);
  throw new AppError(isServerErrorCode(code) ? code : 102, { field, message });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError(102, { field: "objPerm", message: "Not valid JSON" });
  }
}

async function requireOwner(reader: Reader, caller: Caller, wish: NewFirmware): Promise<PlacedOwner> {
  const owner = await requireNewOwner(reader, caller, wish.owner);
  if (!canCreateFor(caller, "artifact", owner)) throw new AppError(303);
  return owner;
}

async function requireUnused(reader: Reader, wish: NewFirmware, owner: PlacedOwner): Promise<void> {
  if (await store.isVersionTaken(reader, owner.id, wish.type, wish.name)) throw new AppError(109);
}

/** A repeat under the same key must bring the same form and the same file. */
function bindKeyTo(caller: Caller, fields: Fields, file: StoredPackage): void {
  if (caller.request.idempotency === null) return;
  const told = JSON.stringify([firmwareFields.map((name) => fields[name] ?? null), file.sha256]);
  const hash = createHash("sha256").update("POST /api/artifact\n").update(told).digest();
  caller.request.idempotency = { key: caller.request.idempotency.key, hash };
}

async function insert(
  ctx: Context,
  caller: Caller,
  w: Write,
  wish: NewFirmware,
  { id: packageId, size, md5, sha256 }: StoredPackage,
): Promise<Firmware> {
  const owner = await requireOwner(w.tx, caller, wish);
  const seq = await store.nextSeq(w.tx, wish.type, wish.name);
  if (seq === null) throw new AppError(102, { field: "name", message: "There is no room between its neighbours" });
  const row = await onDuplicate("firmware_name", 109, () =>
    w.tx
      .insertInto("firmware")
      .values({
        id: uuidv7(ctx.clock.now()),
        owner_id: owner.id,
        owner_path: owner.path,
        type: wish.type,
        name: wish.name,
        precedence: semverKey(wish.name),
        seq,
        children_can_view: wish.objPerm?.childrenCanViewObject ?? false,
        package_id: packageId,
        size: String(size),
        md5,
        sha256,
        signature: signPackage(ctx.config.secrets.firmware, { type: wish.type, size, sha256, md5 }),
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  w.audit({
    action: "create",
    object: { type: "artifact", _id: row.id },
    owner,
    after: { ...firmwareTrail(row), size, sha256 },
  });
  w.announce({
    name: "entityChanged",
    event: { type: "artifact", op: "create", id: row.id, ownerBefore: null, ownerAfter: owner.id },
  });
  const seen = await store.findFirmware(w.tx, caller, row.id);
  // Who may create but not view gets the id alone.
  return seen ? toFirmware(ctx, seen) : ({ _id: row.id } as Firmware);
}
