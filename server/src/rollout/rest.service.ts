// Carries out update tasks of sensors that take firmware through their REST interface alone (ADR 0019).
// It runs where the sensor's tunnel ends, and asks each sensor at most once per task, whatever is killed when.
import { updateRequestedInfo } from "@psp/contract/sensor/install-progress.ts";
import { settleInTime } from "../kit/limits/in-time.ts";
import type { Context } from "../context.ts";
import { type Write, write } from "../db/write.ts";
import { defaultValidH, findInstallable } from "../firmware/manifest.service.ts";
import { downloadUrl } from "../firmware/package/download-link.rules.ts";
import { unseal } from "../kit/sealing.ts";
import type { Tunnels } from "../tunnel/tunnel.service.ts";
import { logIn, orderUpdate, type OrderOutcome } from "./rest.exchange.service.ts";
import { isAtWork, runs } from "./rollout.rules.ts";
import { beginsAt, lockWork, move, saveWork, taskMs, type Work } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

export type RestRollout = {
  /** Looks at all sensors with a tunnel now, and resolves when nothing is under way. */
  settle(): Promise<void>;
  stop(): Promise<void>;
};
export type RestOptions = {
  tunnels: Tunnels;
  /** Where sensors reach this server over HTTP. */
  baseUrl: () => string;
  /** How often sensors with a tunnel are looked at without a reason. */
  everyMs?: number;
};

const defaultEveryMs = 15_000;
const maxAtOnce = 64;
const firstPauseMs = 30_000;
const maxPauseMs = 15 * 60_000;

export function startRestRollout(ctx: Context, { tunnels, baseUrl, everyMs = defaultEveryMs }: RestOptions) {
  const busy = new Map<string, Promise<void>>();
  /** Looked at again when they are free: something happened meanwhile. */
  const again = new Set<string>();
  /** Whose tunnel opened again while they were at work: that the old one failed says nothing about it. */
  const reopened = new Set<string>();
  /** Sensors that could not be reached. By the machine's clock. */
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
    // The next look finds it again.
    if (busy.size >= maxAtOnce) return;
    const work = carryOut(ctx, tunnels, baseUrl(), task)
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
      // What is answered in time is noted; the rest is a request without an answer.
      await settleInTime(busy.values());
    },
  };
}

/** One task as far as it goes now; false when the sensor could not be reached and nothing was asked of it. */
async function carryOut(ctx: Context, tunnels: Tunnels, base: string, task: store.RestTask): Promise<boolean> {
  const { sensor, username, sealed } = task;
  const password = passwordOf(ctx, sensor, sealed);
  if (password === null) {
    await refuse(ctx, task, "The stored REST credentials can't be read: enter them again");
    return true;
  }
  const login = await logIn(tunnels, sensor, { username, password });
  if (login.is === "later") return false;
  if (login.is === "refused") {
    await refuse(ctx, task, login.info);
    return true;
  }
  const link = await resolveToAsk(ctx, tunnels, base, task);
  if (link === null) return true;
  const outcome = await orderUpdate(tunnels, sensor, login.token, {
    Update_type: "UPDATE_FIRMWARE",
    Packet_url: link,
    Validity: defaultValidH,
  });
  await note(ctx, task, outcome);
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
 * Commits that the sensor is about to be asked: from here on it counts as asked, even if this process ends before it
 * asks. Returns the link for it, or null when there is nothing to ask.
 */
async function resolveToAsk(ctx: Context, tunnels: Tunnels, base: string, task: store.RestTask) {
  return withWork(ctx, task, async (w, work, sensor) => {
    const own = work.tasks.find((one) => one.id === task.task);
    if (!own || own.state !== "waiting" || !sensor.by_rest || !tunnels.isOpen(sensor.id)) return null;
    if (work.tasks.some((one) => isAtWork(one.state))) return null;
    if (runs(sensor, own)) return (move(ctx, own, "landed"), null);
    const firmware = (await findInstallable(ctx, w.tx, [own.firmware_id])).get(own.firmware_id);
    if (!firmware) return (move(ctx, own, "lack", "The firmware has no file"), null);
    if (firmware.isDeleted) return (move(ctx, own, "lack", "The firmware was deleted"), null);
    const now = ctx.clock.now();
    own.version = firmware.version;
    own.asked_at = new Date(now);
    own.deadline = new Date(now + taskMs);
    move(ctx, own, "ask", updateRequestedInfo);
    return downloadUrl(ctx.config, base, firmware.id, now + taskMs);
  });
}

/** An answer ends the request; silence is no answer, and leaves it to the version that runs or to the deadline. */
async function note(ctx: Context, task: store.RestTask, outcome: OrderOutcome): Promise<void> {
  if (outcome.is === "unanswered") return;
  await withWork(ctx, task, async (_w, work, sensor) => {
    const own = work.tasks.find((one) => one.id === task.task);
    if (own?.state !== "asked") return;
    if (outcome.is === "accepted") move(ctx, own, "accept");
    else if (outcome.is === "refused") move(ctx, own, "refuse", outcome.info);
    else takeBack(ctx, own, sensor, work);
  });
}

/** The request never left this process, so it was none. */
function takeBack(ctx: Context, task: store.Task, sensor: store.TaskSensor, work: Work): void {
  const isReplaced =
    work.tasks.some((one) => one !== task && !isAtWork(one.state)) || sensor.firmware_id !== task.firmware_id;
  task.asked_at = null;
  task.deadline = new Date(beginsAt(task) + taskMs);
  move(ctx, task, isReplaced ? "dropped" : "unsent");
}

/** Ends the task before the sensor was asked to update: the login is not possible. */
async function refuse(ctx: Context, task: store.RestTask, info: string): Promise<void> {
  await withWork(ctx, task, async (_w, work) => {
    const own = work.tasks.find((one) => one.id === task.task);
    if (own?.state === "waiting") move(ctx, own, "refuse", info);
  });
}

/** The sensor and its open tasks, locked, in one transaction. */
async function withWork<T>(
  ctx: Context,
  task: store.RestTask,
  run: (w: Write, work: Work, sensor: store.TaskSensor) => Promise<T>,
): Promise<T | null> {
  return write(ctx, { system: "rest" }, async (w) => {
    const [sensor] = await store.lockSensors(w.tx, [task.sensor]);
    if (!sensor) return null;
    const work = await lockWork(w, [sensor]);
    const result = await run(w, work, sensor);
    await saveWork(w, work);
    return result;
  });
}
