// What a sensor shall install now, as part of its desired state: one task at a time, and only once it is there to hear of it.
import type { FirmwareManifest } from "@psp/contract/sensor/sensor.device.ts";
import type { Context } from "../context.ts";
import type { Write } from "../db/write.ts";
import { findInstallable, firmwareManifest, type InstallableFirmware } from "../firmware/manifest.service.ts";
import { clear, layOut } from "./task-work.service.ts";
import { isAtWork } from "./rollout.rules.ts";
import { move } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

/**
 * The manifest of each of these sensors that has one, by its number. A waiting task is offered here, when its sensor is
 * connected and nothing else is at work on it; from then on the device may have heard of it. `base` is where devices
 * reach this server. Locks the sensors.
 */
export async function firmwareWishes(
  ctx: Context,
  w: Write,
  base: string,
  sensorIds: readonly string[],
): Promise<Map<number, FirmwareManifest>> {
  const wishes = new Map<number, FirmwareManifest>();
  // All of them, before the first look: a task that began after it would be taken back by whoever saw none.
  await store.holdSensors(w.tx, sensorIds);
  const underWay = await store.findUnderWay(w.tx, sensorIds);
  if (underWay.length === 0) return wishes;
  const sensors = await store.findSensors(w.tx, underWay);
  const open = await store.lockOpenTasks(
    w.tx,
    sensors.map((sensor) => sensor.num),
  );
  const desk = layOut(sensors, [...open.values()].flat());
  const waiting = desk.tasks.filter((task) => task.state === "waiting").map((task) => task.firmware_id);
  const firmware = await findInstallable(ctx, w.tx, waiting);
  for (const sensor of sensors) {
    const tasks = open.get(sensor.num) ?? [];
    const next = tasks.find((task) => task.state === "waiting");
    if (next && sensor.is_connected && !sensor.by_rest && !tasks.some((task) => isAtWork(task.state)))
      offer(ctx, base, sensor, next, firmware.get(next.firmware_id));
    const current = tasks.find((task) => isAtWork(task.state));
    if (current?.manifest && current.state !== "withdrawn") wishes.set(sensor.num, current.manifest);
  }
  await clear(w, desk);
  return wishes;
}

function offer(
  ctx: Context,
  base: string,
  sensor: store.TaskSensor,
  task: store.Task,
  firmware: InstallableFirmware | undefined,
): void {
  if (sensor.running_version === task.version) return void move(ctx, task, "landed");
  if (!firmware) return void move(ctx, task, "lack", "The firmware has no file");
  if (firmware.isDeleted) return void move(ctx, task, "lack", "The firmware was deleted");
  if (firmware.type !== sensor.type) return void move(ctx, task, "lack", "The firmware is for another sensor type");
  move(ctx, task, "offer");
  task.version = firmware.version;
  task.manifest = firmwareManifest(ctx, firmware, { job: task.id, base, at: task.created_at.getTime() });
}

/** Notes with which number of the desired state the withdrawn tasks of these sensors went out. */
export async function noteWithdrawn(w: Write, revs: readonly { num: number; rev: number }[]): Promise<void> {
  if (revs.length > 0) await store.noteWithdrawals(w.tx, revs);
}
