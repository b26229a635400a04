// Runs batches over sensors on the server, and gets their outcome even if the connection breaks.
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import {
  batchDeleteSensors,
  batchUpdateSensors,
  cancelSensorBatch,
  getSensorBatch,
  listSensorBatches,
  type SensorBatchRun,
} from "@psp/contract/sensor/sensor.batch.api.ts";
import { call, CallError, newIdempotencyKey } from "../../api/call.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchResult } from "../../ui/batch/batchRun.ts";

export type SensorChanges = ClientInput<typeof batchUpdateSensors>["body"]["changes"];
export type SensorTarget = ClientInput<typeof batchDeleteSensors>["body"];

const pollMs = 1000;
/** A batch that is missing from the list this many times was never started. */
const maxMissing = 3;

/**
 * Changes the target sensors, or deletes them if `changes` is null. If the server finds a different number of sensors than the user
 * confirmed, nothing changes: `onCount` receives the server's number, and the user must confirm again.
 */
export function createSensorBatchRun(
  target: SensorTarget,
  changes: SensorChanges | null,
  onCount: (count: number) => void,
): BatchRun {
  return async ({ onlyIds, onProgress, signal }) => {
    const body = onlyIds === undefined ? target : { sensorIDs: [...onlyIds] };
    const key = newIdempotencyKey();
    const stopWatching = watch(key, onProgress, signal);
    try {
      const sent =
        changes === null
          ? call(batchDeleteSensors, { body, idempotencyKey: key })
          : call(batchUpdateSensors, { body: { ...body, changes }, idempotencyKey: key });
      return await confirmAgainOnMismatch(sent, onCount);
    } catch (error) {
      // The connection was lost, but the batch continues on the server.
      if (error instanceof CallError && error.status === 0) return await outcomeOf(key, error);
      throw error;
    } finally {
      stopWatching();
    }
  };
}

/** Follows a batch that was started in another window or before a reload. A retry is a new batch with the same changes. */
export function createBatchFollower({ _id: id, changes }: SensorBatchRun): BatchRun {
  return async (control) => {
    const { onlyIds, onProgress, signal } = control;
    if (onlyIds !== undefined)
      return createSensorBatchRun({ sensorIDs: [...onlyIds] }, changes, () => undefined)(control);
    const cancel = () => void call(cancelSensorBatch, { params: { id } }).catch(() => undefined);
    signal.addEventListener("abort", cancel, { once: true });
    for (;;) {
      try {
        const run = await call(getSensorBatch, { params: { id } });
        onProgress(run.done);
        if (run.finishedAt !== null) return { success: run.success, fail: run.fail };
      } catch (error) {
        throwUnlessOffline(error);
      }
      await pause();
    }
  };
}

/** The batch continues on the server while the connection is lost, so polling goes on. */
function throwUnlessOffline(error: unknown): void {
  if (!(error instanceof CallError) || error.status !== 0) throw error;
}

function watch(key: string, onProgress: (done: number) => void, signal: AbortSignal): () => void {
  let stopped = false;
  let id: string | undefined;
  const cancel = () => void cancelBatch(key, id);
  signal.addEventListener("abort", cancel, { once: true });
  void (async () => {
    for (;;) {
      await pause();
      if (stopped) return;
      const [run] = await call(listSensorBatches, { query: { key } }).catch(() => []);
      if (stopped) return;
      if (run === undefined) continue;
      id = run._id;
      if (run.done > 0) onProgress(run.done);
    }
  })();
  return () => {
    stopped = true;
    signal.removeEventListener("abort", cancel);
  };
}

async function cancelBatch(key: string, known: string | undefined): Promise<void> {
  const id = known ?? (await call(listSensorBatches, { query: { key } }).catch(() => []))[0]?._id;
  if (id !== undefined) await call(cancelSensorBatch, { params: { id } }).catch(() => undefined);
}

async function outcomeOf(key: string, lost: CallError): Promise<BatchResult> {
  for (let missing = 0; missing < maxMissing;) {
    await pause();
    try {
      const [run] = await call(listSensorBatches, { query: { key } });
      if (run === undefined) missing += 1;
      else if (run.finishedAt !== null) {
        const { success, fail } = await call(getSensorBatch, { params: { id: run._id } });
        return { success, fail };
      }
    } catch (error) {
      throwUnlessOffline(error);
    }
  }
  throw lost;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pollMs));
}
