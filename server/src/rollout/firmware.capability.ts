// The capability that offers updates with the desired state and tracks what devices report about them (ADR 0019).
import { type FirmwareManifest, jobReportSchema } from "@psp/contract/device/device-messages.ts";
import { type Capability, createMessageHandler } from "../device/capability.ts";
import { createReportQueue } from "./job-report.service.ts";
import {
  assignFirmware,
  computeDeadlineStart,
  endAllTasks,
  lockTaskWork,
  applyCause,
  saveTaskWork,
} from "./rollout.service.ts";
import type { Context } from "../context.ts";
import { lockSensorRows } from "../db/locks.ts";
import type { UnitOfWork } from "../db/write.ts";
import {
  findInstallableFirmware,
  buildFirmwareManifest,
  type InstallableFirmware,
} from "../firmware/manifest.service.ts";
import { isBusy, isVersionRunning } from "./rollout.rules.ts";
import * as store from "./rollout.store.ts";

export const firmwareUpdates: Capability = {
  name: "firmware",
  async desired(ctx, w, base, sensorIds) {
    const manifests = await findDesiredFirmware(ctx, w, base, sensorIds);
    return {
      contentOf: (sensorNum) => ({ fw: manifests.get(sensorNum) ?? null }),
      async onNumbered(w, numbered) {
        const without = numbered.filter(({ content }) => content.fw === null);
        await store.saveWithdrawalRevisions(w.tx, without);
      },
    };
  },
  async onEnrol(ctx, w, { sensorId, firmwareId, by }) {
    if (firmwareId !== null) await assignFirmware(ctx, w, { sensorIds: [sensorId], firmwareId, by });
  },
  onForget: endAllTasks,
  start(ctx) {
    const reports = createReportQueue(ctx);
    return {
      handlers: [
        createMessageHandler("job", jobReportSchema, ({ sensorId }, report) => reports.add({ sensorId, report })),
      ],
      onBirth: (sensorId) => void reports.add({ sensorId, report: null, applied: null }),
      onReported: (sensorId, applied) => reports.add({ sensorId, report: null, applied }),
      stop: reports.stop,
    };
  },
};

/**
 * Returns manifests by sensor number. Offers a waiting task if its sensor is connected and no other task is active.
 * A device may know every task that was offered. `base` is the URL at which devices reach this server. Locks the sensors.
 */
export async function findDesiredFirmware(ctx: Context, w: UnitOfWork, base: string, sensorIds: readonly string[]) {
  const desired = new Map<number, FirmwareManifest>();
  // Locks before reading: otherwise a caller who saw no task could cancel one that began later.
  await lockSensorRows(w.tx, sensorIds);
  const underWay = await store.findSensorsWithActiveTask(w.tx, sensorIds);
  if (underWay.length === 0) return desired;
  const sensors = await store.findSensors(w.tx, underWay);
  const work = await lockTaskWork(w, sensors);
  const open = Map.groupBy(work.tasks, (task) => task.sensor_num);
  const waiting = work.tasks.filter((task) => task.state === "waiting").map((task) => task.firmware_id);
  const firmware = await findInstallableFirmware(ctx, w.tx, waiting);
  for (const sensor of sensors) {
    const tasks = open.get(sensor.num) ?? [];
    const next = tasks.find((task) => task.state === "waiting");
    if (next && sensor.is_connected && !sensor.by_rest && !tasks.some((task) => isBusy(task.state)))
      offer(ctx, base, sensor, next, firmware.get(next.firmware_id));
    const current = tasks.find((task) => isBusy(task.state));
    if (current?.manifest && current.state !== "withdrawn") desired.set(sensor.num, current.manifest);
  }
  await saveTaskWork(w, work);
  return desired;
}

function offer(
  ctx: Context,
  base: string,
  sensor: store.TaskSensor,
  task: store.Task,
  firmware: InstallableFirmware | undefined,
): void {
  if (isVersionRunning(sensor, task)) return void applyCause(ctx, task, "landed");
  if (!firmware) return void applyCause(ctx, task, "lack", "The firmware has no file");
  if (firmware.isDeleted) return void applyCause(ctx, task, "lack", "The firmware was deleted");
  if (firmware.type !== sensor.type)
    return void applyCause(ctx, task, "lack", "The firmware is for another sensor type");
  applyCause(ctx, task, "offer");
  task.version = firmware.version;
  task.manifest = buildFirmwareManifest(ctx, firmware, { job: task.id, base, at: computeDeadlineStart(task) });
}
