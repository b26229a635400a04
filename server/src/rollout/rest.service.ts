// Runs update tasks of sensors that take firmware only through their REST interface (ADR 0019). Runs in the process
// that has the sensor's tunnel, and requests each update at most once, even across crashes.
import { installRequestedInfo } from "@psp/contract/sensor/install-progress.ts";
import { settleWithTimeout } from "../kit/limits/settle-with-timeout.ts";
import type { Context } from "../context.ts";
import { type UnitOfWork, write } from "../db/write.ts";
import { defaultInstallWindowH, findInstallableFirmware } from "../firmware/manifest.service.ts";
import { downloadUrl } from "../firmware/package/download-link.rules.ts";
import { unseal } from "../kit/sealing.ts";
import type { Tunnels } from "../tunnel/tunnel.service.ts";
import { logIn, orderUpdate, type OrderOutcome } from "./rest.exchange.service.ts";
import { isBusy, isVersionRunning } from "./rollout.rules.ts";
import {
  computeDeadlineStart,
  lockTaskWork,
  applyCause,
  saveTaskWork,
  taskLifetimeMs,
  type TaskUnitOfWork,
} from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

export type RestRollout = {
  /** Checks all sensors with a tunnel and resolves when nothing is running. */
  settle(): Promise<void>;
  stop(): Promise<void>;
};
export type RestOptions = {
  tunnels: Tunnels;
  baseUrl: () => string;
  everyMs?: number;
};

const defaultEveryMs = 15_000;
const maxAtOnce = 64;
const firstPauseMs = 30_000;
const maxPauseMs = 15 * 60_000;

export function startRestRollout(ctx: Context, { tunnels, baseUrl, everyMs = defaultEveryMs }: RestOptions) {
  const busy = new Map<string, Promise<void>>();
  /** Sensors that changed while busy, and are checked again afterwards. */
  const again = new Set<string>();
  /** Sensors whose tunnel reopened while they were busy; failures of their old tunnel are ignored. */
  const reopened = new Set<string>();
  const pauses = new Map<string, { until: number; ms: number }>();
  let stopping = false;

  async function look(sensorIds: readonly string[]): Promise<void> {
    const reachable = sensorIds.filter((id) => tunnels.isOpen(id));
    if (stopping || reachable.length === 0) return;
    for (const task of await store.findRestTasks(ctx.db, reachable)) begin(task);
  }
  const lookQuietly = (sensorIds: readonly string[]) =>
    look(sensorIds).catch((error: unknown) => ctx.log.warn({ err: error }, "updates through REST were not looked for"));

  function begin(task: store.RestTask) {
    const { sensor } = task;
    if (stopping) return;
    if (busy.has(sensor)) return void again.add(sensor);
    if ((pauses.get(sensor)?.until ?? 0) > Date.now()) return;
    // The next poll picks up this task.
    if (busy.size >= maxAtOnce) return;
    const work = runTask(ctx, tunnels, baseUrl(), task)
      .then((isDone) => pause(sensor, isDone))
      .catch((error: unknown) => {
        pause(sensor, false);
        ctx.log.warn({ err: error, sensorId: sensor }, "an update through REST was interrupted");
      })
      .finally(() => {
        busy.delete(sensor);
        const isLookedAt = [again.delete(sensor), reopened.delete(sensor)].includes(true);
        if (isLookedAt) void lookQuietly([sensor]);
      });
    busy.set(sensor, work);
  }

  function pause(sensor: string, isDone: boolean) {
    if (isDone || reopened.has(sensor)) return void pauses.delete(sensor);
    const ms = Math.min(maxPauseMs, 2 * (pauses.get(sensor)?.ms ?? firstPauseMs / 2));
    pauses.set(sensor, { until: Date.now() + ms, ms });
  }

  const unsubscribe = [
    tunnels.onOpen((sensorId) => {
      pauses.delete(sensorId);
      if (busy.has(sensorId)) reopened.add(sensorId);
      void lookQuietly([sensorId]);
    }),
    ctx.bus.on("desiredChanged", ({ sensorIds }) => void lookQuietly(sensorIds)),
  ];
  const timer = setInterval(() => void lookQuietly(tunnels.openIds()), everyMs).unref();

  return {
    async settle() {
      await look(tunnels.openIds());
      while (busy.size > 0) await Promise.all(busy.values());
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      for (const off of unsubscribe) off();
      // Stores responses that arrive in time; other requests count as unanswered.
      await settleWithTimeout(busy.values());
    },
  };
}

/** Advances one task as far as possible. False if no update was requested because the sensor was unreachable. */
async function runTask(ctx: Context, tunnels: Tunnels, base: string, task: store.RestTask): Promise<boolean> {
  const { sensor, username, sealed } = task;
  const password = passwordOf(ctx, sensor, sealed);
  if (password === null) {
    await failTask(ctx, task, "The stored REST credentials can't be read. Enter them again");
    return true;
  }
  const login = await logIn(tunnels, sensor, { username, password });
  if (login.is === "later") return false;
  if (login.is === "refused") {
    await failTask(ctx, task, login.info);
    return true;
  }
  const link = await prepareOrder(ctx, tunnels, base, task);
  if (link === null) return true;
  const outcome = await orderUpdate(tunnels, sensor, login.token, {
    Update_type: "UPDATE_FIRMWARE",
    Packet_url: link,
    Validity: defaultInstallWindowH,
  });
  await saveOutcome(ctx, task, outcome);
  return outcome.is !== "unsent";
}

function passwordOf(ctx: Context, sensorId: string, sealed: Buffer): string | null {
  try {
    return unseal(ctx.config, `sensor-rest:${sensorId}`, sealed);
  } catch {
    return null;
  }
}

/**
 * Commits that the update is about to be requested, so that it counts as requested even if this process crashes.
 * Returns the download link, or null if no request is needed.
 */
async function prepareOrder(ctx: Context, tunnels: Tunnels, base: string, task: store.RestTask) {
  return withWork(ctx, task, async (w, work, sensor) => {
    const own = work.tasks.find((one) => one.id === task.task);
    if (!own || own.state !== "waiting" || !sensor.by_rest || !tunnels.isOpen(sensor.id)) return null;
    if (work.tasks.some((one) => isBusy(one.state))) return null;
    if (isVersionRunning(sensor, own)) return (applyCause(ctx, own, "landed"), null);
    const firmware = (await findInstallableFirmware(ctx, w.tx, [own.firmware_id])).get(own.firmware_id);
    if (!firmware) return (applyCause(ctx, own, "lack", "The firmware has no file"), null);
    if (firmware.isDeleted) return (applyCause(ctx, own, "lack", "The firmware was deleted"), null);
    const now = ctx.clock.now();
    own.version = firmware.version;
    own.asked_at = new Date(now);
    own.deadline = new Date(now + taskLifetimeMs);
    applyCause(ctx, own, "ask", installRequestedInfo);
    return downloadUrl(ctx.config, base, firmware.id, now + taskLifetimeMs);
  });
}

/** A response ends the request. Without one, the running version or the deadline decides. */
async function saveOutcome(ctx: Context, task: store.RestTask, outcome: OrderOutcome): Promise<void> {
  if (outcome.is === "unanswered") return;
  await withWork(ctx, task, async (_w, work, sensor) => {
    const own = work.tasks.find((one) => one.id === task.task);
    if (own?.state !== "asked") return;
    if (outcome.is === "accepted") applyCause(ctx, own, "accept");
    else if (outcome.is === "refused") applyCause(ctx, own, "refuse", outcome.info);
    else undoOrder(ctx, own, sensor, work);
  });
}

function undoOrder(ctx: Context, task: store.Task, sensor: store.TaskSensor, work: TaskUnitOfWork): void {
  const isReplaced =
    work.tasks.some((one) => one !== task && !isBusy(one.state)) || sensor.firmware_id !== task.firmware_id;
  task.asked_at = null;
  task.deadline = new Date(computeDeadlineStart(task) + taskLifetimeMs);
  applyCause(ctx, task, isReplaced ? "dropped" : "unsent");
}

/** Fails a task before its order is sent, because a login is not possible. */
async function failTask(ctx: Context, task: store.RestTask, info: string): Promise<void> {
  await withWork(ctx, task, async (_w, work) => {
    const own = work.tasks.find((one) => one.id === task.task);
    if (own?.state === "waiting") applyCause(ctx, own, "refuse", info);
  });
}

/** Calls `run` in a transaction that locks the sensor and its open tasks. */
async function withWork<T>(
  ctx: Context,
  task: store.RestTask,
  run: (w: UnitOfWork, work: TaskUnitOfWork, sensor: store.TaskSensor) => Promise<T>,
): Promise<T | null> {
  return write(ctx, { system: "rest" }, async (w) => {
    const [sensor] = await store.lockAndFindSensors(w.tx, [task.sensor]);
    if (!sensor) return null;
    const work = await lockTaskWork(w, [sensor]);
    const result = await run(w, work, sensor);
    await saveTaskWork(w, work);
    return result;
  });
}
