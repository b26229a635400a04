// The unit of work of one transaction over tasks: loaded with their sensors, moved, and saved with everything that follows from it.
import type { Write } from "../db/write.ts";
import { announceEntity } from "../owned/change.ts";
import { isOpen, statusOf, type TaskState } from "./rollout.rules.ts";
import { auditTask, shownOf } from "./rollout.service.ts";
import { lockOpenTasks, saveTasks, showTasks, type Task, type TaskSensor } from "./rollout.store.ts";

export type Work = {
  sensors: Map<number, TaskSensor>;
  tasks: Task[];
  was: Map<string, { row: string; seen: string; state: TaskState }>;
};

const rowOf = (task: Task) => JSON.stringify(task);
const seenOf = (task: Task) => JSON.stringify(shownOf(task));

/** Both are locked already. */
export function openWork(sensors: readonly TaskSensor[], tasks: readonly Task[]): Work {
  return {
    sensors: new Map(sensors.map((sensor) => [sensor.num, sensor])),
    tasks: [...tasks],
    was: new Map(tasks.map((task) => [task.id, { row: rowOf(task), seen: seenOf(task), state: task.state }])),
  };
}

/** Of all open tasks of these sensors, which are locked. */
export async function lockWork(w: Write, sensors: readonly TaskSensor[]): Promise<Work> {
  return openWork(sensors, await lockOpenTasks(w.tx, sensors));
}

/** Saves what moved, shows what people can see of it, and announces it: outcomes to the audit trail, changes to screens, what is next to devices. */
export async function saveWork(w: Write, { sensors, tasks, was }: Work): Promise<void> {
  const moved = tasks.filter((task) => rowOf(task) !== was.get(task.id)?.row);
  await saveTasks(w.tx, moved);
  const seen = moved.filter(
    (task) => sensors.get(task.sensor_num)?.shown_task === task.id && seenOf(task) !== was.get(task.id)?.seen,
  );
  await showTasks(w.tx, seen.map(shownOf));
  const nextUp: string[] = [];
  for (const task of moved) {
    const sensor = sensors.get(task.sensor_num);
    if (!sensor || statusOf[task.state] === null) continue;
    if (was.get(task.id)?.state !== task.state) auditTask(w, sensor, task, "endFirmware");
    if (isOpen(task.state)) continue;
    // Also after late reports about an ended task: until then the device could not take the next.
    nextUp.push(sensor.id);
  }
  for (const task of seen) {
    const sensor = sensors.get(task.sensor_num);
    if (!sensor) continue;
    const { id, owner_id: owner } = sensor;
    announceEntity(w, { type: "sensor", op: "update", id, ownerBefore: owner, ownerAfter: owner });
  }
  if (nextUp.length > 0) w.announce({ name: "desiredChanged", event: { sensorIds: nextUp } });
}
