// Changes or deletes many sensors: selects them once, then works in parts, each with its progress in one transaction (ADR 0015).
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import type { SensorBatchChanges, SensorBatchRun, SensorBatchTarget } from "@psp/contract/sensor/sensor.batch.api.ts";
import { AppError, tooManyRequests } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { Reader } from "../../db/database.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { resolveReplay } from "../../owned/change.ts";
import { changedMeanwhile } from "../../owned/owned.reasons.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { reloadCaller } from "../../role/rights.service.ts";
import { changePart, requireReferences } from "./batch-part.service.ts";
import { changedSinceRequestCode, noPendingInstallCode, tooManyGroupsCode } from "../change/verdict.store.ts";
import { explainFailures } from "./batch.reasons.ts";
import * as store from "./batch.store.ts";
import { sensorReasons } from "../sensor.reasons.ts";
import { sensorConditions } from "../sensor.store.ts";

/** Sensors per transaction: enough to be fast, few enough that no one waits a second for their locks. */
const partSize = 5_000;
/** Concurrent batch parts per process. Kept below the pool size so that other queries are not starved. */
const atOnce = 2;

/** Unfinished batches per account (ADR 0012). */
const maxRunning = 10;
const retryAfterS = 10;

/**
 * Changes sensors, or deletes them if `changes` is missing. Returns when the batch is done. Throws 503 if the server
 * stops earlier; the next process then finishes the batch.
 */
export async function runBatch(
  ctx: Context,
  caller: Caller,
  { changes, ...target }: SensorBatchTarget & { changes?: SensorBatchChanges },
  closing: AbortSignal,
): Promise<BatchReply> {
  const id = await startBatch(ctx, caller, target, changes ?? null);
  if (!(await finishBatch(ctx, id, closing))) {
    const reason = "The server is restarting. The batch continues once it is back";
    throw new AppError(
      errorCode.internalError,
      { reason, batch: id },
      { status: 503, headers: { "retry-after": "10" } },
    );
  }
  return { success: await store.countSuccesses(ctx.db, id), fail: await failuresOf(ctx, caller, id, changes ?? {}) };
}

/** Selects the sensors and stores the batch. A repeat with the same idempotency key joins the existing batch. */
async function startBatch(
  ctx: Context,
  caller: Caller,
  target: SensorBatchTarget,
  changes: SensorBatchChanges | null,
): Promise<string> {
  // Drawn before any statement that may wait, so that later changes of a sensor count as newer than the batch.
  const mark = await store.drawBatchNumber(ctx.db);
  const work = async (w: UnitOfWork) => {
    if ((await store.countRunningBatches(w.tx, caller.id)) >= maxRunning) throw tooManyRequests(retryAfterS);
    if (changes) await requireReferences(w.tx, caller, changes);
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
    const count = await store.insertBatch(w.tx, batch, toSelection(ctx, caller, target));
    const details = { field: "expectedCount", count, ...sensorReasons.selectionChanged(count) };
    if (target.expectedCount !== undefined && target.expectedCount !== count)
      throw new AppError(errorCode.invalidArgument, details, { status: 409 });
    return { batch: batch.id };
  };
  return (await resolveReplay(write(ctx, caller, work))).batch;
}

function toSelection(
  ctx: Context,
  caller: Caller,
  { sensorIDs, sensorQuery = {} }: SensorBatchTarget,
): store.SensorSelection {
  if (sensorIDs) return { ids: [...new Set(sensorIDs)] };
  const { exclude = [], ...filter } = sensorQuery;
  const { connectionTimeoutHours: timeoutHours } = ctx.config;
  const where = sensorConditions(caller, filter, { now: ctx.clock.date(), timeoutHours });
  return { where: exclude.length === 0 ? where : [...where, store.excludeSensors(exclude)] };
}

async function finishBatch(ctx: Context, id: string, closing?: AbortSignal): Promise<boolean> {
  while (await partSlots(() => processNextPart(ctx, id))) if (closing?.aborted) return false;
  return true;
}

async function processNextPart(ctx: Context, id: string): Promise<boolean> {
  return write(ctx, { system: `batch ${id}` }, async (w) => {
    const part = await store.lockNextPart(w.tx, id, partSize);
    if (!part || part.is_finished) return false;
    const at = ctx.clock.date();
    if (part.is_canceled) {
      await store.failRemainingSensors(w.tx, id, at, store.canceledCode);
      return false;
    }
    const caller = await findStarter(w, part);
    if (!caller) {
      await store.failRemainingSensors(w.tx, id, at, errorCode.unauthorized);
      return false;
    }
    const failures = await changePart(ctx, w, caller, part);
    await store.saveProgress(w.tx, id, at, { count: part.ids.length, failures });
    return part.done + part.ids.length < part.total;
  });
}

async function findStarter(w: UnitOfWork, part: store.BatchPart): Promise<Caller | null> {
  const noUser = { path: "", parentAccounts: [], roleId: null, permissions: null, name: "", email: "" };
  const request = { id: part.request_id, idempotency: null, ifMatch: null };
  try {
    return await reloadCaller(w.tx, { ...noUser, id: part.account_id, sessionId: "", credentialId: "", request });
  } catch (error) {
    if (error instanceof AppError && error.code === errorCode.unauthorized) return null;
    throw error;
  }
}

/** Parts of all batches share the slots in turn, so that a small batch does not wait for a big one. */
const partSlots = pLimit(atOnce);

export async function listBatches(ctx: Context, caller: Caller, key: string | undefined): Promise<SensorBatchRun[]> {
  return (await store.findBatches(ctx.db, caller.id, { key })).map(toRun);
}

export async function getBatch(ctx: Context, caller: Caller, id: string) {
  const row = await requireBatch(ctx.db, caller, id);
  return { ...toRun(row), fail: await failuresOf(ctx, caller, id, row.changes ?? {}) };
}

/** Ends a batch after the current part, with an audit row. Finished batches stay as they are. */
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
  if (code === changedSinceRequestCode) return changedMeanwhile;
  const isInvalid = code === tooManyGroupsCode || code === noPendingInstallCode;
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

export async function finishAbandonedBatches(ctx: Context, idleMs: number, closing?: AbortSignal): Promise<void> {
  const left = await store.findAbandonedBatches(ctx.db, new Date(ctx.clock.now() - idleMs));
  for (const { id } of left) {
    if (closing?.aborted) return;
    // A batch that fails must not block the others.
    await finishBatch(ctx, id, closing).catch((error: unknown) =>
      ctx.log.error({ err: error, batch: id }, "a batch could not be finished yet"),
    );
  }
}
