// Changing or deleting many sensors: chosen once, then part by part, each part with its progress in one transaction (ADR 0015).
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import type { SensorBatchChanges, SensorBatchRun, SensorBatchTarget } from "@psp/contract/sensor/sensor.batch.api.ts";
import { AppError, tooMany } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { Reader } from "../../db/database.ts";
import { type Write, write } from "../../db/write.ts";
import { orReplayed } from "../../owned/change.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { refreshed } from "../../role/rights.service.ts";
import { changePart, requireTarget } from "./batch-part.service.ts";
import { changedCode, nothingWaitsCode, tooManyGroupsCode } from "../change/verdict.store.ts";
import { explainFailures } from "./batch.reasons.ts";
import * as store from "./batch.store.ts";
import { sensorReasons } from "../sensor.reasons.ts";
import { sensorConditions } from "../sensor.store.ts";

/** Sensors per transaction: long enough to be fast, short enough that no one waits a second for their locks. */
const partSize = 5_000;
/** Parts at work at the same time in this process; everything else goes on over the other connections. */
const atOnce = 2;

/** Batches that one account may have unfinished at a time (ADR 0012). */
const maxRunning = 10;
const retryAfterS = 10;

/**
 * Changes sensors, or deletes them if no changes are named; returns when all had their turn. 503 when the server stops
 * before the end: the next process resumes the batch.
 */
export async function runBatch(
  ctx: Context,
  caller: Caller,
  { changes, ...target }: SensorBatchTarget & { changes?: SensorBatchChanges },
  closing: AbortSignal,
): Promise<BatchReply> {
  const id = await begin(ctx, caller, target, changes ?? null);
  if (!(await finish(ctx, id, closing))) {
    const reason = "The server is stopping: the batch goes on when it is back";
    throw new AppError(
      errorCode.internalError,
      { reason, batch: id },
      { status: 503, headers: { "retry-after": "10" } },
    );
  }
  return { success: await store.countSuccesses(ctx.db, id), fail: await failuresOf(ctx, caller, id, changes ?? {}) };
}

/**
 * Chooses the sensors and notes the batch. A repeat under the same idempotency key gets the same batch, finished or
 * not, and helps with what is left of it.
 */
async function begin(
  ctx: Context,
  caller: Caller,
  target: SensorBatchTarget,
  changes: SensorBatchChanges | null,
): Promise<string> {
  // Before anything that may wait: a change of a sensor from now on comes after the batch was requested.
  const mark = await store.drawMark(ctx.db);
  const work = async (w: Write) => {
    if ((await store.countRunning(w.tx, caller.id)) >= maxRunning) throw tooMany(retryAfterS);
    if (changes) await requireTarget(w.tx, caller, changes);
    const batch = {
      id: uuidv7(ctx.clock.now()),
      account_id: caller.id,
      request_id: caller.request.id,
      key: caller.request.idempotency?.key ?? null,
      kind: changes ? ("update" as const) : ("delete" as const),
      changes,
      asked_mark: mark,
      at: ctx.clock.date(),
    };
    const count = await store.insertBatch(w.tx, batch, chosenBy(ctx, caller, target));
    const details = { field: "expectedCount", count, ...sensorReasons.selectionChanged(count) };
    if (target.expectedCount !== undefined && target.expectedCount !== count)
      throw new AppError(errorCode.invalidArgument, details, { status: 409 });
    return { batch: batch.id };
  };
  return (await orReplayed(write(ctx, caller, work))).batch;
}

function chosenBy(ctx: Context, caller: Caller, { sensorIDs, sensorQuery = {} }: SensorBatchTarget): store.Chosen {
  if (sensorIDs) return { ids: [...new Set(sensorIDs)] };
  const { exclude = [], ...filter } = sensorQuery;
  const { connectionTimeoutHours: timeoutHours } = ctx.config;
  const where = sensorConditions(caller, filter, { now: ctx.clock.date(), timeoutHours });
  return { where: exclude.length === 0 ? where : [...where, store.notOneOf(exclude)] };
}

/** Works until nothing is left, no matter who else is at it; false when it had to stop before. */
async function finish(ctx: Context, id: string, closing?: AbortSignal): Promise<boolean> {
  while (await inTurn(() => nextPart(ctx, id))) if (closing?.aborted) return false;
  return true;
}

/** Does one part; false when the batch is finished. */
async function nextPart(ctx: Context, id: string): Promise<boolean> {
  return write(ctx, { system: `batch ${id}` }, async (w) => {
    const part = await store.lockNextPart(w.tx, id, partSize);
    if (!part || part.is_finished) return false;
    const at = ctx.clock.date();
    if (part.is_canceled) {
      await store.failTheRest(w.tx, id, at, store.canceledCode);
      return false;
    }
    const caller = await starterOf(w, part);
    if (!caller) {
      await store.failTheRest(w.tx, id, at, errorCode.unauthorized);
      return false;
    }
    const failures = await changePart(ctx, w, caller, part);
    await store.noteProgress(w.tx, id, at, { count: part.ids.length, failures });
    return part.done + part.ids.length < part.total;
  });
}

/** Who started the batch, with the rights of this moment; null when the account is gone. */
async function starterOf(w: Write, part: store.Part): Promise<Caller | null> {
  const noUser = { path: "", parentAccounts: [], roleId: null, permissions: null, name: "", email: "" };
  const request = { id: part.request_id, idempotency: null, ifMatch: null };
  try {
    return await refreshed(w.tx, { ...noUser, id: part.account_id, sessionId: "", credentialId: "", request });
  } catch (error) {
    if (error instanceof AppError && error.code === errorCode.unauthorized) return null;
    throw error;
  }
}

/** Batches take turns part by part, so that a small one does not wait for a big one's end. */
const inTurn = pLimit(atOnce);

/** The caller's batches of the last day. */
export async function listBatches(ctx: Context, caller: Caller, key: string | undefined): Promise<SensorBatchRun[]> {
  return (await store.findBatches(ctx.db, caller.id, { key })).map(toRun);
}

export async function getBatch(ctx: Context, caller: Caller, id: string) {
  const row = await requireBatch(ctx.db, caller, id);
  return { ...toRun(row), fail: await failuresOf(ctx, caller, id, row.changes ?? {}) };
}

/** Ends a batch after the part at hand, on the record; one that is finished stays as it is. */
export async function cancelBatch(ctx: Context, caller: Caller, id: string): Promise<SensorBatchRun> {
  return write(ctx, caller, async (w) => {
    const before = await requireBatch(w.tx, caller, id);
    if (await store.cancelBatch(w.tx, id, ctx.clock.date()))
      w.audit({
        action: "cancel",
        object: { type: "sensor-batch", _id: id },
        owner: { id: caller.id, path: caller.path },
        after: { kind: before.kind, changes: before.changes, total: before.total, requestId: before.request_id },
      });
    return toRun(await requireBatch(w.tx, caller, id));
  });
}

async function requireBatch(reader: Reader, caller: Caller, id: string): Promise<store.BatchRow> {
  const [row] = await store.findBatches(reader, caller.id, { id });
  if (!row) throw new AppError(errorCode.notFound);
  return row;
}

async function failuresOf(ctx: Context, caller: Caller, id: string, changes: SensorBatchChanges) {
  const failures = await store.findFailures(ctx.db, caller, id);
  const explain = await explainFailures(ctx, caller, changes, failures);
  return failures.map((one) => {
    const details = explain(one);
    return { id: one.id, errMessage: sentenceOf(one.code), ...(details ? { details } : {}) };
  });
}

function sentenceOf(code: number): string {
  if (code === store.canceledCode) return "Canceled.";
  if (code === changedCode) return "Changed meanwhile.";
  const isInvalid = code === tooManyGroupsCode || code === nothingWaitsCode;
  return errorEntry((isInvalid ? errorCode.invalidArgument : code) as ServerErrorCode).message;
}

function toRun(row: store.BatchRow): SensorBatchRun {
  return {
    _id: row.id,
    key: row.key,
    kind: row.kind,
    changes: row.changes,
    total: row.total,
    done: row.done,
    success: row.success,
    startedAt: row.started_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    isCanceled: row.canceled_at !== null,
  };
}

/** Finishes what a process left behind when it ended in the middle of it. */
export async function finishLeftBatches(ctx: Context, idleMs: number, closing?: AbortSignal): Promise<void> {
  const left = await store.findLeftBatches(ctx.db, new Date(ctx.clock.now() - idleMs));
  for (const { id } of left) {
    if (closing?.aborted) return;
    // One that can't be finished must not keep the others waiting.
    await finish(ctx, id, closing).catch((error: unknown) =>
      ctx.log.error({ err: error, batch: id }, "a batch could not be finished yet"),
    );
  }
}
