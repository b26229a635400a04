// Runs a write as one unit: rows, audit rows, idempotency key and events commit together or not at all.
import { createHmac } from "node:crypto";
import { errorCode, type ServerErrorCode } from "@psp/contract/errors.ts";
import { sql } from "kysely";
import { AppError } from "../kit/app-error.ts";
import type { Announcement } from "../kit/bus.ts";
import type { Clock } from "../kit/clock.ts";
import type { AuditRow } from "./bus/announcement.store.ts";
import type { Announcements } from "./bus/announcements.ts";
import { type Database, isDeadlock, isUniqueViolation, type Reader, type Tx } from "./database.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { toJsonb, toJsonbOrNull } from "./storable.ts";

export type WriteContext = {
  db: Database;
  announcements: Pick<Announcements, "append" | "committed">;
  clock: Clock;
  config: { secrets: { session: string } };
};

export type AuditEntry = {
  /** Required if the row is amended later with `amendAudit`. */
  id?: string;
  action: string;
  object: { type: string; _id: string };
  owner?: { id: string; path: string } | null;
  before?: unknown;
  after?: unknown;
  /** Set if readers of this row must not learn who did it. */
  anonymous?: true;
  /** When it happened, if the row is written later. */
  at?: Date;
};

export type UnitOfWork = {
  tx: Tx;
  /** Reaches all processes if the transaction commits. */
  announce: Announce;
  /** Adds an audit row (docs/rules/api.md#audit-log). */
  audit(entry: AuditEntry): void;
};

export type Announce = (item: Announcement) => void;

/**
 * Runs a transaction. What it announces reaches all processes exactly if it commits, also if this process is killed then. `audited`
 * returns its audit rows when the work is done.
 */
export async function announcing<T>(
  { db, announcements }: Pick<WriteContext, "db" | "announcements">,
  work: (tx: Tx, announce: Announce) => Promise<T>,
  audited: () => readonly AuditRow[] = () => [],
): Promise<T> {
  const announced: Announcement[] = [];
  const result = await db.transaction().execute(async (tx) => {
    const value = await work(tx, (item) => void announced.push(item));
    await announcements.append(tx, announced, audited());
    return value;
  });
  announcements.committed(announced);
  return result;
}

/** Announces something that no transaction of its own causes. */
export async function announceAll(
  ctx: Pick<WriteContext, "db" | "announcements">,
  items: readonly Announcement[],
): Promise<void> {
  if (items.length > 0) await announcing(ctx, async (_tx, announce) => items.forEach(announce));
}

/** Thrown with the stored response of an earlier call with the same idempotency key. */
export class ReplayedReply {
  readonly reply: unknown;
  constructor(reply: unknown) {
    this.reply = reply;
  }
}

/**
 * Like `write`, but stores no response, because it holds a secret or is worthless later: a repeat with the same idempotency key gets
 * 409 (102) with this reason.
 */
export async function writeOnceOnly<T>(
  ctx: WriteContext,
  initiator: Initiator,
  reason: string,
  work: (w: UnitOfWork) => Promise<T>,
): Promise<T> {
  try {
    return await write(ctx, initiator, work, () => null);
  } catch (error) {
    if (!(error instanceof ReplayedReply)) throw error;
    throw new AppError(errorCode.invalidArgument, { field: "Idempotency-Key", reason }, { status: 409 });
  }
}

/** A caller, or the name under which the server itself (enrollment, jobs) appears in the audit log. */
export type Initiator = Caller | { system: string };

/**
 * Runs `work` in a transaction and returns its result as the response. If an idempotency key was sent, stores `toStored(result)`, which
 * a repeat of the request throws as ReplayedReply. A concurrent repeat waits for the first request.
 */
export async function write<T>(
  ctx: WriteContext,
  initiator: Initiator,
  work: (w: UnitOfWork) => Promise<T>,
  toStored: (result: T) => unknown = (result) => result,
): Promise<T> {
  // PostgreSQL cancels one of two deadlocked writers. That one is retried.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeOnce(ctx, initiator, work, toStored);
    } catch (error) {
      if (!isDeadlock(error) || attempt === maxAttempts) throw error;
    }
  }
}

const maxAttempts = 3;

async function writeOnce<T>(
  ctx: WriteContext,
  initiator: Initiator,
  work: (w: UnitOfWork) => Promise<T>,
  toStored: (result: T) => unknown,
): Promise<T> {
  const entries: AuditEntry[] = [];
  const caller = "system" in initiator ? null : initiator;
  const key = caller?.request.idempotency;
  async function changeOnce(tx: Tx, announce: Announce): Promise<T> {
    if (caller && key) await reserveKey(ctx, tx, caller.id, key);
    const value = await work({
      tx,
      announce: (item) => announce(caller ? withAuthor(item, caller.id) : item),
      audit: (entry) => void entries.push(entry),
    });
    if (caller && key) {
      await tx
        .updateTable("idempotency")
        .set({ reply: toJsonb(toStored(value) ?? null) })
        .where("account_id", "=", caller.id)
        .where("key", "=", key.key)
        .execute();
    }
    return value;
  }
  return announcing(ctx, changeOnce, () => toAuditRows(ctx, initiator, entries));
}

function withAuthor(item: Announcement, by: string): Announcement {
  return item.name === "entityChanged" ? { ...item, event: { ...item.event, by } } : item;
}

/** Keyed, because a plain digest of a request with a password could be guessed a million times faster than a password hash. */
function hmacOf(ctx: WriteContext, hash: Buffer): Buffer {
  return createHmac("sha256", ctx.config.secrets.session).update("psp idempotency v1\0").update(hash).digest();
}

type Key = { key: string; hash: Buffer };

async function reserveKey(ctx: WriteContext, tx: Tx, accountId: string, { key, hash }: Key) {
  const inserted = await tx
    .insertInto("idempotency")
    .values({ account_id: accountId, key, request_hash: hmacOf(ctx, hash), created_at: ctx.clock.date() })
    // A concurrent repeat waits here until the first commits, then finds its row.
    .onConflict((conflict) => conflict.columns(["account_id", "key"]).doNothing())
    .returning("key")
    .executeTakeFirst();
  if (inserted) return;
  if (!(await replayKey(ctx, tx, accountId, { key, hash })))
    throw new AppError(errorCode.invalidArgument, { reason: "This idempotency key is in use" }, { status: 409 });
}

/** Returns false if nothing is stored under the key. Otherwise throws the stored response, or 409 if it belongs to another request. */
async function replayKey(ctx: WriteContext, reader: Reader, accountId: string, { key, hash }: Key) {
  const kept = await reader
    .selectFrom("idempotency")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("key", "=", key)
    // A key without a response was stored without its change (ADR 0014, "Round trips").
    .where("reply", "is not", null)
    .executeTakeFirst();
  if (!kept) return false;
  if (!kept.request_hash.equals(hmacOf(ctx, hash))) {
    const reason = "This idempotency key was used for another request";
    throw new AppError(errorCode.invalidArgument, { field: "Idempotency-Key", reason }, { status: 409 });
  }
  throw new ReplayedReply(kept.reply);
}

export async function deleteIdempotencyKeys(db: Database, until: Date): Promise<void> {
  await db.deleteFrom("idempotency").where("created_at", "<=", until).execute();
}

/**
 * Throws the stored response if this request is a repeat and the first one has finished. Call it before checks or long work that come
 * before `write`.
 */
export async function requireFreshKey(ctx: WriteContext, caller: Caller): Promise<void> {
  if (caller.request.idempotency) await replayKey(ctx, ctx.db, caller.id, caller.request.idempotency);
}

/** Runs the checks before `write`, so that refused calls lock nothing. A call that passes is checked again under the lock. */
export async function checkBeforeWrite(
  ctx: WriteContext,
  caller: Caller,
  judge: () => Promise<unknown>,
): Promise<void> {
  try {
    await judge();
  } catch (error) {
    // In a repeated request, the checks may fail because the first request already made the change.
    await requireFreshKey(ctx, caller);
    throw error;
  }
}

function toAuditRows(ctx: WriteContext, initiator: Initiator, entries: readonly AuditEntry[]): AuditRow[] {
  const now = ctx.clock.date();
  const who = "system" in initiator ? null : initiator.id;
  const requestId = "system" in initiator ? initiator.system : initiator.request.id;
  return entries.map(({ at = now, id = uuidv7(at.getTime()), ...entry }) => ({
    id,
    at,
    account_id: entry.anonymous ? null : who,
    request_id: requestId,
    action: entry.action,
    object_type: entry.object.type,
    object_id: entry.object._id,
    owner_id: entry.owner?.id ?? null,
    owner_path: entry.owner?.path ?? null,
    before: toJsonbOrNull(entry.before),
    after: toJsonbOrNull(entry.after),
  }));
}

/** Adds the outcome to an audit row that was written before an RPC call to a device. Only the initiator of the row may call it. */
export async function amendAudit(db: Database, id: string, { action, after }: Pick<AuditEntry, "action" | "after">) {
  await db
    .updateTable("audit")
    .set({ action, after: toJsonbOrNull(after) })
    .where("id", "=", id)
    .execute();
}

/** Throws 412 if the caller sent If-Match with another version. */
export function checkVersion(caller: Caller, version: number): void {
  const known = caller.request.ifMatch;
  if (known !== null && known !== version) {
    const reason = `It was changed in the meantime. Its version is now ${version}.`;
    throw new AppError(errorCode.invalidArgument, { field: "If-Match", version, reason }, { status: 412 });
  }
}

/** Maps a violation of the unique index to an error code. Rethrows other errors. */
export async function onDuplicate<T>(
  index: string,
  refusal: ServerErrorCode | [ServerErrorCode, { reason: string }],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, index))
      throw typeof refusal === "number" ? new AppError(refusal) : new AppError(...refusal);
    throw error;
  }
}

export function bumpVersion(ctx: { clock: Clock }) {
  return { version: sql<number>`version + 1`, updated_at: ctx.clock.date() };
}
