// Runs named jobs on the server's clock. An advisory lock per job prevents concurrent runs in two processes.
import { setTimeout } from "node:timers/promises";
import type { Job } from "../kit/job.ts";
import type { Context } from "../context.ts";
import { createJobLocks } from "./job-locks.store.ts";

type Slot = { job: Job; dueAt: number; running: Promise<void> | null };

const tickMs = 1000;
const retryMs = 20;
const maxRounds = 20;

/** `locksDb`: for the jobs' locks, which sessions hold. */
export function createScheduler(ctx: Context, jobs: Job[], locksDb = ctx.db) {
  const slots: Slot[] = jobs.map((job) => ({ job, dueAt: 0, running: null }));
  const locks = createJobLocks(locksDb);
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const unsubscribe = slots.flatMap((slot) => {
    const wake = () => {
      slot.dueAt = 0;
      if (timer) void begin(slot, false);
    };
    return slot.job.wakeOn === undefined ? [] : ctx.bus.on(slot.job.wakeOn, wake);
  });

  const isDue = (slot: Slot) => slot.dueAt <= ctx.clock.now();

  function begin(slot: Slot, wait: boolean): Promise<void> {
    slot.running ??= run(slot, wait).finally(() => {
      slot.running = null;
      // The job was woken during the run, which may have read its data before the change, so it runs again.
      if (timer && slot.dueAt === 0) void begin(slot, false);
    });
    return slot.running;
  }

  async function runTraced(job: Job): Promise<void> {
    const span = ctx.tracing.beginJob?.(job.name);
    let hasFailed = true;
    try {
      await job.run(stopping.signal);
      hasFailed = false;
    } finally {
      span?.end({ hasFailed });
    }
  }

  async function run(slot: Slot, wait: boolean): Promise<void> {
    const { job } = slot;
    slot.dueAt = ctx.clock.now() + job.everyMs;
    try {
      let ran = false;
      do {
        ran = await locks.whileAlone(job.name, () => runTraced(job));
        if (!ran && wait) await setTimeout(retryMs);
      } while (!ran && wait && !stopping.signal.aborted);
      ctx.metrics.jobs.inc({ job: job.name, outcome: ran ? "ok" : "elsewhere" });
      if (ran) ctx.metrics.jobSuccess.set({ name: job.name }, ctx.clock.now() / 1000);
    } catch (error) {
      ctx.metrics.jobs.inc({ job: job.name, outcome: "failed" });
      ctx.log.error({ err: error, job: job.name }, "a job failed");
    }
  }

  return {
    start() {
      for (const { job } of slots) ctx.metrics.jobInterval.set({ name: job.name }, job.everyMs / 1000);
      timer ??= setInterval(() => {
        for (const slot of slots) if (isDue(slot)) void begin(slot, false);
      }, tickMs).unref();
      for (const slot of slots) if (isDue(slot)) void begin(slot, false);
    },
    async stop() {
      if (timer) clearInterval(timer);
      timer = null;
      for (const off of unsubscribe) off();
      stopping.abort();
      await Promise.all(slots.map(({ running }) => running ?? Promise.resolve()));
      for (const { job } of slots) job.close?.();
    },
    /** For the test clock: runs all due jobs to completion, including jobs that they wake. */
    async runDue() {
      for (let round = 0; round < maxRounds; round += 1) {
        await Promise.all(slots.map(({ running }) => running ?? Promise.resolve()));
        const due = slots.filter(isDue);
        // Jobs that the timer started are no longer due, but may still be running.
        if (due.length === 0 && slots.every(({ running }) => running === null)) return;
        for (const slot of due) await begin(slot, true);
      }
    },
  };
}

const hourMs = 3_600_000;

/** Deletes data that can no longer be used; each noun has its own task. */
export type HousekeepingTask = (ctx: Context) => Promise<void>;

export function housekeepingJob(ctx: Context, tasks: readonly HousekeepingTask[]): Job {
  return {
    name: "housekeeping",
    everyMs: hourMs,
    async run() {
      const errors: unknown[] = [];
      for (const clean of tasks) await clean(ctx).catch((error: unknown) => void errors.push(error));
      if (errors.length > 0) throw new AggregateError(errors, "Not everything could be discarded");
    },
  };
}
