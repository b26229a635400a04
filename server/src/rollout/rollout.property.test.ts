// Tests that tasks end as an independent model predicts, in any order of assignments, reports, repeats, silences,
// restarts and clock changes.
import { fc, test as property } from "@fast-check/vitest";
import type { DesiredState } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { afterAll, beforeAll, expect } from "vitest";
import { write } from "../db/write.ts";
import { setPresence, desiredStateOf } from "../testing/devices/device-states.ts";
import { createWorld, type World } from "../testing/world.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { setPaused } from "./pause.service.ts";
import { type DeviceReportQueue, createReportQueue } from "./job-report.service.ts";
import { rolloutJob } from "./rollout.job.ts";
import { assignFirmware } from "./rollout.service.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";

const hourMs = 3_600_000;
const versions = ["2.0.0", "3.0.0"] as const;
const sensorsAtOnce = 16;
const roundsEach = 32;

let world: World;
let firmware: string[];
let reports: DeviceReportQueue;
let last = 0;
beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  firmware = [];
  for (const name of versions)
    firmware.push((await world.upload(world.root, { type: "APS", name }, Buffer.from(name))).id);
  reports = createReportQueue(world.ctx, 2);
});
afterAll(async () => {
  await reports.stop();
  await world.stop();
});

type Report = {
  job: string;
  state: "INITIATE" | "DOWNLOAD" | "DOWNLOADED" | "RUNNING" | "FINISHED" | "ERROR";
  n: number;
  code: string | null;
};
type Job = { id: string; version: string; step: number; end: "finished" | "failed" | "obeyed" | null };
type Device = {
  id: string;
  num: number;
  on: boolean;
  runs: string;
  rev: number;
  mail: DesiredState | null;
  job: Job | null;
  wanted: DesiredState["fw"];
  n: number;
  said: Report[];
  known: Map<string, Job>;
  boots: Map<string, number>;
};
type Facts = {
  offered: boolean;
  canceled: boolean;
  paused: boolean;
  hadRunning: boolean;
  hadEnd: boolean;
  verdict: string | null;
  word: Report | null;
};

const steps = ["INITIATE", "DOWNLOAD", "DOWNLOADED", "RUNNING"] as const;

async function plant(): Promise<Device> {
  last += 1;
  const id = toMac(0x0200_0001_0000 + last);
  const { num } = await world.ctx.db
    .insertInto("sensor")
    .values({ id, owner_id: world.root.id, owner_path: world.root.path, type: "APS" })
    .returning("num")
    .executeTakeFirstOrThrow();
  const secret_hash = Buffer.from(id);
  await world.ctx.db
    .insertInto("device")
    .values({ sensor_num: num, secret_hash, enrolled_at: new Date(0) })
    .execute();
  const none = { job: null, wanted: null, mail: null, n: 0, said: [], known: new Map(), boots: new Map() };
  return { id, num, on: false, runs: "1.0.0", rev: -1, ...none };
}

async function publish(device: Device, facts: Map<string, Facts>): Promise<void> {
  const published = await desiredStateOf(world.ctx, device.id);
  if (device.on && published) device.mail = published;
  const offer = facts.get(published?.fw?.job ?? "");
  if (offer) {
    expect(offer.paused, "a paused task was offered").toBe(false);
    offer.offered = true;
  }
  // A task whose version already runs is never offered, and can no longer be canceled.
  for (const { task, fact } of await openOf(device, facts))
    if (!fact.offered && task.state === "done" && task.version === (await runningOf(device))) fact.verdict = "done";
}

async function openOf(device: Device, facts: Map<string, Facts>) {
  return (await tasksOf(device)).flatMap((task) => {
    const fact = facts.get(task.id);
    return fact && fact.verdict === null && !fact.hadEnd ? [{ task, fact }] : [];
  });
}

async function reportPresence(device: Device): Promise<void> {
  await setPresence(world.ctx, device.id, device.on, device.runs);
  await reports.add({ sensorId: device.id, report: null, applied: device.rev });
}

async function send(device: Device, report: Report, facts: Map<string, Facts>): Promise<void> {
  const { job, state, n, code } = report;
  await reports.add({ sensorId: device.id, report: { job, state, n, code, ok: state !== "ERROR", at: 0 } });
  const fact = facts.get(job);
  if (!fact || fact.hadEnd) return;
  if (n > (fact.word?.n ?? 0)) fact.word = report;
  if (state === "RUNNING") fact.hadRunning = true;
  if (state === "FINISHED" || state === "ERROR") fact.hadEnd = true;
}

async function say(device: Device, job: Job, state: Report["state"], code: string | null, facts: Map<string, Facts>) {
  device.n += 1;
  const report = { job: job.id, state, n: device.n, code };
  device.said.push(report);
  // Intermediate reports may get lost; the last one is repeated until received.
  if (device.on) await send(device, report, facts);
}

async function end(device: Device, job: Job, how: NonNullable<Job["end"]>, facts: Map<string, Facts>): Promise<void> {
  job.end = how;
  await say(
    device,
    job,
    how === "finished" ? "FINISHED" : "ERROR",
    how === "failed" ? "HASH" : how === "obeyed" ? "CANCELED" : null,
    facts,
  );
  begin(device);
}

function begin(device: Device): void {
  const { wanted } = device;
  if (!wanted || (device.job && device.job.end === null) || device.known.has(wanted.job)) return;
  device.job = { id: wanted.job, version: wanted.version, step: -1, end: null };
  device.known.set(wanted.job, device.job);
}

async function hear(device: Device, facts: Map<string, Facts>): Promise<void> {
  const { mail } = device;
  if (!device.on || !mail || mail.rev < device.rev) return;
  device.mail = null;
  device.rev = mail.rev;
  device.wanted = mail.fw;
  await reportPresence(device);
  for (const { task, fact } of await openOf(device, facts))
    if (fact.canceled && !device.known.has(task.id) && task.id !== mail.fw?.job) fact.verdict = "canceled";
  const { job } = device;
  if (job && job.end === null && job.step < 3 && job.id !== mail.fw?.job) await end(device, job, "obeyed", facts);
  else begin(device);
}

/** Advances the current job by one step: four states, then the boot into the new version, then its proof. */
async function advance(device: Device, facts: Map<string, Facts>): Promise<void> {
  const { job } = device;
  if (!job || job.end !== null) return;
  job.step += 1;
  const state = steps[job.step];
  if (state) return say(device, job, state, null, facts);
  if (job.step === 4) {
    device.boots.set(job.id, (device.boots.get(job.id) ?? 0) + 1);
    device.runs = job.version;
    if (device.on) await reportPresence(device);
  } else await end(device, job, "finished", facts);
}

async function fail(device: Device, facts: Map<string, Facts>): Promise<void> {
  const { job } = device;
  // Jobs fail only in one of the four reported states: not before the first, nor after the boot.
  if (!job || job.end !== null || job.step < 0 || job.step > 3) return;
  await end(device, job, "failed", facts);
}

async function power(device: Device, on: boolean, facts: Map<string, Facts>): Promise<void> {
  if (device.on === on) return;
  device.on = on;
  await reportPresence(device);
  if (!on) return void (device.mail = null);
  await publish(device, facts);
  await repeatLast(device, facts);
}

async function repeatLast(device: Device, facts: Map<string, Facts>): Promise<void> {
  if (!device.on) return;
  // Real devices keep the last report of every job until it is acknowledged.
  for (const job of device.known.keys()) {
    const report = device.said.findLast((one) => one.job === job);
    if (report) await send(device, report, facts);
  }
}

const tasksOf = (device: Device) =>
  world.ctx.db.selectFrom("update_task").selectAll().where("sensor_num", "=", device.num).orderBy("id").execute();

async function assign(device: Device, to: string | null, facts: Map<string, Facts>): Promise<void> {
  const before = await openOf(device, facts);
  await write(world.ctx, { system: "test" }, async (w) => {
    await assignFirmware(world.ctx, w, { sensorIds: [device.id], firmwareId: to, by: world.root.id });
  });
  const wanted = before.filter(({ task }) => task.firmware_id === to);
  // A second task for the same firmware, behind one that can't be canceled any more, is superfluous.
  const isUnderWay = wanted.some(({ fact }) => fact.offered && (!fact.canceled || fact.hadRunning));
  for (const { task, fact } of before) {
    if (task.firmware_id === to && (fact.offered || !isUnderWay)) continue;
    fact.canceled = true;
    // No device knows the task, so it is canceled at once.
    if (!fact.offered) fact.verdict = "canceled";
  }
  for (const task of await tasksOf(device))
    if (!facts.has(task.id))
      facts.set(task.id, {
        offered: false,
        canceled: false,
        paused: false,
        hadRunning: false,
        hadEnd: false,
        verdict: null,
        word: null,
      });
  await publish(device, facts);
}

/** A user pauses or resumes the tasks that no device knows. */
async function hold(device: Device, paused: boolean, facts: Map<string, Facts>): Promise<void> {
  for (const { fact } of await openOf(device, facts)) if (!fact.offered) fact.paused = paused;
  await write(world.ctx, { system: "test" }, (w) => setPaused(world.ctx, w, [device.id], paused));
  await publish(device, facts);
}

async function passDays(devices: Device[], facts: Map<string, Facts>): Promise<void> {
  for (const device of devices)
    for (const { task, fact } of await openOf(device, facts)) {
      if (fact.paused) continue;
      const isThere = (await runningOf(device)) === task.version;
      fact.verdict = isThere ? "done" : fact.canceled && !fact.hadRunning ? "canceled" : "expired";
    }
  world.ctx.clock.moveTo(world.ctx.clock.now() + 50 * hourMs);
  await rolloutJob(world.ctx).run();
  for (const device of devices) await publish(device, facts);
}

async function runningOf(device: Device): Promise<string | null> {
  const row = await world.ctx.db
    .selectFrom("sensor")
    .select("running_version")
    .where("id", "=", device.id)
    .executeTakeFirstOrThrow();
  return row.running_version;
}

/**
 * Every device connects, receives its desired state, finishes its job and repeats its last report. After that, eleven
 * minutes pass without reports. Repeats this several times. Some tasks stay paused.
 */
async function settle(devices: Device[], facts: Map<string, Facts>): Promise<void> {
  for (const [index, device] of devices.entries()) if (index % 2 === 0) await hold(device, false, facts);
  for (let round = 0; round < 8; round += 1) {
    await Promise.all(
      devices.map(async (device) => {
        await power(device, true, facts);
        await reportPresence(device);
        await publish(device, facts);
        await hear(device, facts);
        for (let step = 0; step < 7; step += 1) await advance(device, facts);
        await repeatLast(device, facts);
      }),
    );
    world.ctx.clock.moveTo(world.ctx.clock.now() + 11 * 60_000);
    await rolloutJob(world.ctx).run();
  }
}

function expected(fact: Facts, job: Job | undefined, version: string, runs: string): string[] {
  if (job?.end === "finished") return ["done"];
  if (fact.verdict !== null) return [fact.verdict];
  if (fact.paused) return ["paused"];
  if (job?.end === "failed") return ["failed"];
  if (job?.end === "obeyed") return ["canceled"];
  return fact.canceled ? ["canceled"] : version === runs ? ["done"] : ["nothing"];
}

/** Weights of events, chosen so that enough tasks run to the end. */
const weights = {
  "assign 0": 2,
  "assign 1": 1,
  cancel: 1,
  pause: 2,
  resume: 1,
  on: 3,
  off: 2,
  hear: 5,
  advance: 9,
  fail: 1,
  again: 1,
  late: 1,
};
const action = fc.oneof(...Object.entries(weights).map(([what, weight]) => ({ arbitrary: fc.constant(what), weight })));
const sequences = fc.array(fc.array(action, { minLength: roundsEach, maxLength: roundsEach }), {
  minLength: sensorsAtOnce,
  maxLength: sensorsAtOnce,
});
const interludes = fc.array(
  fc.oneof(
    { arbitrary: fc.constant(""), weight: 60 },
    { arbitrary: fc.constant("days"), weight: 3 },
    { arbitrary: fc.constant("restart"), weight: 3 },
  ),
  { minLength: roundsEach, maxLength: roundsEach },
);

property.prop([sequences, interludes], { seed: seedOf(412_508_168), numRuns: rounds(1, 40), endOnFailure: true })(
  "SE-09 FW-03 whatever happens in whatever order: at most one boot per task, and every task ends as the model says",
  async (plans, between) => {
    const devices = await Promise.all(plans.map(plant));
    const facts = new Map<string, Facts>();
    for (const [round, interlude] of between.entries()) {
      await Promise.all(devices.map((device, index) => act(device, plans[index]?.[round] ?? "hear", facts)));
      for (const device of devices) await checkWord(device, facts);
      if (interlude === "days") await passDays(devices, facts);
      if (interlude === "restart") {
        await reports.stop();
        reports = createReportQueue(world.ctx, 2);
      }
    }
    await settle(devices, facts);
    for (const [index, device] of devices.entries()) {
      const story = `${plans[index]?.join(", ")} | ${between.join(",")}`;
      for (const [job, boots] of device.boots) expect(boots, `${job}: ${story}`).toBe(1);
      const tasks = await tasksOf(device);
      for (const task of tasks) {
        const fact = facts.get(task.id) as Facts;
        const allowed = expected(fact, device.known.get(task.id), task.version, device.runs);
        expect(allowed, `${task.version} of ${device.id}: ${story}\n${JSON.stringify(fact)}`).toContain(task.state);
      }
      const sensor = await world.ctx.db
        .selectFrom("sensor")
        .selectAll()
        .where("id", "=", device.id)
        .executeTakeFirstOrThrow();
      expect(sensor.running_version, story).toBe(device.runs);
      const shown = tasks.find((task) => task.id === sensor.update_task?.id);
      const status = { done: "UpdateInitiatedOnSensor", failed: "UpdateFailed", expired: "UpdateFailed" };
      if (shown)
        expect({ canceled: "UpdateCanceled", paused: null, ...status }, story).toMatchObject({
          [shown.state]: sensor.update_task?.status,
        });
    }
  },
  rounds(300_000, 3_600_000),
);

/** Expects the stored state to be that of the device's last report, despite late or repeated reports. */
async function checkWord(device: Device, facts: Map<string, Facts>): Promise<void> {
  const row = await world.ctx.db
    .selectFrom("sensor")
    .select(["update_task", "install_state"])
    .where("id", "=", device.id)
    .executeTakeFirstOrThrow();
  const fact = facts.get(row.update_task?.id ?? "");
  // A task that ended because its version already ran ignores reports.
  if (fact && fact.verdict !== "done") expect(row.install_state?.state).toBe(fact.word?.state);
}

async function act(device: Device, what: string, facts: Map<string, Facts>): Promise<void> {
  if (what.startsWith("assign")) return assign(device, firmware[Number(what.at(-1))] ?? null, facts);
  if (what === "cancel") return assign(device, null, facts);
  if (what === "pause" || what === "resume") return hold(device, what === "pause", facts);
  if (what === "on" || what === "off") return power(device, what === "on", facts);
  if (what === "hear") return hear(device, facts);
  if (what === "advance") return advance(device, facts);
  if (what === "fail") return fail(device, facts);
  if (what === "again") return repeatLast(device, facts);
  const report = device.said[Math.floor(device.said.length / 2)];
  if (report && device.on) await send(device, { ...report }, facts);
}
