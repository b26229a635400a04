// Creates firmware from a form. Checks rights and rules when the firmware is stored, and also before the file is read if the fields
// precede the file.
import { createHash } from "node:crypto";
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import {
  type Firmware,
  firmwareFormFields,
  type NewFirmware,
  newFirmwareSchema,
} from "@psp/contract/firmware/firmware.ts";
import { toInputError } from "@psp/contract/kit/safe-text.ts";
import { canCreateFor, resolveCreateScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { type OwnerWithPath, requireNewOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import { requireSession } from "../credential/session.service.ts";
import type { Caller, LongCall } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { onDuplicate, ReplayedReply, write, type UnitOfWork } from "../db/write.ts";
import { toOwnedResponse, createOwned } from "../owned/change.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { firmwareNoun } from "./firmware.noun.ts";
import { firmwareReasons } from "./firmware.reasons.ts";
import * as store from "./firmware.store.ts";
import { signPackage } from "./manifest.service.ts";
import { tryRemovePackage, storePackage, type StoredPackage } from "./package/package.service.ts";
import { semverKey } from "@psp/contract/firmware/semver.ts";

type Fields = Record<string, string>;
/** Parses the form; `take` gets the file's bytes and the fields before it. */
export type FirmwareForm = (
  take: (bytes: AsyncIterable<Buffer>, before: Fields) => Promise<StoredPackage | null>,
) => Promise<{ fields: Fields; file: StoredPackage | null }>;

export function canCreateFirmware(caller: Caller): boolean {
  return !isEmptySet(resolveCreateScope(caller, "artifact"));
}

/**
 * Stores the file and then, in one transaction, the firmware. Throws 103, 303 and 109. If the fields precede the file, it throws before
 * it stores any bytes.
 */
export async function createFirmware(ctx: Context, { caller, reliesOn }: LongCall, form: FirmwareForm) {
  let kept: StoredPackage | null = null;
  // Callers without the right are refused later, once the fields have arrived.
  if (canCreateFirmware(caller))
    reliesOn((now) => {
      if (!canCreateFirmware(now)) throw new AppError(errorCode.noCreate);
    });
  try {
    const { fields, file } = await form(async (bytes, before) => {
      if (firmwareFormFields.every((name) => name in before || name === "objPerm")) {
        const draft = parseForm(before);
        const owner = await requireOwner(ctx.db, caller, draft);
        reliesOn((now) => requireOwner(ctx.db, now, draft));
        // The version of a repeated call is already taken by its first run. It gets the stored response after its file has arrived.
        if (caller.request.idempotency === null) await requireUnused(ctx.db, draft, owner);
      }
      if (!canCreateFirmware(caller)) return passBy(bytes);
      return (kept = await storePackage(ctx, bytes));
    });
    const draft = parseForm(fields);
    if (file === null) {
      const owner = await requireOwner(ctx.db, caller, draft);
      throw new AppError(errorCode.noCreate, firmwareReasons.create(caller, owner));
    }
    if (file.size === 0) throw new AppError(errorCode.invalidArgument, { field: "file", ...firmwareReasons.emptyFile });
    bindKeyTo(caller, fields, file);
    return await write(ctx, caller, async (w) => insert(ctx, await asOfNow(ctx, w, caller), w, draft, file));
  } catch (error) {
    // After any other error the commit may have succeeded; if not, the sweep deletes the package.
    if (kept !== null && (error instanceof AppError || error instanceof ReplayedReply))
      await tryRemovePackage(ctx, kept);
    throw error;
  }
}

/** An upload may take hours, so the rights are read again at the commit. */
async function asOfNow(ctx: Context, w: UnitOfWork, caller: Caller): Promise<Caller> {
  await lockRights(w.tx, "use");
  await requireSession(ctx, w.tx, caller);
  return reloadCaller(w.tx, caller);
}

/** Discards the file of a caller who may not create firmware, so that the fields after the file can be read. */
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
  const { code, field, message } = toInputError(parsed.error);
  throw new AppError(isServerErrorCode(code) ? code : errorCode.invalidArgument, { field, reason: message });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError(errorCode.invalidArgument, { field: "objPerm", reason: "Not valid JSON" });
  }
}

async function requireOwner(reader: Reader, caller: Caller, draft: NewFirmware): Promise<OwnerWithPath> {
  const owner = await requireNewOwner(reader, caller, draft.owner);
  if (!canCreateFor(caller, "artifact", owner))
    throw new AppError(errorCode.noCreate, firmwareReasons.create(caller, owner));
  return owner;
}

async function requireUnused(reader: Reader, draft: NewFirmware, owner: OwnerWithPath): Promise<void> {
  if (await store.isVersionTaken(reader, owner.id, draft.type, draft.name))
    throw new AppError(errorCode.nameUsed, firmwareReasons.versionTaken(draft.type, draft.name));
}

/** A repeated call with the same idempotency key must have the same fields and file. */
function bindKeyTo(caller: Caller, fields: Fields, file: StoredPackage): void {
  if (caller.request.idempotency === null) return;
  const identity = JSON.stringify([firmwareFormFields.map((name) => fields[name] ?? null), file.sha256]);
  const hash = createHash("sha256").update("POST /api/artifact\n").update(identity).digest();
  caller.request.idempotency = { key: caller.request.idempotency.key, hash };
}

async function insert(
  ctx: Context,
  caller: Caller,
  w: UnitOfWork,
  draft: NewFirmware,
  { id: packageId, size, md5, sha256 }: StoredPackage,
): Promise<Firmware> {
  const owner = await requireOwner(w.tx, caller, draft);
  const seq = await store.assignSeq(w.tx, owner, draft.type, draft.name);
  if (seq === null) throw new AppError(errorCode.invalidArgument, { field: "name", ...firmwareReasons.noRoom });
  const { type, name, objPerm } = draft;
  const columns = {
    id: uuidv7(ctx.clock.now()),
    type,
    name,
    precedence: semverKey(name),
    seq,
    children_can_view: objPerm?.childrenCanViewObject ?? false,
    package_id: packageId,
    size: String(size),
    md5,
    sha256,
    signature: signPackage(ctx.config.secrets.firmware, { type, size, sha256, md5 }),
  };
  const row = await onDuplicate("firmware_name", [errorCode.nameUsed, firmwareReasons.versionTaken(type, name)], () =>
    createOwned(ctx, w, firmwareNoun, owner, columns, { size, sha256 }),
  );
  // A caller who may create but not view gets only the id.
  return (await toOwnedResponse(ctx, w.tx, firmwareNoun, caller, row.id)) as Firmware;
}
