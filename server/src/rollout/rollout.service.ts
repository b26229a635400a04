// Assigns firmware to sensors and removes it, in the caller's transaction. Other transitions load tasks with their
// sensors as one unit of work, and save it with all effects.
import { errorCode } from "@psp/contract/errors.ts";
import { pendingCancellationInfo, pausedInstallationInfo } from "@psp/contract/sensor/install-progress.ts";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { UnitOfWork } from "../db/write.ts";
import { defaultInstallWindowH } from "../firmware/manifest.service.ts";
import { publishEntity } from "../owned/change.ts";
import {
  type TransitionCause,
  toInstallationState,
  isOpen,
  nextState,
  restReportByTaskState,
  statusByTaskState,
  type TaskState,
  type UpdateTask,
  isVersionRunning,
} from "./rollout.rules.ts";
import * as store from "./rollout.store.ts";
import { toJsonb } from "../db/storable.ts";

const hourMs = 3_600_000;
export const taskLifetimeMs = (defaultInstallWindowH + 1) * hourMs;

type Assignment = {
  sensorIds: readonly string[];
  /** Null removes the current firmware; tasks that have not started to install are canceled. */
  firmwareId: string | null;
  /** The acting account; for an enrollment the owner of the init token. */
  by: string;
};

/**
 * Assigns one firmware to these sensors. The caller checks rights, increments the version and publishes `entityChanged`
 * and `desiredChanged`. Throws 102 and assigns nothing if any sensor is of another type. Does not restart an
 * installation in progress or already done (SE-09).
 */
export async function assignFirmware(
  ctx: Context,
  w: UnitOfWork,
  { sensorIds, firmwareId, by }: Assignment,
): Promise<void> {
  const sensors = await store.lockAndFindSensors(w.tx, sensorIds);
  const firmware = firmwareId === null ? null : await store.findFirmware(w.tx, firmwareId);
  if (firmware === undefined) throw new AppError(errorCode.notFound, { field: "artifact" });
  if (firmware && sensors.some((sensor) => sensor.type !== firmware.type))
    throw new AppError(errorCode.invalidArgument, {
      field: "artifact",
      reason: "The firmware is for another sensor type.",
    });
  const open = Map.groupBy(await store.lockOpenTasks(w.tx, sensors), (task) => task.sensor_num);
  const changes: Changes = { made: [], moved: [], shown: [] };
  for (const sensor of sensors) assignOne(ctx, w, changes, sensor, open.get(sensor.num) ?? [], firmware, by);
  await store.saveTasks(w.tx, changes.moved);
  await store.insertTasks(w.tx, changes.made);
  await store.storeDisplayedTasks(w.tx, changes.shown);
  await store.setDesiredFirmware(w.tx, sensors, firmwareId);
}

type Changes = { made: store.Task[]; moved: store.Task[]; shown: store.DisplayedTask[] };

function assignOne(
  ctx: Context,
  w: UnitOfWork,
  { made, moved, shown }: Changes,
  sensor: store.TaskSensor,
  open: store.Task[],
  firmware: { id: string; name: string } | null,
  by: string,
): void {
  const kept = open.find((task) => task.firmware_id === firmware?.id && task.state !== "withdrawn");
  const others = open.filter((task) => task !== kept);
  for (const task of others) {
    if (!applyCause(ctx, task, "cancel")) continue;
    moved.push(task);
    auditTask(w, sensor, task, isOpen(task.state) ? "withdrawFirmware" : "endFirmware");
  }
  if (firmware === null) {
    const last = others.find((task) => task.id === sensor.shown_task);
    if (last) shown.push(toDisplayedTask(last));
    return;
  }
  if (kept) return void shown.push(toDisplayedTask(kept));
  // If another task is open, the sensor may be about to replace the version that it runs.
  if (isVersionRunning(sensor, { version: firmware.name }) && others.every((task) => !isOpen(task.state)))
    return void shown.push({ num: sensor.num, task: null, report: null, installation: null });
  const task = newTask(ctx, sensor, firmware, by);
  made.push(task);
  shown.push(toDisplayedTask(task));
  auditTask(w, sensor, task, "assignFirmware");
}

function newTask(
  ctx: Context,
  sensor: store.TaskSensor,
  firmware: { id: string; name: string },
  by: string,
): store.Task {
  const now = ctx.clock.date();
  return {
    id: uuidv7(now.getTime()),
    sensor_num: sensor.num,
    firmware_id: firmware.id,
    version: firmware.name,
    state: "waiting",
    created_at: now,
    created_by: by,
    changed_at: now,
    deadline: new Date(now.getTime() + taskLifetimeMs),
    manifest: null,
    withdrawn_rev: null,
    settles_at: null,
    asked_at: null,
    resumed_at: null,
    report_n: null,
    report_state: null,
    report_ok: null,
    info: null,
  };
}

/** The time in ms from which the deadline counts: the task's creation or its last resumption. */
export const computeDeadlineStart = (task: Pick<store.Task, "created_at" | "resumed_at">): number =>
  (task.resumed_at ?? task.created_at).getTime();

/** Applies a transition in place; false if the cause has no effect. */
export function applyCause(ctx: Context, task: store.Task, cause: TransitionCause, info?: string): boolean {
  const next = nextState(task.state, cause);
  if (next === null) return false;
  if (next !== task.state) {
    task.changed_at = ctx.clock.date();
    task.info = next === "withdrawn" ? pendingCancellationInfo : next === "paused" ? pausedInstallationInfo : null;
    if (task.asked_at !== null) {
      task.report_state = restReportByTaskState[next] ?? null;
      task.report_ok = task.report_state === null ? null : task.report_state !== "ERROR";
    }
  }
  task.state = next;
  if (info !== undefined) task.info = info;
  return true;
}

export function toDisplayedTask(task: store.Task): store.DisplayedTask {
  const status = statusByTaskState[task.state];
  const seen: UpdateTask = {
    id: task.id,
    status,
    artifactID: task.firmware_id,
    createdAt: task.created_at.toISOString(),
    createdByAccount: task.created_by,
    statusChangedAt: status === null ? null : task.changed_at.toISOString(),
    info: task.info,
  };
  return {
    num: task.sensor_num,
    task: toJsonb(seen),
    report: task.report_state === null ? null : { ok: task.report_ok ?? true, state: task.report_state },
    installation: toInstallationState(task.state, task.report_state),
  };
}

function auditTask(
  w: UnitOfWork,
  sensor: Pick<store.TaskSensor, "id" | "owner_id" | "owner_path">,
  task: store.Task,
  action: "assignFirmware" | "withdrawFirmware" | "endFirmware",
): void {
  w.audit({
    action,
    object: { type: "sensor", _id: sensor.id },
    owner: { id: sensor.owner_id, path: sensor.owner_path },
    after: {
      task: task.id,
      artifact: task.firmware_id,
      version: task.version,
      ...(statusByTaskState[task.state] === null ? {} : { status: statusByTaskState[task.state], info: task.info }),
    },
  });
}

/** Ends all tasks of sensors that are deleted or change owner, and clears their displayed task. */
export async function endAllTasks(ctx: Context, w: UnitOfWork, sensorIds: readonly string[]): Promise<void> {
  const sensors = await store.lockAndFindSensors(w.tx, sensorIds, true);
  const tasks = await store.lockOpenTasks(w.tx, sensors);
  const byNum = new Map(sensors.map((sensor) => [sensor.num, sensor]));
  for (const task of tasks) {
    const sensor = byNum.get(task.sensor_num);
    if (sensor) auditTask(w, sensor, { ...task, state: "canceled" }, "endFirmware");
    task.state = "canceled";
    task.changed_at = ctx.clock.date();
    // Cleared, so that no version reported under the next owner completes the task.
    task.version = "";
  }
  await store.saveTasks(w.tx, tasks);
  const bare = sensors.map(({ num }) => ({ num, task: null, report: null, installation: null }));
  await store.storeDisplayedTasks(w.tx, bare);
}

export type TaskUnitOfWork = {
  sensors: Map<number, store.TaskSensor>;
  tasks: store.Task[];
  was: Map<string, { row: string; seen: string; state: TaskState }>;
};

const rowOf = (task: store.Task) => toJsonb(task);
const seenOf = (task: store.Task) => toJsonb(toDisplayedTask(task));

/** The sensors and tasks must be locked. */
export function createTaskWork(sensors: readonly store.TaskSensor[], tasks: readonly store.Task[]): TaskUnitOfWork {
  return {
    sensors: new Map(sensors.map((sensor) => [sensor.num, sensor])),
    tasks: [...tasks],
    was: new Map(tasks.map((task) => [task.id, { row: rowOf(task), seen: seenOf(task), state: task.state }])),
  };
}

export async function lockTaskWork(w: UnitOfWork, sensors: readonly store.TaskSensor[]): Promise<TaskUnitOfWork> {
  return createTaskWork(sensors, await store.lockOpenTasks(w.tx, sensors));
}

/** Saves changed tasks with all effects: displayed state, audit rows, live updates, and events to devices. */
export async function saveTaskWork(w: UnitOfWork, { sensors, tasks, was }: TaskUnitOfWork): Promise<void> {
  const moved = tasks.filter((task) => rowOf(task) !== was.get(task.id)?.row);
  await store.saveTasks(w.tx, moved);
  const seen = moved.filter(
    (task) => sensors.get(task.sensor_num)?.shown_task === task.id && seenOf(task) !== was.get(task.id)?.seen,
  );
  await store.storeDisplayedTasks(w.tx, seen.map(toDisplayedTask));
  const nextUp: string[] = [];
  for (const task of moved) {
    const sensor = sensors.get(task.sensor_num);
    if (!sensor || statusByTaskState[task.state] === null) continue;
    if (was.get(task.id)?.state !== task.state) auditTask(w, sensor, task, "endFirmware");
    if (isOpen(task.state)) continue;
    // Includes sensors with a late report about an ended task, because that report frees the device for its next task.
    nextUp.push(sensor.id);
  }
  for (const task of seen) {
    const sensor = sensors.get(task.sensor_num);
    if (!sensor) continue;
    const { id, owner_id: owner } = sensor;
    publishEntity(w, { type: "sensor", op: "update", id, ownerBefore: owner, ownerAfter: owner });
  }
  if (nextUp.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds: nextUp } });
}
