// Use cases of init tokens; each checks rights and rules, writes in a transaction and publishes. Secrets are stored encrypted and
// shown to editors only, with an audit row.
import { createHash, randomBytes } from "node:crypto";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type * as calls from "@psp/contract/init-token/init-token.api.ts";
import type { InitToken, InitTokenChange } from "@psp/contract/init-token/init-token.ts";
import { canUseFirmware } from "@psp/contract/permission/can.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { readArrayOrPage, countRows } from "../db/list.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { write } from "../db/write.ts";
import { firmwareReasons } from "../firmware/firmware.reasons.ts";
import { requireVisibleFirmware, type VisibleFirmware } from "../firmware/firmware.service.ts";
import { seal } from "../kit/sealing.ts";
import {
  toOwnedResponse,
  changeOwned,
  createOwned,
  checkCreate,
  lockForChange,
  resolveReplay,
} from "../owned/change.ts";
import { initTokens } from "./init-token.noun.ts";
import * as store from "./init-token.store.ts";
import { revealSecret, toSealPurpose, toInitToken } from "./init-token.wire.ts";

type Row = store.InitTokenRow;

export async function listInitTokens(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.listInitTokens>["query"],
) {
  const conditions = store.initTokenConditions(caller, query, query.includeDeleted);
  return readArrayOrPage(
    query,
    null,
    async (sort, part) => shown(ctx, caller, await store.findInitTokenPage(ctx.db, caller, conditions, sort, part)),
    () => countRows(ctx.db, "init_token", conditions),
  );
}

/** Throws 105 if the token is not visible. */
export async function getInitToken(ctx: Context, caller: Caller, id: string): Promise<InitToken> {
  const row = await store.findInitToken(ctx.db, caller, id);
  const [token] = await shown(ctx, caller, row ? [row] : []);
  if (!token) throw new AppError(errorCode.notFound);
  return token;
}

/** Throws 105 unless the token is visible. Does not reveal the secret, so it needs no audit row. */
export async function requireVisibleToken(ctx: Context, caller: Caller, id: string): Promise<void> {
  if (!(await store.findInitToken(ctx.db, caller, id))) throw new AppError(errorCode.notFound);
}

/** Creates a token of 256 random bits and returns it in the response. */
export async function createInitToken(
  ctx: Context,
  caller: Caller,
  input: HandlerInput<typeof calls.createInitToken>["body"],
) {
  // For a repeated call (same idempotency key), this is the stored response. It lacks the secret, which is added below in both cases.
  const made = await resolveReplay(
    write(ctx, caller, async (w) => {
      const { owner, refs: firmware } = await checkCreate(initTokens, w.tx, caller, input.owner, {
        refer: async () => (input.artifact ? requireVisibleFirmware(w.tx, caller, input.artifact) : null),
        demand: (_, firmware) => requireUsable(caller, firmware),
      });
      const id = uuidv7(ctx.clock.now());
      // The prefix makes tokens recognizable, and keeps them from starting with '-' like a command-line option.
      const value = `psi_${randomBytes(32).toString("base64url")}`;
      await createOwned(ctx, w, initTokens, owner, {
        id,
        name: input.name,
        firmware_id: firmware?.id ?? null,
        token_hash: createHash("sha256").update(value).digest(),
        token_sealed: seal(ctx.config, toSealPurpose(id), value),
      });
      return toOwnedResponse(ctx, w.tx, initTokens, caller, id);
    }),
  );
  const sealed = await store.findSealedValue(ctx.db, made._id);
  return sealed ? { ...made, token: revealSecret(ctx, sealed) } : made;
}

/** Omitted fields keep their values; `artifact: null` removes the firmware. */
export async function updateInitToken(ctx: Context, caller: Caller, id: string, change: InitTokenChange) {
  const changed = await resolveReplay(
    write(ctx, caller, async (w) => {
      const { artifact, name } = change;
      const judged = await lockForChange(initTokens, w.tx, caller, id, change, {
        refer: async (token) =>
          artifact && artifact !== token.firmware_id ? requireVisibleFirmware(w.tx, caller, artifact) : null,
        demand: (_, firmware) => requireUsable(caller, firmware),
      });
      await changeOwned(ctx, w, initTokens, judged, {
        ...(name !== undefined ? { name } : {}),
        ...(artifact !== undefined ? { firmware_id: artifact } : {}),
      });
      return toOwnedResponse(ctx, w.tx, initTokens, caller, id);
    }),
  );
  const row = await store.findInitToken(ctx.db, caller, changed._id);
  if (!row?.may_edit) return changed;
  await traceReading(ctx, caller, [row]);
  return { ...changed, token: revealSecret(ctx, row) };
}

function requireUsable(caller: Caller, firmware: VisibleFirmware | null): void {
  if (firmware && !canUseFirmware(caller, firmware))
    throw new AppError(errorCode.noUseFirmware, firmwareReasons.use(caller, firmware));
}

/** Adds the secret to rows that the caller may edit; each reveal is audited before the rows are returned. */
async function shown(ctx: Context, caller: Caller, rows: Row[]): Promise<InitToken[]> {
  const readable = rows.filter((row) => row.may_edit && !row.is_deleted);
  if (readable.length > 0) await traceReading(ctx, caller, readable);
  return rows.map((row) => {
    const token = toInitToken(ctx, row);
    return readable.includes(row) ? { ...token, token: revealSecret(ctx, row) } : token;
  });
}

async function traceReading(ctx: Context, caller: Caller, rows: Row[]): Promise<void> {
  // The idempotency key belongs to the caller's write, not to this audit entry.
  const reader: Caller = { ...caller, request: { ...caller.request, idempotency: null } };
  await write(ctx, reader, async (w) => {
    for (const row of rows) {
      const owner = { id: row.owner_id, path: row.owner_path };
      w.audit({ action: "readToken", object: { type: "init-token", _id: row.id }, owner });
    }
  });
}
