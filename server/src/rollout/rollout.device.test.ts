// Tests the installation of firmware on one sensor, which reports over MQTT while users read the state over HTTP (SE-09, FW-03).
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { installationStates } from "@psp/contract/sensor/presence.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { write } from "../db/write.ts";
import { birth, until } from "../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { assignFirmware } from "./rollout.service.ts";
import { createRolloutScene, waitForOffer, sendJobReport, type RolloutScene, desiredState } from "./scene.testing.ts";
import { findDesiredFirmware } from "./firmware.capability.ts";

let scene: RolloutScene;
let v19: string;
let v20: string;
beforeAll(async () => {
  scene = await createRolloutScene();
  v19 = await scene.firmware("1.19.0");
  v20 = await scene.firmware("1.20.0");
});
afterAll(() => scene.stop());

const hourMs = 3_600_000;
const actions = async (id: string) => (await scene.world.trail(id)).map((row) => row.action).toSorted();
const bornWith = (version: string) => birth(`s${version}`, { fw: version, reason: "fw" });

test("FW-03 assignment, task, manifest, states, running version, done", async () => {
  const device = await scene.sensor();
  const screen = await scene.world.live(scene.owner);
  expect((await scene.assign(device.id, v19)).status).toBe(200);
  expect(await scene.seen(device.id)).toMatchObject({ artifact: v19, status: null, install: null });
  const job = await waitForOffer(device, "1.19.0");
  expect(desiredState(device)?.fw).toMatchObject({ artifact: v19, type: "APS", class: "APS", validH: 48 });
  for (const [n, state] of ["INITIATE", "DOWNLOAD", "DOWNLOADED", "RUNNING"].entries()) {
    await sendJobReport(device, job, n + 1, state);
    expect(await scene.seen(device.id)).toMatchObject({ status: null, install: { ok: true, state } });
  }
  await device.up("state", bornWith("1.19.0"));
  expect(await scene.seen(device.id)).toMatchObject({ status: null, running: "1.19.0" });
  await sendJobReport(device, job, 5, "FINISHED");
  const done = await scene.world.call(scene.owner, "GET", `/api/sensor/${device.id}`);
  expect(done.body).toMatchObject({
    artifact: { _id: v19 },
    artifactRunning: { _id: v19, name: "1.19.0" },
    sensorUpdateTask: { status: "UpdateInitiatedOnSensor", artifactID: v19, createdByAccount: scene.owner.id },
    artifactInstallationState: { ok: true, state: "FINISHED" },
  });
  await until("the live message of the end", () =>
    screen.frames.find(
      ({ obj }) =>
        obj?.["_id"] === device.id && JSON.stringify(obj["sensorUpdateTask"]).includes("UpdateInitiatedOnSensor"),
    ),
  );
  await until("the desired firmware is withdrawn", () => desiredState(device)?.fw === null);
  expect(await actions(device.id)).toEqual(["assignFirmware", "endFirmware", "enrol", "update"]);
});

test("SE-02 the filter by installation follows the task's states", async () => {
  const device = await scene.sensor();
  const words = async () => {
    const found = await Promise.all(
      installationStates.map(async (word) => {
        const list = await scene.world.call(scene.owner, "GET", `/api/v2/sensor?installation=${word}&ids=${device.id}`);
        return list.list.length === 1 ? [word] : [];
      }),
    );
    return found.flat();
  };
  expect(await words()).toEqual([]);
  await scene.assign(device.id, v19);
  expect(await words()).toEqual(["waiting"]);
  const job = await waitForOffer(device, "1.19.0");
  const steps = { INITIATE: "waiting", DOWNLOAD: "installing", DOWNLOADED: "installing", RUNNING: "installing" };
  for (const [n, [state, word]] of Object.entries(steps).entries()) {
    await sendJobReport(device, job, n + 1, state);
    expect(await words(), state).toEqual([word]);
  }
  await sendJobReport(device, job, 5, "FINISHED");
  expect(await words()).toEqual(["installing"]);
  await device.up("reported", { rev: 1, applied: 1, info: { software: { firmware: { version: "1.19.0" } } } });
  expect(await words()).toEqual(["done"]);

  await scene.assign(device.id, v20);
  await sendJobReport(device, await waitForOffer(device, "1.20.0"), 1, "ERROR", { code: "SELFTEST" });
  expect(await words()).toEqual(["failed"]);
  await scene.assign(device.id, v20);
  expect(await words()).toEqual(["waiting"]);
  const last = await waitForOffer(device, "1.20.0");
  await sendJobReport(device, last, 1, "DOWNLOAD");
  await scene.assign(device.id, null);
  expect(await words()).toEqual(["installing"]);
  await sendJobReport(device, last, 2, "ERROR", { code: "CANCELED" });
  expect(await words()).toEqual(["canceled"]);
  await scene.assign(device.id, v20);
  await scene.pass(49 * hourMs + 60_000);
  expect(await words()).toEqual(["failed"]);
});

test.each(everyNth(2, [["v1.19.0"], ["1.19.0+build.7"], ["V1.19.0+9"], [" 1.19.0 "]]))(
  "SE-09 %j is the installed version; another one reverts it, and the first restores it",
  async (spelled) => {
    const device = await scene.sensor();
    const installation = async () => {
      const { rows } = await sql<{ installation: string }>`
        select installation from sensor where id = ${device.id}`.execute(scene.world.ctx.db);
      return rows[0]?.installation;
    };
    await scene.assign(device.id, v19);
    await sendJobReport(device, await waitForOffer(device, "1.19.0"), 1, "FINISHED");
    await device.up("state", bornWith(spelled));
    await device.up("reported", { rev: 1, applied: 1 });
    const done = { status: "UpdateInitiatedOnSensor", install: { state: "FINISHED" } };
    expect(await scene.seen(device.id)).toMatchObject(done);
    expect(await installation()).toBe("done");
    await device.up("state", bornWith("1.18.0"));
    expect(await scene.seen(device.id)).toMatchObject({ ...done, running: "1.18.0" });
    const reverted = `/api/v2/sensor?installation=reverted&ids=${device.id}`;
    expect((await scene.world.call(scene.owner, "GET", reverted)).list).toHaveLength(1);
    const rollout = await scene.world.call(scene.owner, "GET", `/api/artifact/${v19}/rollout`);
    expect(rollout.at("reverted")).toBeGreaterThanOrEqual(1);
    await device.up("reported", { rev: 1, applied: 1, info: { software: { firmware: { version: spelled } } } });
    expect(await installation()).toBe("done");
  },
);

test("SE-09 setting a reverted firmware again retries it", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const first = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, first, 1, "FINISHED");
  await device.up("state", bornWith("1.19.0"));
  await device.up("reported", { rev: 1, applied: 1 });
  await device.up("state", bornWith("1.18.0"));
  await scene.assign(device.id, v19);
  expect(await scene.seen(device.id)).toMatchObject({ status: null });
  await until("another job", () => {
    const job = (desiredState(device)?.fw as { job?: string } | null)?.job;
    return job !== undefined && job !== first;
  });
});

test("SE-09 a version reported after a cancel does not undo it", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const job = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, job, 1, "DOWNLOAD");
  await scene.assign(device.id, null);
  await sendJobReport(device, job, 2, "ERROR", { code: "CANCELED" });
  await device.up("state", bornWith("1.19.0"));
  await device.up("reported", { rev: 2, applied: 2 });
  expect(await scene.seen(device.id)).toMatchObject({ status: "UpdateCanceled", running: "1.19.0" });
});

test("SE-09 FINISHED counts once the new version is reported, in any order", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const job = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, job, 1, "FINISHED");
  expect(await scene.seen(device.id)).toMatchObject({ status: null, running: "1.18.0" });
  await device.up("reported", { rev: 1, applied: 1, info: { software: { firmware: { version: "1.19.0" } } } });
  expect(await scene.seen(device.id)).toMatchObject({ status: "UpdateInitiatedOnSensor", running: "1.19.0" });

  const liar = await scene.sensor();
  await scene.assign(liar.id, v19);
  await sendJobReport(liar, await waitForOffer(liar, "1.19.0"), 1, "FINISHED");
  await scene.pass(49 * hourMs + 60_000);
  expect(await scene.seen(liar.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor reported that it finished but runs 1.18.0",
  });
});

test("SE-09 a task whose process died before its event reaches the sensor minutes later", async () => {
  const device = await scene.sensor();
  const { ctx } = scene.world;
  const order = { sensorIds: [device.id], by: scene.owner.id };
  // Leaves rows without an event, like a process that was killed.
  const leave = (firmwareId: string | null) =>
    write(ctx, { system: "killed" }, (w) => assignFirmware(ctx, w, { ...order, firmwareId }));
  await leave(v19);
  await scene.pass(3 * 60_000);
  const job = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, job, 1, "DOWNLOAD");
  await leave(null);
  await scene.pass(3 * 60_000);
  await until("the desired firmware is withdrawn", () => desiredState(device)?.fw === null);
});

test("SE-09 an error ends the task with its reason; the same firmware can be retried", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const job = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, job, 3, "RUNNING");
  await sendJobReport(device, job, 4, "ERROR", {
    code: "SELFTEST",
    message: `No picture\u0007 from the\ncamera${"!".repeat(3_000)}`,
  });
  expect(await scene.seen(device.id)).toMatchObject({
    artifact: v19,
    status: "UpdateFailed",
    info: `SELFTEST: No picture from the camera${"!".repeat(474)}`,
    install: { ok: false, state: "ERROR" },
  });
  await until("the desired firmware is withdrawn", () => desiredState(device)?.fw === null);
  await sendJobReport(device, job, 5, "FINISHED");
  expect(await scene.seen(device.id)).toMatchObject({ status: "UpdateFailed" });

  await scene.assign(device.id, v19);
  expect(await scene.seen(device.id)).toMatchObject({ status: null, install: null });
  expect(await waitForOffer(device, "1.19.0")).not.toBe(job);
});

test("SE-09 a task unknown to devices is canceled at once", async () => {
  const device = await scene.sensor({ born: false });
  await scene.assign(device.id, v19);
  await scene.assign(device.id, null);
  expect(await scene.seen(device.id)).toMatchObject({ artifact: null, status: "UpdateCanceled" });
  await device.up("state", birth("s1"));
  expect(((await device.heard("desired")).json as { fw: unknown }).fw).toBeNull();
});

test("SE-09 a device obeys a cancel before installing, not after", async () => {
  const early = await scene.sensor();
  await scene.assign(early.id, v19);
  const job = await waitForOffer(early, "1.19.0");
  await sendJobReport(early, job, 1, "DOWNLOAD");
  await scene.assign(early.id, null);
  await until("the desired firmware is withdrawn", () => desiredState(early)?.fw === null);
  expect(await scene.seen(early.id)).toMatchObject({ artifact: null, status: null });
  await sendJobReport(early, job, 2, "ERROR", { code: "CANCELED" });
  expect(await scene.seen(early.id)).toMatchObject({ status: "UpdateCanceled" });

  const late = await scene.sensor();
  await scene.assign(late.id, v19);
  const running = await waitForOffer(late, "1.19.0");
  await sendJobReport(late, running, 1, "RUNNING");
  await scene.assign(late.id, null);
  expect(await scene.seen(late.id)).toMatchObject({ artifact: null, status: null });
  expect(desiredState(late)?.fw?.job).toBe(running);
  await late.up("state", bornWith("1.19.0"));
  await sendJobReport(late, running, 2, "FINISHED");
  expect(await scene.seen(late.id)).toMatchObject({ status: "UpdateInitiatedOnSensor" });
});

test("SE-09 a cancel that crosses the start of the installation loses", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const job = await waitForOffer(device, "1.19.0");
  await scene.assign(device.id, null);
  await sendJobReport(device, job, 1, "RUNNING");
  expect(await scene.seen(device.id)).toMatchObject({ status: null });
  await device.up("state", bornWith("1.19.0"));
  await sendJobReport(device, job, 2, "FINISHED");
  expect(await scene.seen(device.id)).toMatchObject({ artifact: null, status: "UpdateInitiatedOnSensor" });
});

test("SE-09 a device that never started confirms a cancel; a silent one gets ten minutes", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  await waitForOffer(device, "1.19.0");
  await scene.assign(device.id, null);
  const rev = await until(
    "the desired state without it",
    () => desiredState(device)?.fw === null && desiredState(device)?.rev,
  );
  await device.up("reported", { rev: rev - 1, applied: rev - 1 });
  expect(await scene.seen(device.id)).toMatchObject({ status: null });
  await device.up("reported", { rev, applied: rev });
  expect(await scene.seen(device.id)).toMatchObject({ status: "UpdateCanceled" });

  const silent = await scene.sensor();
  await scene.assign(silent.id, v19);
  await sendJobReport(silent, await waitForOffer(silent, "1.19.0"), 1, "DOWNLOAD");
  await scene.assign(silent.id, null);
  const next = await until(
    "the desired state without it",
    () => desiredState(silent)?.fw === null && desiredState(silent)?.rev,
  );
  await silent.up("reported", { rev: next, applied: next });
  expect(await scene.seen(silent.id)).toMatchObject({ status: null });
  await scene.pass(11 * 60_000);
  expect(await scene.seen(silent.id)).toMatchObject({ status: "UpdateCanceled" });
});

test("SE-09 a new assignment replaces one not yet installing; never both are offered", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const first = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, first, 1, "DOWNLOAD");
  await scene.assign(device.id, v20);
  expect(await scene.seen(device.id)).toMatchObject({ artifact: v20, status: null, install: null });
  await until("the first is taken back", () => desiredState(device)?.fw === null);
  await sendJobReport(device, first, 2, "ERROR", { code: "CANCELED" });
  const second = await waitForOffer(device, "1.20.0");
  expect(second).not.toBe(first);
  await sendJobReport(device, second, 1, "INITIATE");
  expect(await scene.seen(device.id)).toMatchObject({ status: null, install: { ok: true, state: "INITIATE" } });
});

test("SE-09 during an installation the next one waits, even if its first offer is missed", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const first = await waitForOffer(device, "1.19.0");
  await sendJobReport(device, first, 1, "RUNNING");
  await scene.assign(device.id, v20);
  expect(desiredState(device)?.fw?.job).toBe(first);
  await device.up("state", bornWith("1.19.0"));
  await sendJobReport(device, first, 2, "FINISHED");
  await waitForOffer(device, "1.20.0");
  expect(await scene.seen(device.id)).toMatchObject({ artifact: v20, status: null, running: "1.19.0" });
});

test("SE-09 the same assignment twice is one task; running versions are not installed again", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  const job = await waitForOffer(device, "1.19.0");
  await scene.assign(device.id, v19);
  const next = await scene.again(device);
  expect(desiredState(next)?.fw?.job).toBe(job);
  await next.up("state", bornWith("1.19.0"));
  await sendJobReport(next, job, 1, "FINISHED");
  await scene.assign(device.id, null);
  await scene.assign(device.id, v19);
  const { body } = await scene.world.call(scene.owner, "GET", `/api/sensor/${device.id}`);
  expect(body).toMatchObject({ artifact: { _id: v19 }, artifactRunning: { _id: v19 }, sensorUpdateTask: null });
});

test("SE-09 repeated, late and foreign reports change nothing", async () => {
  const [one, other] = [await scene.sensor(), await scene.sensor()];
  await scene.assign(one.id, v19);
  await scene.assign(other.id, v19);
  const job = await waitForOffer(one, "1.19.0");
  await sendJobReport(one, job, 5, "DOWNLOADED");
  await sendJobReport(one, job, 5, "ERROR", { code: "HASH" });
  await sendJobReport(one, job, 2, "ERROR", { code: "HASH" });
  await sendJobReport(other, job, 9, "ERROR", { code: "HASH" });
  await sendJobReport(one, "no-uuid", 9, "ERROR", { code: "HASH" });
  await sendJobReport(one, "00000000-0000-7000-8000-000000000000", 9, "ERROR", { code: "HASH" });
  expect(await scene.seen(one.id)).toMatchObject({ status: null, install: { ok: true, state: "DOWNLOADED" } });
  expect(await scene.seen(other.id)).toMatchObject({ status: null, install: null });
});

test("SE-09 without an outcome a task fails after 49 hours; a later version still counts", async () => {
  const [stuck, asleep, lost] = [await scene.sensor(), await scene.sensor({ born: false }), await scene.sensor()];
  for (const { id } of [stuck, asleep, lost]) await scene.assign(id, v19);
  const job = await waitForOffer(stuck, "1.19.0");
  await sendJobReport(stuck, job, 1, "RUNNING");
  await sendJobReport(lost, await waitForOffer(lost, "1.19.0"), 1, "RUNNING");
  await lost.up("state", bornWith("1.19.0"));
  await scene.pass(48 * hourMs);
  for (const { id } of [stuck, asleep, lost]) expect(await scene.seen(id)).toMatchObject({ status: null });
  await scene.pass(hourMs + 60_000);
  expect(await scene.seen(stuck.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor did not finish within 49 hours",
  });
  expect(await scene.seen(asleep.id)).toMatchObject({
    status: "UpdateFailed",
    info: "The sensor could not be reached within 49 hours",
  });
  expect(await scene.seen(lost.id)).toMatchObject({ status: "UpdateInitiatedOnSensor" });

  await stuck.up("state", bornWith("1.19.0"));
  await sendJobReport(stuck, job, 2, "FINISHED");
  expect(await scene.seen(stuck.id)).toMatchObject({ status: "UpdateInitiatedOnSensor", running: "1.19.0" });
});

test("FW-03 the init token's firmware is assigned at enrollment", async () => {
  const made = await scene.world.call(scene.owner, "POST", "/api/init_token", {
    body: { name: "with firmware", owner: scene.owner.id, artifact: v19 },
  });
  const device = await scene.sensor({ token: String(made.at("token")) });
  await waitForOffer(device, "1.19.0");
  expect(await scene.seen(device.id)).toMatchObject({ artifact: v19, status: null });
});

test("FW-03 firmware of another type is refused with 102", async () => {
  const device = await scene.sensor();
  const zod = await scene.firmware("3.0.0", "ZOD");
  const reply = await scene.assign(device.id, zod);
  expect([reply.status, reply.code]).toEqual([400, 102]);
  expect(await scene.seen(device.id)).toMatchObject({ artifact: null, status: undefined });
});

test("FW-03 firmware deleted before its offer, or without a file, fails its tasks", async () => {
  const [one, other] = [await scene.sensor({ born: false }), await scene.sensor()];
  const gone = await scene.firmware("1.21.0");
  await scene.assign(one.id, gone);
  await scene.world.call(scene.owner, "DELETE", `/api/artifact/${gone}`);
  await one.up("state", birth("s1"));
  await until("the end", async () => (await scene.seen(one.id)).status);
  expect(await scene.seen(one.id)).toMatchObject({ status: "UpdateFailed", info: "The firmware was deleted" });

  await scene.assign(other.id, await scene.world.firmware(scene.owner, "APS", "1.22.0"));
  await until("the end", async () => (await scene.seen(other.id)).status);
  expect(await scene.seen(other.id)).toMatchObject({ status: "UpdateFailed", info: "The firmware has no file" });
});

test("SE-09 a deleted sensor has no tasks when it is restored", async () => {
  const device = await scene.sensor();
  await scene.assign(device.id, v19);
  await waitForOffer(device, "1.19.0");
  await scene.world.call(scene.owner, "DELETE", `/api/sensor/${device.id}`);
  const { rows } = await scene.world.ctx.db
    .getExecutor()
    .executeQuery<{ state: string }>(
      scene.world.ctx.db
        .selectFrom("update_task")
        .innerJoin("sensor", "sensor.num", "update_task.sensor_num")
        .where("sensor.id", "=", device.id)
        .select("state")
        .compile(),
    );
  expect(rows.map((row) => row.state)).toEqual(["canceled"]);
});

test("SE-09 an offer survives a concurrent reader that started before it", async () => {
  const [other, device] = [await scene.sensor(), await scene.sensor()];
  await scene.assign(other.id, v19);
  await waitForOffer(other, "1.19.0");
  const { ctx, url } = scene.world;
  const { late } = await ctx.db.transaction().execute(async (tx) => {
    await sql`select from sensor where id = ${other.id} for update`.execute(tx);
    const pending = write(ctx, { system: "test" }, (w) => findDesiredFirmware(ctx, w, url, [other.id, device.id]));
    await untilSomebodyWaits(ctx.db);
    await scene.assign(device.id, v19);
    await waitForOffer(device, "1.19.0");
    return { late: pending };
  });
  expect([...(await late).values()].map((manifest) => manifest.version)).toEqual(["1.19.0", "1.19.0"]);
});
