// Processes device reports about tasks: progress of a job, the applied desired state, and the running version.
import type { JobReport } from "@psp/contract/device/device-messages.ts";
import { uuid } from "@psp/contract/kit/ids.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import { toCause, isOpen, isVersionRunning } from "./rollout.rules.ts";
import { applyCause, createTaskWork, saveTaskWork } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

/**
 * `applied`: the revision of the desired state that the device applied. Add reports only after the reported data is
 * committed.
 */
type DeviceReport =
  | { sensorId: string; report: JobReport }
  | { sensorId: string; report: null; applied: number | null };

const defaultGatherMs = 50;
const maxAtOnce = 500;
const maxRemembered = 50_000;
/** How long a device may take to report that it canceled a withdrawn task. */
const silenceMs = 10 * 60_000;

/** Processes reports in order, many sensors per transaction. */
export function createReportQueue(ctx: Context, gatherMs = defaultGatherMs) {
  const batcher = createGroupCommit<DeviceReport>({
    name: "firmware",
    log: ctx.log,
    gatherMs,
    maxWeight: maxAtOnce,
    run: (reports) => applyReports(ctx, reports),
    onPoison: () => null,
  });
  const last = new Map<string, Pick<JobReport, "job" | "n" | "state">>();

  /** Only the first report of a running download is stored. */
  function isStale(sensorId: string, report: JobReport): boolean {
    const before = last.get(sensorId);
    if (before?.job !== report.job) return false;
    return report.n <= before.n || (report.state === "DOWNLOAD" && before.state === "DOWNLOAD");
  }

  return {
    /** Resolves when the report is committed, or immediately if it is ignored. */
    async add(received: DeviceReport): Promise<void> {
      const { sensorId, report } = received;
      if (report && (!uuid.safeParse(report.job).success || isStale(sensorId, report))) return;
      await batcher.add(received);
      if (!report) return;
      last.delete(sensorId);
      last.set(sensorId, { job: report.job, n: report.n, state: report.state });
      if (last.size > maxRemembered) last.delete(last.keys().next().value ?? "");
    },
    stop: () => batcher.stop("all"),
  };
}

export type DeviceReportQueue = ReturnType<typeof createReportQueue>;

async function applyReports(ctx: Context, received: readonly DeviceReport[]): Promise<void> {
  const jobs = received.filter((one) => one.report !== null);
  const states = received.filter(({ report }) => report === null).map(({ sensorId }) => sensorId);
  const unsettled = states.length === 0 ? [] : await store.findSensorsWithUnsettledTasks(ctx.db, states);
  const concerned = new Set([...jobs.map(({ sensorId }) => sensorId), ...unsettled]);
  if (concerned.size === 0) return;
  await write(ctx, { system: "device" }, async (w) => {
    const sensors = await store.lockAndFindSensors(w.tx, [...concerned]);
    const nums = sensors.map((sensor) => sensor.num);
    const names = jobs.map((one) => one.report.job);
    const named = await store.lockTasks(w.tx, names);
    const others = await store.lockUnsettledTasks(w.tx, nums);
    const work = createTaskWork(sensors, [...new Map([...named, ...others].map((task) => [task.id, task])).values()]);
    const byId = new Map(sensors.map((sensor) => [sensor.id, sensor]));
    for (const one of received) {
      const sensor = byId.get(one.sensorId);
      if (!sensor) continue;
      const own = work.tasks.filter((task) => task.sensor_num === sensor.num);
      const { report } = one;
      if (report) for (const task of own.filter(({ id }) => id === report.job)) onReport(ctx, task, report);
      else for (const task of own) onApplied(ctx, task, one.applied);
      for (const task of own) applyVersion(ctx, sensor, task);
    }
    await saveTaskWork(w, work);
  });
}

/** Applies only the newest report of a job. */
function onReport(ctx: Context, task: store.Task, report: JobReport): void {
  if (task.report_n !== null && report.n <= Number(task.report_n)) return;
  if (task.state === "done" || task.state === "failed") return;
  // No device knows the job of an update over REST.
  if (task.asked_at !== null) return;
  task.report_n = String(report.n);
  task.report_state = report.state;
  task.report_ok = report.ok;
  const cause = toCause(report);
  applyCause(ctx, task, cause, cause === "ERROR" ? reasonOf(report) : undefined);
}

function reasonOf({ code, message }: JobReport): string {
  return [code, message].filter(Boolean).join(": ") || "ERROR";
}

function onApplied(ctx: Context, task: store.Task, applied: number | null): void {
  if (task.state !== "withdrawn" || task.withdrawn_rev === null || (applied ?? -1) < task.withdrawn_rev) return;
  if (task.report_n === null) applyCause(ctx, task, "unbegun");
  else task.settles_at ??= new Date(ctx.clock.now() + silenceMs);
}

/**
 * After FINISHED, the task is done only once the sensor reports the desired version, as users expect. Updates over REST
 * have no FINISHED: the reported version alone completes open tasks, and corrects the outcome of the displayed task.
 */
function applyVersion(ctx: Context, sensor: store.TaskSensor, task: store.Task): void {
  if (!isVersionRunning(sensor, task)) return;
  // Includes tasks that expired before they were requested: an earlier request for the same version may have taken long.
  const isByRest = task.asked_at !== null || (sensor.by_rest && task.state === "expired");
  const isMeant = isByRest ? isOpen(task.state) || sensor.shown_task === task.id : task.report_state === "FINISHED";
  if (isMeant) applyCause(ctx, task, "proof");
}
