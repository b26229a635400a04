// Tests the invariants of tasks over REST in any order of assignments, tunnels, responses, silences, kills and clock
// changes.
import { fc, test as property } from "@fast-check/vitest";
import { toMac } from "@psp/contract/kit/mac.ts";
import { restPaths } from "@psp/contract/sensor/sensor.rest.ts";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { write } from "../db/write.ts";
import { seal } from "../kit/sealing.ts";
import { setPresence, desiredStateOf } from "../testing/devices/device-states.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type World } from "../testing/world.ts";
import { TunnelError, type TunnelReply, type Tunnels } from "../tunnel/tunnel.service.ts";
import { setPaused } from "./pause.service.ts";
import { type DeviceReportQueue, createReportQueue } from "./job-report.service.ts";
import { type RestRollout, startRestRollout } from "./rest.service.ts";
import { rolloutJob } from "./rollout.job.ts";
import { assignFirmware } from "./rollout.service.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";

const hourMs = 3_600_000;
const versions = ["2.0.0", "3.0.0"] as const;
const sensorsAtOnce = 12;
const roundsEach = 28;

type Device = {
  id: string;
  num: number;
  runs: string;
  tunnel: boolean;
  login: "in" | "refused" | "busy";
  /** Fate of the next order: a response, or a failure on the way. */
  next: "ok" | "refused" | "unheard" | "heard" | "gone" | "killed unheard" | "killed heard";
  orders: { task: string; version: string }[];
};
type Facts = {
  posts: number;
  answer: "ok" | "refused" | null;
  isLoginRefused: boolean;
  isInstalled: boolean;
  isPaused: boolean;
};

let world: World;
let firmware: string[];
let reports: DeviceReportQueue;
let rest: RestRollout;
let last = 0;
let devices: Device[] = [];
let facts = new Map<string, Facts>();
/** Resolves when the test simulates that this process is killed. */
let killed = Promise.withResolvers<void>();

beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  firmware = [];
  for (const name of versions)
    firmware.push((await world.upload(world.root, { type: "APS", name }, Buffer.from(name))).id);
  reports = createReportQueue(world.ctx, 2);
  begin();
});
afterAll(async () => {
  await rest.stop();
  await reports.stop();
  await world.stop();
});

function begin() {
  killed = Promise.withResolvers<void>();
  rest = startRestRollout(world.ctx, {
    tunnels: portOf(killed.resolve),
    baseUrl: () => "https://x.example",
    everyMs: 1e9,
  });
}

const tasksOf = (device: Device) =>
  world.ctx.db.selectFrom("update_task").selectAll().where("sensor_num", "=", device.num).orderBy("id").execute();
const factsOf = (task: string): Facts => {
  const known = facts.get(task) ?? {
    posts: 0,
    answer: null,
    isLoginRefused: false,
    isInstalled: false,
    isPaused: false,
  };
  facts.set(task, known);
  return known;
};

/** Simulated tunnels to the sensors; `die` simulates that the requesting process is killed. */
function portOf(die: () => void): Tunnels {
  const find = (id: string) => devices.find((device) => device.id === id);
  const reply = (status: number, body: object | string = ""): TunnelReply => ({
    status,
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  return {
    isOpen: (id) => find(id)?.tunnel ?? false,
    openIds: () => devices.filter((device) => device.tunnel).map((device) => device.id),
    onOpen: () => () => undefined,
    async request(id, { path }) {
      const device = find(id);
      if (!device?.tunnel) throw new TunnelError("none", false);
      if (path === restPaths.login) {
        if (device.login === "busy") return reply(503);
        const waiting = (await tasksOf(device)).find((task) => task.state === "waiting");
        if (device.login === "refused" && waiting) factsOf(waiting.id).isLoginRefused = true;
        return device.login === "in" ? reply(200, { access_token: "t" }) : reply(401);
      }
      return order(device, die, reply);
    },
  };
}

async function order(device: Device, die: () => void, reply: (status: number) => TunnelReply): Promise<TunnelReply> {
  const { next } = device;
  if (next === "gone") {
    device.tunnel = false;
    throw new TunnelError("gone", false);
  }
  // The request must have been stored before it is sent.
  const asked = (await tasksOf(device)).filter((task) => task.state === "asked");
  expect(asked).toHaveLength(1);
  const { id, version } = asked[0] as { id: string; version: string };
  const fact = factsOf(id);
  expect(fact.isPaused, "a paused sensor was asked").toBe(false);
  fact.posts += 1;
  if (next === "refused") {
    fact.answer = "refused";
    return reply(400);
  }
  if (!next.endsWith("unheard")) device.orders.push({ task: id, version });
  if (next.startsWith("killed")) {
    die();
    return new Promise(() => undefined);
  }
  if (next !== "ok") throw new TunnelError("cut", true);
  fact.answer = "ok";
  return reply(200);
}

async function plant(): Promise<Device> {
  last += 1;
  const id = toMac(0x0200_0002_0000 + last);
  const { num } = await world.ctx.db
    .insertInto("sensor")
    .values({
      id,
      owner_id: world.root.id,
      owner_path: world.root.path,
      type: "APS",
      rest_username: "user-role-edit",
      rest_password_sealed: seal(world.ctx.config, `sensor-rest:${id}`, "password"),
    })
    .returning("num")
    .executeTakeFirstOrThrow();
  await world.ctx.db
    .insertInto("device")
    .values({ sensor_num: num, secret_hash: Buffer.from(id), enrolled_at: new Date(0), sid: "s", caps: ["count"] })
    .execute();
  const device: Device = { id, num, runs: "1.0.0", tunnel: false, login: "in", next: "ok", orders: [] };
  await setPresence(world.ctx, id, true, device.runs);
  return device;
}

async function assign(device: Device, to: string | null): Promise<void> {
  await write(world.ctx, { system: "test" }, (w) =>
    assignFirmware(world.ctx, w, { sensorIds: [device.id], firmwareId: to, by: world.root.id }),
  );
  // The gateway publishes after every change, but never a manifest for these sensors.
  expect((await desiredStateOf(world.ctx, device.id))?.fw).toBeNull();
}

/** Pauses or resumes the tasks that were not sent to a sensor yet. */
async function hold(device: Device, paused: boolean): Promise<void> {
  for (const { id, state } of await tasksOf(device))
    if (state === "waiting" || state === "paused") factsOf(id).isPaused = paused;
  await write(world.ctx, { system: "test" }, (w) => setPaused(world.ctx, w, [device.id], paused));
}

/** The sensor installs its last order and reports it with its birth. */
async function install(device: Device): Promise<void> {
  const done = device.orders.pop();
  device.orders = [];
  if (!done) return;
  factsOf(done.task).isInstalled = true;
  device.runs = done.version;
  await tell(device);
  // The version in the birth completes the task, unless the task expired or was canceled and a later one is displayed.
  const row = await sensorRow(device);
  const task = (await tasksOf(device)).find((one) => one.id === done.task);
  const isShown = row.update_task?.id === done.task;
  if (isShown || !["expired", "canceled"].includes(task?.state ?? "")) expect(task?.state).toBe("done");
}
const sensorRow = (device: Device) =>
  world.ctx.db.selectFrom("sensor").selectAll().where("id", "=", device.id).executeTakeFirstOrThrow();
async function tell(device: Device): Promise<void> {
  await setPresence(world.ctx, device.id, true, device.runs);
  await reports.add({ sensorId: device.id, report: null, applied: null });
}

/** Lets the rollout check all sensors, and replaces the process if it was killed. */
async function work(): Promise<void> {
  const died = await Promise.race([rest.settle().then(() => false), killed.promise.then(() => true)]);
  if (!died) return;
  void rest.stop();
  begin();
}

async function passDays(): Promise<void> {
  world.ctx.clock.moveTo(world.ctx.clock.now() + 50 * hourMs);
  await rolloutJob(world.ctx).run();
  for (const device of devices)
    for (const { id, state } of await tasksOf(device))
      if (factsOf(id).isPaused) expect(["paused", "canceled"]).toContain(state);
}

async function act(device: Device, what: string): Promise<void> {
  if (what.startsWith("assign")) return assign(device, firmware[Number(what.at(-1))] ?? null);
  if (what === "cancel") return assign(device, null);
  if (what === "pause" || what === "resume") return hold(device, what === "pause");
  if (what === "tunnel") device.tunnel = !device.tunnel;
  else if (what === "install") return install(device);
  else if (what === "tell") return tell(device);
  else if (what.startsWith("login ")) device.login = what.slice(6) as Device["login"];
  else if (what.startsWith("next ")) device.next = what.slice(5) as Device["next"];
}

const weights = {
  "assign 0": 3,
  "assign 1": 2,
  cancel: 2,
  pause: 2,
  resume: 1,
  tunnel: 3,
  install: 3,
  tell: 1,
  "login in": 2,
  "login refused": 1,
  "login busy": 1,
  "next ok": 3,
  "next refused": 1,
  "next unheard": 1,
  "next heard": 1,
  "next gone": 1,
  "next killed unheard": 1,
  "next killed heard": 1,
};
const action = fc.oneof(...Object.entries(weights).map(([what, weight]) => ({ arbitrary: fc.constant(what), weight })));
const plansOf = fc.array(fc.array(action, { minLength: roundsEach, maxLength: roundsEach }), {
  minLength: sensorsAtOnce,
  maxLength: sensorsAtOnce,
});
const interludes = fc.array(
  fc.oneof(
    { arbitrary: fc.constant("work"), weight: 12 },
    { arbitrary: fc.constant("restart"), weight: 4 },
    { arbitrary: fc.constant("days"), weight: 1 },
  ),
  { minLength: roundsEach, maxLength: roundsEach },
);

// The rules of a rollout are also covered by rollout.property.test.ts, without REST.
describe("random histories", { tags: "prove" }, () => {
  property.prop([plansOf, interludes], { seed: seedOf(184_001_613), numRuns: rounds(2, 40), endOnFailure: true })(
    "SE-09 FW-03 through REST, whatever happens in whatever order: one question per task, and every end is true",
    async (plans, between) => {
      facts = new Map();
      devices = await Promise.all(plans.map(plant));
      for (const [round, interlude] of between.entries()) {
        for (const [index, device] of devices.entries()) await act(device, plans[index]?.[round] ?? "tell");
        if (interlude === "restart") void rest.stop();
        if (interlude === "restart") begin();
        await (interlude === "days" ? passDays() : work());
      }
      for (const device of devices) Object.assign(device, { tunnel: true, login: "in", next: "ok" });
      for (const device of devices) await hold(device, false);
      for (let round = 0; round < 6; round += 1) {
        void rest.stop();
        begin();
        await work();
        for (const device of devices) await install(device);
        if (round % 3 === 2) await passDays();
      }
      for (const [index, device] of devices.entries())
        await check(device, `${device.id}: ${plans[index]?.join(", ")} | ${between.join(",")}`);
    },
    rounds(300_000, 3_600_000),
  );
});

async function check(device: Device, story: string): Promise<void> {
  const tasks = await tasksOf(device);
  for (const task of tasks) {
    const fact = factsOf(task.id);
    const label = `${task.version} ${task.state} ${JSON.stringify(fact)} of ${story}`;
    expect(fact.posts, label).toBeLessThanOrEqual(1);
    expect(["done", "failed", "expired", "canceled"], label).toContain(task.state);
    if (task.state === "canceled") expect(fact.posts, label).toBe(0);
    if (task.state === "failed") expect(fact.answer === "refused" || fact.isLoginRefused, label).toBe(true);
    if (fact.answer === "refused") expect(task.state, label).toBe("failed");
    if (task.state === "done" && fact.posts === 1) expect(fact.answer, label).not.toBe("refused");
  }
  const sensor = await sensorRow(device);
  const shown = tasks.find((task) => task.id === sensor.update_task?.id);
  if (shown && factsOf(shown.id).isInstalled) expect(shown.state, story).toBe("done");
  const status = { done: "UpdateInitiatedOnSensor", failed: "UpdateFailed", expired: "UpdateFailed" };
  if (shown)
    expect({ canceled: "UpdateCanceled", ...status }, story).toMatchObject({
      [shown.state]: sensor.update_task?.status,
    });
  if (shown?.state === "expired") expect(sensor.running_version, story).not.toBe(shown.version);
}
