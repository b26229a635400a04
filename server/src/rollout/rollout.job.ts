// Ends overdue tasks, and republishes tasks whose process may have died before publishing them.
import type { Context } from "../context.ts";
import { announceAll, type UnitOfWork, write } from "../db/write.ts";
import type { Job } from "../kit/job.ts";
import { isBusy, isVersionRunning } from "./rollout.rules.ts";
import { computeDeadlineStart, lockTaskWork, applyCause, saveTaskWork } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

const everyMs = 60_000;
const hourMs = 3_600_000;
/**
 * Hours within which a sensor that takes firmware only over REST must open a tunnel
 * (docs/rules/firmware.md#time-limits).
 */
const tunnelWithinH = 48;
const tunnelWithinMs = tunnelWithinH * hourMs;
const whyUnreachable = `The sensor could not be reached over PS.Connect within ${tunnelWithinH} hours`;
const maxAtOnce = 500;
/** Longer than an event takes to reach a running gateway. */
const remindAfterMs = 2 * 60_000;

export function rolloutJob(ctx: Context): Job {
  return {
    name: "rollout",
    everyMs,
    async run() {
      for (;;) {
        const unreachable = new Date(ctx.clock.now() - tunnelWithinMs);
        const due = await store.findSensorsWithOverdueTask(ctx.db, ctx.clock.date(), unreachable, maxAtOnce);
        if (due.length === 0) return;
        await write(ctx, { system: "rollout" }, (w) => endDue(ctx, w, due));
      }
    },
  };
}

export function reminderJob(ctx: Context): Job {
  return {
    name: "rollout reminder",
    everyMs,
    async run() {
      const sensorIds = await store.findUnnotifiedSensors(ctx.db, new Date(ctx.clock.now() - remindAfterMs));
      if (sensorIds.length > 0) await announceAll(ctx, [{ name: "desiredChanged", event: { sensorIds } }]);
    },
  };
}

async function endDue(ctx: Context, w: UnitOfWork, sensorIds: readonly string[]): Promise<void> {
  const now = ctx.clock.now();
  const sensors = await store.lockAndFindSensors(w.tx, sensorIds);
  const work = await lockTaskWork(w, sensors);
  const busy = new Set(work.tasks.filter((task) => isBusy(task.state)).map((task) => task.sensor_num));
  for (const task of work.tasks) {
    const sensor = work.sensors.get(task.sensor_num);
    if (!sensor) continue;
    if (sensor.by_rest && task.state === "waiting") {
      if (busy.has(sensor.num) || waitsSince(sensor, task) + tunnelWithinMs > now) continue;
      // The final report may be lost, but the running version proves the installation.
      if (isVersionRunning(sensor, task)) applyCause(ctx, task, "landed");
      else applyCause(ctx, task, "deadline", whyUnreachable);
    } else if (task.deadline.getTime() <= now) {
      if (isVersionRunning(sensor, task)) applyCause(ctx, task, "landed");
      else applyCause(ctx, task, "deadline", task.state === "withdrawn" ? undefined : whyExpired(sensor, task));
    } else if (task.settles_at && task.settles_at.getTime() <= now) applyCause(ctx, task, "silence");
  }
  await saveTaskWork(w, work);
}

/** When the task began to wait. Time spent behind another task does not count. */
function waitsSince(sensor: store.TaskSensor, task: store.Task): number {
  return Math.max(computeDeadlineStart(task), sensor.free_since?.getTime() ?? 0);
}

function whyExpired(sensor: store.TaskSensor, task: store.Task): string {
  const hours = Math.round(
    (task.deadline.getTime() - (task.asked_at?.getTime() ?? computeDeadlineStart(task))) / hourMs,
  );
  if (task.state === "asked")
    return `The sensor did not respond to the update request or install within ${hours} hours`;
  if (task.state === "accepted")
    return `The sensor accepted the update but still runs ${sensor.running_version ?? "another version"} after ${hours} hours`;
  if (task.state === "waiting") return `The sensor could not be reached within ${hours} hours`;
  if (task.state === "proving")
    return `The sensor reported that it finished but runs ${sensor.running_version ?? "another version"}`;
  return `The sensor did not finish within ${hours} hours`;
}
