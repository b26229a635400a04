// Use cases about init tokens: right, rule, transaction, announcement. Their secret is kept encrypted, shown to editors only, and each showing leaves a trace.
import { createHash, randomBytes } from "node:crypto";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import type * as calls from "@psp/contract/init-token/init-token.api.ts";
import type { InitToken, InitTokenChange } from "@psp/contract/init-token/init-token.ts";
import { canChangeOwner, canCreateFor, canDelete, canEdit, canUseFirmware } from "@psp/contract/permission/can.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import { ownerOf, requireNewOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { arrayOrPage } from "../db/list.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { bumped, checkVersion, ReplayedReply, type Write, write } from "../db/write.ts";
import { firmwareReasons } from "../firmware/firmware.reasons.ts";
import { requireVisibleFirmware } from "../firmware/firmware.service.ts";
import { seal } from "../kit/sealing.ts";
import { initTokenReasons } from "./init-token.reasons.ts";
import * as store from "./init-token.store.ts";
import { initTokenTrail, revealed, sealedFor, toInitToken } from "./init-token.wire.ts";

type Row = store.InitTokenRow;

/** All that the caller may view, or the page asked for; an array, or objects with their total (decisions 3). */
export async function listInitTokens(
  ctx: Context,
  caller: Caller,
  query: Received<typeof calls.listInitTokens>["query"],
) {
  const { skip = 0, limit = null, includeTotals, includeDeleted, sortBy, sortDesc, ...filter } = query;
  const conditions = store.initTokenConditions(caller, filter, includeDeleted);
  const [rows, total] = await Promise.all([
    store.findInitTokenPage(ctx.db, caller, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? store.countInitTokens(ctx.db, conditions) : undefined,
  ]);
  return arrayOrPage(await shown(ctx, caller, rows), total);
}

/** One visible init token; what may not be seen is not there (105). */
export async function getInitToken(ctx: Context, caller: Caller, id: string): Promise<InitToken> {
  const row = await store.findInitToken(ctx.db, caller, id);
  const [token] = await shown(ctx, caller, row ? [row] : []);
  if (!token) throw new AppError(105);
  return token;
}

/** Throws 105 unless the caller sees the token; shows nothing of it. */
export async function requireVisible(ctx: Context, caller: Caller, id: string): Promise<void> {
  if (!(await store.findInitToken(ctx.db, caller, id))) throw new AppError(105);
}

/** Known by its prefix wherever it turns up, and never taken for an option of a command line. */
function newInitToken(): string {
  return `psi_${randomBytes(32).toString("base64url")}`;
}

/** Makes a token of 256 random bits; its value is in the answer. */
export async function createInitToken(
  ctx: Context,
  caller: Caller,
  input: Received<typeof calls.createInitToken>["body"],
): Promise<InitToken | IdReply> {
  const made = await unlessRepeated(() =>
    write(ctx, caller, async (w) => {
      const owner = await requireNewOwner(w.tx, caller, input.owner);
      const firmware = input.artifact ? await requireVisibleFirmware(w.tx, caller, input.artifact) : null;
      if (!canCreateFor(caller, "sensor", owner)) throw new AppError(303, initTokenReasons.create(caller, owner));
      if (firmware && !canUseFirmware(caller, firmware)) throw new AppError(309, firmwareReasons.use(caller, firmware));
      const id = uuidv7(ctx.clock.now());
      const value = newInitToken();
      const row = await w.tx
        .insertInto("init_token")
        .values({
          id,
          owner_id: owner.id,
          owner_path: owner.path,
          name: input.name,
          firmware_id: firmware?.id ?? null,
          token_hash: hashOf(value),
          token_sealed: seal(ctx.config, sealedFor(id), value),
          created_at: ctx.clock.date(),
          updated_at: ctx.clock.date(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      w.audit({ action: "create", object: { type: "init-token", _id: id }, owner, after: initTokenTrail(row) });
      w.announce({
        name: "entityChanged",
        event: { type: "init-token", op: "create", id, ownerBefore: null, ownerAfter: owner.id },
      });
      return withoutSecret(ctx, w.tx, caller, id);
    }),
  );
  const sealed = await store.findSealed(ctx.db, made._id);
  return sealed ? { ...made, token: revealed(ctx, sealed) } : made;
}

/** Changes name, owner or firmware; omitted fields stay, an empty firmware clears (decisions 13). */
export async function updateInitToken(
  ctx: Context,
  caller: Caller,
  id: string,
  change: InitTokenChange,
): Promise<InitToken | IdReply> {
  const changed = await unlessRepeated(() =>
    write(ctx, caller, async (w) => {
      const token = await store.lockInitToken(w.tx, caller, id);
      if (!token) throw new AppError(105);
      const from = await ownerOf(w.tx, token.owner_id);
      if (!canEdit(caller, "sensor", from)) throw new AppError(305, initTokenReasons.edit(caller, from));
      const { owner, artifact } = change;
      const to = owner !== undefined && owner !== from.id ? await requireNewOwner(w.tx, caller, owner) : null;
      const firmware =
        artifact && artifact !== token.firmware_id ? await requireVisibleFirmware(w.tx, caller, artifact) : null;
      if (to && !canChangeOwner(caller, "sensor", from, to))
        throw new AppError(302, initTokenReasons.handOver(caller, from, to));
      if (firmware && !canUseFirmware(caller, firmware)) throw new AppError(309, firmwareReasons.use(caller, firmware));
      checkVersion(caller, token.version);
      const after = await w.tx
        .updateTable("init_token")
        .set({
          ...bumped(ctx),
          ...(change.name !== undefined ? { name: change.name } : {}),
          ...(to ? { owner_id: to.id, owner_path: to.path } : {}),
          ...(artifact !== undefined ? { firmware_id: artifact } : {}),
        })
        .where("id", "=", token.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      w.audit({
        action: "update",
        object: { type: "init-token", _id: after.id },
        owner: { id: after.owner_id, path: after.owner_path },
        before: initTokenTrail(token),
        after: initTokenTrail(after),
      });
      w.announce({
        name: "entityChanged",
        event: { type: "init-token", op: "update", id: after.id, ownerBefore: from.id, ownerAfter: after.owner_id },
      });
      return withoutSecret(ctx, w.tx, caller, after.id);
    }),
  );
  const row = await store.findInitToken(ctx.db, caller, changed._id);
  if (!row?.may_edit) return changed;
  await traceReading(ctx, caller, [row]);
  return { ...changed, token: revealed(ctx, row) };
}

/** Revokes a token: nobody enrols with it any more; sensors that came by it stay. */
export async function deleteInitToken(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    const token = await store.lockInitToken(w.tx, caller, id);
    if (!token) throw new AppError(105);
    const owner = await ownerOf(w.tx, token.owner_id);
    if (!canDelete(caller, "sensor", owner)) throw new AppError(304, initTokenReasons.remove(caller, owner));
    checkVersion(caller, token.version);
    await w.tx
      .updateTable("init_token")
      .set({ ...bumped(ctx), is_deleted: true })
      .where("id", "=", token.id)
      .execute();
    w.audit({ action: "delete", object: { type: "init-token", _id: token.id }, owner, before: initTokenTrail(token) });
    w.announce({
      name: "entityChanged",
      event: { type: "init-token", op: "delete", id: token.id, ownerBefore: owner.id, ownerAfter: owner.id },
    });
    return { _id: token.id };
  });
}

function hashOf(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}

/** Rows for the caller, with the secret where they may edit; that they saw it is on record before they see it. */
async function shown(ctx: Context, caller: Caller, rows: Row[]): Promise<InitToken[]> {
  const readable = rows.filter((row) => row.may_edit && !row.is_deleted);
  if (readable.length > 0) await traceReading(ctx, caller, readable);
  return rows.map((row) => {
    const token = toInitToken(ctx, row);
    return readable.includes(row) ? { ...token, token: revealed(ctx, row) } : token;
  });
}

async function traceReading(ctx: Context, caller: Caller, rows: Row[]): Promise<void> {
  // A reading is not the write that a repeated call must not do twice.
  const reader: Caller = { ...caller, request: { ...caller.request, idempotency: null } };
  await write(ctx, reader, async (w: Write) => {
    for (const row of rows) {
      w.audit({
        action: "readToken",
        object: { type: "init-token", _id: row.id },
        owner: { id: row.owner_id, path: row.owner_path },
      });
    }
  });
}

/** The answer as it may be kept with an idempotency key: the secret is never stored readable. */
async function withoutSecret(ctx: Context, tx: Tx, caller: Caller, id: string): Promise<InitToken | IdReply> {
  const row = await store.findInitToken(tx, caller, id);
  return row ? toInitToken(ctx, row) : { _id: id };
}

/** A repeated call goes on with the answer of the first, so that the secret can be added to both. */
async function unlessRepeated(work: () => Promise<InitToken | IdReply>): Promise<InitToken | IdReply> {
  return work().catch((error: unknown) => {
    if (error instanceof ReplayedReply) return error.reply as InitToken;
    throw error;
  });
}
