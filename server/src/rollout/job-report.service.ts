// What devices report about their tasks: progress of a job, the desired state they took, and the version that runs.
import type { JobReport } from "@psp/contract/device/device-messages.ts";
import { uuid } from "@psp/contract/kit/ids.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import { causeOf, isOpen, runs } from "./rollout.rules.ts";
import { move, openWork, saveWork } from "./rollout.service.ts";
import * as store from "./rollout.store.ts";

/** `applied` is the number of the desired state that the device took. Added after what they report is committed. */
type DeviceReport =
  | { sensorId: string; report: JobReport }
  | { sensorId: string; report: null; applied: number | null };

const defaultGatherMs = 50;
const maxAtOnce = 500;
const maxRemembered = 50_000;
/** How long a device that obeyed a withdrawal may take to say so. */
const silenceMs = 10 * 60_000;

/** Takes reports in their order, many sensors in one transaction. */
export function receiveReports(ctx: Context, gatherMs = defaultGatherMs) {
  const batcher = createGroupCommit<DeviceReport>({
    name: "firmware",
    log: ctx.log,
    gatherMs,
    maxWeight: maxAtOnce,
    run: (reports) => apply(ctx, reports),
    onPoison: () => null,
  });
  const last = new Map<string, Pick<JobReport, "job" | "n" | "state">>();

  /** A download that continues is no news; only its first report is written. */
  function isOld(sensorId: string, report: JobReport): boolean {
    const before = last.get(sensorId);
    if (before?.job !== report.job) return false;
    return report.n <= before.n || (report.state === "DOWNLOAD" && before.state === "DOWNLOAD");
  }

  return {
    /** Resolves when the report is committed; one that says nothing new resolves at once. */
    async add(received: DeviceReport): Promise<void> {
      const { sensorId, report } = received;
      if (report && (!uuid.safeParse(report.job).success || isOld(sensorId, report))) return;
      await batcher.add(received);
      if (!report) return;
      last.delete(sensorId);
      last.set(sensorId, { job: report.job, n: report.n, state: report.state });
      if (last.size > maxRemembered) last.delete(last.keys().next().value ?? "");
    },
    stop: () => batcher.stop("all"),
  };
}

export type DeviceReports = ReturnType<typeof receiveReports>;

/** One transaction for all of them. */
async function apply(ctx: Context, received: readonly DeviceReport[]): Promise<void> {
  const jobs = received.filter((one) => one.report !== null);
  const states = received.filter(({ report }) => report === null).map(({ sensorId }) => sensorId);
  const inQuestion = states.length === 0 ? [] : await store.findInQuestion(ctx.db, states);
  const concerned = new Set([...jobs.map(({ sensorId }) => sensorId), ...inQuestion]);
  if (concerned.size === 0) return;
  await write(ctx, { system: "device" }, async (w) => {
    const sensors = await store.lockSensors(w.tx, [...concerned]);
    const nums = sensors.map((sensor) => sensor.num);
    const names = jobs.map((one) => one.report.job);
    const named = await store.lockTasks(w.tx, names);
    const others = await store.lockTasksInQuestion(w.tx, nums);
    const work = openWork(sensors, [...new Map([...named, ...others].map((task) => [task.id, task])).values()]);
    const byId = new Map(sensors.map((sensor) => [sensor.id, sensor]));
    for (const one of received) {
      const sensor = byId.get(one.sensorId);
      if (!sensor) continue;
      const own = work.tasks.filter((task) => task.sensor_num === sensor.num);
      const { report } = one;
      if (report) for (const task of own.filter(({ id }) => id === report.job)) onReport(ctx, task, report);
      else for (const task of own) onApplied(ctx, task, one.applied);
      for (const task of own) prove(ctx, sensor, task);
    }
    await saveWork(w, work);
  });
}

/** A report counts when it is the newest of its job, and of a job of this very sensor. */
function onReport(ctx: Context, task: store.Task, report: JobReport): void {
  if (task.report_n !== null && report.n <= Number(task.report_n)) return;
  if (task.state === "done" || task.state === "failed") return;
  // Its number went to no device.
  if (task.asked_at !== null) return;
  task.report_n = String(report.n);
  task.report_state = report.state;
  task.report_ok = report.ok;
  const cause = causeOf(report);
  move(ctx, task, cause, cause === "ERROR" ? reasonOf(report) : undefined);
}

function reasonOf({ code, message }: JobReport): string {
  return [code, message].filter(Boolean).join(": ") || "ERROR";
}

function onApplied(ctx: Context, task: store.Task, applied: number | null): void {
  if (task.state !== "withdrawn" || task.withdrawn_rev === null || (applied ?? -1) < task.withdrawn_rev) return;
  if (task.report_n === null) move(ctx, task, "unbegun");
  else task.settles_at ??= new Date(ctx.clock.now() + silenceMs);
}

/**
 * FINISHED counts when the desired version is the one reported (users know the difference). Through REST there is no
 * such report: the version alone proves what is open, and corrects an outcome while it is the one that people see.
 */
function prove(ctx: Context, sensor: store.TaskSensor, task: store.Task): void {
  if (!runs(sensor, task)) return;
  // Also without having been asked for this task: it may have taken long over an earlier order for the same version.
  const isByRest = task.asked_at !== null || (sensor.by_rest && task.state === "expired");
  const isMeant = isByRest ? isOpen(task.state) || sensor.shown_task === task.id : task.report_state === "FINISHED";
  if (isMeant) move(ctx, task, "proof");
}
