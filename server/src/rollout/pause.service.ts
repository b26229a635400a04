// Pauses and resumes installations that have not started, in the caller's transaction (ADR 0019).
import type { Context } from "../context.ts";
import { lockSensorRows } from "../db/locks.ts";
import type { UnitOfWork } from "../db/write.ts";
import { applyCause, toDisplayedTask, taskLifetimeMs } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

/** Locks the sensors, so that no installation starts or ends until the commit. */
export async function lockInstallations(w: UnitOfWork, sensorIds: readonly string[]): Promise<void> {
  await lockSensorRows(w.tx, sensorIds);
}

/**
 * The caller checks rights, increments the version, writes audit rows and publishes `entityChanged` and
 * `desiredChanged`. Sensors that are already in the requested state are not changed.
 */
export async function setPaused(
  ctx: Context,
  w: UnitOfWork,
  sensorIds: readonly string[],
  paused: boolean,
): Promise<void> {
  const sensors = await store.lockAndFindSensors(w.tx, sensorIds);
  const shown = new Set(sensors.map((sensor) => sensor.shown_task));
  const now = ctx.clock.date();
  const open = await store.lockOpenTasks(w.tx, sensors);
  const moved = open.filter((task) => applyCause(ctx, task, paused ? "pause" : "resume"));
  if (!paused)
    for (const task of moved) {
      task.resumed_at = now;
      task.deadline = new Date(now.getTime() + taskLifetimeMs);
    }
  await store.saveTasks(w.tx, moved);
  await store.storeDisplayedTasks(w.tx, moved.filter((task) => shown.has(task.id)).map(toDisplayedTask));
}
