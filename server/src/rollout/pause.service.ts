// Installations that have not begun are held back, and may begin again: within the caller's own transaction (ADR 0019).
import type { Context } from "../context.ts";
import type { Write } from "../db/write.ts";
import { move, shownOf, taskMs } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

/** From now on nothing of what is at work on these sensors begins or ends, until the commit. */
export async function holdInstallations(w: Write, sensorIds: readonly string[]): Promise<void> {
  await store.holdSensors(w.tx, sensorIds);
}

/**
 * Holds what waits on these sensors, or lets it begin again. Rights are the caller's matter, and so are the bump of the
 * version, the audit rows and the announcements `entityChanged` and `desiredChanged`. What is so already stays as it is.
 */
export async function setPaused(ctx: Context, w: Write, sensorIds: readonly string[], paused: boolean): Promise<void> {
  const sensors = await store.lockSensors(w.tx, sensorIds);
  const shown = new Set(sensors.map((sensor) => sensor.shown_task));
  const now = ctx.clock.date();
  const open = await store.lockOpenTasks(w.tx, sensors);
  const moved = open.filter((task) => move(ctx, task, paused ? "pause" : "resume"));
  if (!paused)
    for (const task of moved) {
      task.resumed_at = now;
      task.deadline = new Date(now.getTime() + taskMs);
    }
  await store.saveTasks(w.tx, moved);
  await store.showTasks(w.tx, moved.filter((task) => shown.has(task.id)).map(shownOf));
}
