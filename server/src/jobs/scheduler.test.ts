// Tests when jobs run on the server's clock, and that a job never runs in two processes at once.
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createScheduler, housekeepingJob } from "./scheduler.ts";
import type { Job } from "../kit/job.ts";

let place: TestDatabase;
const contexts: Context[] = [];

beforeAll(async () => {
  place = await createTestDatabase(migrate);
});
afterAll(async () => {
  for (const ctx of contexts) await ctx.db.destroy();
  await place.drop();
});

function createProcess(): Context {
  const log = pino({ level: "silent" });
  const ctx = createContext({
    config: readConfig({
      HOST: "127.0.0.1",
      SESSION_SECRET: "s".repeat(40),
      DISPLAY_PRIVATE_KEY: "d".repeat(40),
      FIRMWARE_SIGNING_KEY: "f".repeat(40),
    }),
    db: openDatabase(place.url, { pool: 4, log }),
    clock: createStillClock(),
    log,
  });
  contexts.push(ctx);
  return ctx;
}
const job = (name: string, run: () => Promise<void> | void, extra: Partial<Job> = {}): Job => ({
  name,
  everyMs: 60_000,
  run: async () => run(),
  ...extra,
});

test("a job runs when due on the product's clock, not before", async () => {
  const ctx = createProcess();
  let runs = 0;
  const scheduler = createScheduler(ctx, [job("tick", () => void (runs += 1))]);
  await scheduler.runDue();
  await scheduler.runDue();
  expect(runs).toBe(1);
  ctx.clock.moveTo(ctx.clock.now() + 59_000);
  await scheduler.runDue();
  expect(runs).toBe(1);
  ctx.clock.moveTo(ctx.clock.now() + 1_000);
  await scheduler.runDue();
  expect(runs).toBe(2);
  // A skipped month triggers only one run, because jobs catch up by themselves.
  ctx.clock.moveTo(ctx.clock.now() + 30 * 86_400_000);
  await scheduler.runDue();
  expect(runs).toBe(3);
  await scheduler.stop();
});

test("jobs woken by jobs run in the same go; a failing job does not stop others", async () => {
  const ctx = createProcess();
  const order: string[] = [];
  const scheduler = createScheduler(ctx, [
    job("woken", () => void order.push("woken"), { wakeOn: "mailQueued" }),
    job("broken", () => {
      order.push("broken");
      throw new Error("no");
    }),
    job("writer", () => {
      order.push("writer");
      ctx.bus.emit({ name: "mailQueued", event: {} });
    }),
  ]);
  await scheduler.runDue();
  expect(order).toEqual(["woken", "broken", "writer", "woken"]);
  await scheduler.stop();
});

test("a failed job keeps the time of its last success", async () => {
  const ctx = createProcess();
  let fails = false;
  const scheduler = createScheduler(ctx, [
    job("shaky", () => {
      if (fails) throw new Error("no");
    }),
  ]);
  const successAt = async () => (await ctx.metrics.jobSuccess.get()).values;
  expect(await successAt()).toEqual([]);
  const firstAt = ctx.clock.now() / 1000;
  await scheduler.runDue();
  fails = true;
  ctx.clock.moveTo(ctx.clock.now() + 60_000);
  await scheduler.runDue();
  expect(await successAt()).toEqual([{ labels: { name: "shaky" }, value: firstAt }]);
  await scheduler.stop();
});

test("moving the clock also waits for jobs that the timer started", async () => {
  const ctx = createProcess();
  const order: string[] = [];
  const gates = { slow: Promise.withResolvers<void>(), late: Promise.withResolvers<void>() };
  const began = { slow: Promise.withResolvers<void>(), late: Promise.withResolvers<void>() };
  let lateRuns = 0;
  const scheduler = createScheduler(ctx, [
    job("slow", async () => {
      began.slow.resolve();
      await gates.slow.promise;
    }),
    job(
      "late",
      async () => {
        lateRuns += 1;
        if (lateRuns === 1) return;
        began.late.resolve();
        await gates.late.promise;
        order.push("late");
      },
      { wakeOn: "mailQueued" },
    ),
  ]);
  const ended = async (name: string) =>
    (await ctx.metrics.jobs.get()).values.some(({ labels }) => labels.job === name && labels.outcome === "ok");
  scheduler.start();
  await Promise.all([began.slow.promise, expect.poll(() => ended("late")).toBe(true)]);
  const answered = scheduler.runDue().then(() => order.push("answered"));
  ctx.bus.emit({ name: "mailQueued", event: {} });
  await began.late.promise;
  gates.slow.resolve();
  await expect.poll(() => ended("slow")).toBe(true);
  await new Promise((resolve) => void setImmediate(resolve));
  gates.late.resolve();
  await answered;
  expect(order).toEqual(["late", "answered"]);
  await scheduler.stop();
});

test("a stopping scheduler notifies long jobs and waits for their current step only", async () => {
  const ctx = createProcess();
  let steps = 0;
  const scheduler = createScheduler(ctx, [
    {
      name: "endless",
      everyMs: 60_000,
      async run(stopping) {
        while (!stopping?.aborted) {
          steps += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
  ]);
  scheduler.start();
  await expect.poll(() => steps).toBeGreaterThan(2);
  await scheduler.stop();
  const atStop = steps;
  await ctx.db.selectFrom("account").select("id").execute();
  expect(steps).toBe(atStop);
});

test("a job never runs in two processes at once", async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const schedulers = [createProcess(), createProcess(), createProcess()].map((ctx) =>
    createScheduler(ctx, [
      job("alone", async () => {
        running += 1;
        most = Math.max(most, running);
        await ctx.db.selectFrom("account").select("id").execute();
        await new Promise((resolve) => void setImmediate(resolve));
        running -= 1;
        runs += 1;
      }),
    ]),
  );
  await Promise.all(schedulers.map((one) => one.runDue()));
  expect([most, runs]).toEqual([1, 3]);
  await Promise.all(schedulers.map((one) => one.stop()));
});

test("stopping waits for the running job and starts no other", async () => {
  const ctx = createProcess();
  let release = () => {};
  const gate = new Promise<void>((resolve) => void (release = resolve));
  const began = Promise.withResolvers<void>();
  let ended = false;
  const scheduler = createScheduler(ctx, [
    job("long", async () => {
      began.resolve();
      await gate;
      ended = true;
    }),
  ]);
  scheduler.start();
  await began.promise;
  const stopped = scheduler.stop();
  expect(ended).toBe(false);
  release();
  await stopped;
  expect(ended).toBe(true);
});

test("more jobs than pool connections can start at once", async () => {
  const ctx = createProcess();
  const all = 6;
  let begun = 0;
  const together = Promise.withResolvers<void>();
  const done: string[] = [];
  const jobs = Array.from({ length: all }, (_, n) =>
    job(`crowd ${n}`, async () => {
      begun += 1;
      if (begun === all) together.resolve();
      await together.promise;
      await sql`select 1`.execute(ctx.db);
      done.push(`crowd ${n}`);
    }),
  );
  const scheduler = createScheduler(ctx, jobs);
  scheduler.start();
  await expect.poll(() => done.length).toBe(all);
  await scheduler.stop();
});

test("housekeeping continues after a failure and counts as failed", async () => {
  const done: string[] = [];
  const job = housekeepingJob(createProcess(), [
    () => Promise.reject(new Error("stuck")),
    async () => void done.push("later"),
  ]);
  await expect(job.run()).rejects.toThrow("Not everything could be discarded");
  expect(done).toEqual(["later"]);
});
