// Paused installations never start until an authorized user resumes them (SE-09, SE-03, FW-03).
import { pausedInstallationInfo } from "@psp/contract/sensor/install-progress.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "../process/server.ts";
import { birth, type Device, until } from "../testing/devices/device-world.ts";
import type { JsonObject, Person, Reply } from "../testing/world.ts";
import { createRolloutScene, desiredState, waitForOffer, sendJobReport, type RolloutScene } from "./scene.testing.ts";

const hourMs = 3_600_000;

let scene: RolloutScene;
let firmware: string;
beforeAll(async () => {
  scene = await createRolloutScene();
  firmware = await scene.firmware("1.19.0");
});
afterAll(() => scene.stop());

type State = "waiting" | "paused";
const set = (sensorIDs: string[], installation: State, who: Person = scene.owner): Promise<Reply> =>
  scene.world.call(who, "PUT", "/api/v2/sensor/batch-update", { body: { sensorIDs, changes: { installation } } });
const rollout = async (id = firmware) =>
  (await scene.world.call(scene.owner, "GET", `/api/artifact/${id}/rollout`)).body as JsonObject;
const actions = async (id: string) => (await scene.world.trail(id)).map((row) => row.action);

/** Creates a sensor whose assigned firmware can't start to install, because the device never sent its birth message. */
async function away(id = firmware): Promise<Device> {
  const device = await scene.sensor({ born: false });
  expect((await scene.assign(device.id, id)).status).toBe(200);
  return device;
}

test("SE-09 FW-03 paused tasks start neither at a connection nor by the clock; resumed ones at once", async () => {
  const device = await away();
  const screen = await scene.world.live(scene.owner);
  expect((await set([device.id], "paused")).body).toEqual({ success: 1, fail: [] });
  expect(await scene.seen(device.id)).toMatchObject({ artifact: firmware, status: null, info: pausedInstallationInfo });
  await until("the live message of the pause", () =>
    screen.frames.find(
      ({ obj }) =>
        obj?.["_id"] === device.id && JSON.stringify(obj["sensorUpdateTask"]).includes(pausedInstallationInfo),
    ),
  );
  expect(await rollout()).toMatchObject({ assigned: 1, waiting: 0, paused: 1, offline: 0, estimatedEndAt: null });

  const back = await scene.again(device);
  expect(desiredState(back)?.fw).toBeNull();
  // Neither the reminder nor the deadline may send a firmware.
  for (const ms of [200_000, 49 * hourMs, 60_000]) await scene.pass(ms);
  expect(await scene.seen(device.id)).toMatchObject({ status: null, info: pausedInstallationInfo });
  const third = await scene.again(back);
  expect(desiredState(third)?.fw).toBeNull();

  expect((await set([device.id], "waiting")).body).toEqual({ success: 1, fail: [] });
  const job = await waitForOffer(third, "1.19.0");
  const left = (desiredState(third)?.fw?.exp ?? 0) - scene.world.ctx.clock.now();
  expect(Math.abs(left - 48 * hourMs)).toBeLessThan(60_000);
  await sendJobReport(third, job, 1, "DOWNLOAD");
  expect(await scene.seen(device.id)).toMatchObject({ status: null, info: null, install: { state: "DOWNLOAD" } });
  await third.up("state", birth("s9", { fw: "1.19.0", reason: "fw" }));
  await sendJobReport(third, job, 2, "FINISHED");
  expect(await rollout()).toMatchObject({ done: 1, paused: 0, recentlyDone: 1, estimatedEndAt: null });
  const [paused, resumed] = (await scene.world.trail(device.id)).filter(({ action }) => /^(pause|resume)/.test(action));
  expect(paused).toMatchObject({
    action: "pauseFirmware",
    before: { installation: "waiting" },
    after: { installation: "paused" },
  });
  expect(resumed).toMatchObject({
    action: "resumeFirmware",
    before: { installation: "paused" },
    after: { installation: "waiting" },
  });
});

test("SE-09 FW-03 another process respects a stored pause, and starts after the resume", async () => {
  const device = await away();
  await set([device.id], "paused");
  // The second process shares no memory with the first one, as if the first one had been killed.
  const { config, log, clock } = scene.world.ctx;
  const next = await startServer(config, log, { clock });
  try {
    const there = await scene.again(device, "1.18.0", next.mqttPort);
    expect(desiredState(there)?.fw).toBeNull();
    expect(await scene.seen(device.id)).toMatchObject({ status: null, info: pausedInstallationInfo });
    const reply = await fetch(`${next.url}/api/v2/sensor/batch-update`, {
      method: "PUT",
      headers: { authorization: `Bearer ${scene.owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ sensorIDs: [device.id], changes: { installation: "waiting" } }),
    });
    expect(await reply.json()).toEqual({ success: 1, fail: [] });
    await waitForOffer(there, "1.19.0");
    await there.end();
  } finally {
    await next.stop();
  }
});

test("SE-09 SE-03 repeated pauses change nothing; started or unwanted ones are refused", async () => {
  const [waiting, none, begun] = [await away(), await scene.sensor(), await scene.sensor()];
  await scene.assign(begun.id, firmware);
  await sendJobReport(begun, await waitForOffer(begun, "1.19.0"), 1, "DOWNLOAD");
  const details = { reason: expect.stringContaining("it has already started") };
  const errMessage = "An invalid argument was given.";
  const fail = [none.id, begun.id].map((id) => ({ id, errMessage, details }));
  for (let time = 0; time < 2; time += 1)
    expect((await set([waiting.id, none.id, begun.id], "paused")).body).toEqual({ success: 1, fail });
  expect(await scene.seen(begun.id)).toMatchObject({ status: null, install: { state: "DOWNLOAD" } });
  expect((await actions(begun.id)).includes("pauseFirmware")).toBe(false);
  // The query of the rollout page finds only sensors that can be paused, and the page shows their number.
  const byQuery = { sensorQuery: { ids: [waiting.id, begun.id], artifactID: firmware, installation: "waiting" } };
  const again = await scene.world.call(scene.owner, "PUT", "/api/v2/sensor/batch-update", {
    body: { ...byQuery, expectedCount: 0, changes: { installation: "paused" } },
  });
  expect(again.body).toEqual({ success: 0, fail: [] });
});

test("SE-09 another firmware is a new, unpaused task; the same changes nothing, none cancels", async () => {
  const other = await scene.firmware("1.20.0");
  const [replaced, same, canceled] = [await away(), await away(), await away()];
  await set([replaced.id, same.id, canceled.id], "paused");
  await scene.assign(replaced.id, other);
  await scene.assign(same.id, firmware);
  await scene.assign(canceled.id, null);
  expect(await scene.seen(replaced.id)).toMatchObject({ artifact: other, status: null, info: null });
  expect(await scene.seen(same.id)).toMatchObject({ artifact: firmware, status: null, info: pausedInstallationInfo });
  expect(await scene.seen(canceled.id)).toMatchObject({ artifact: null, status: "UpdateCanceled" });
  await waitForOffer(await scene.again(replaced), "1.20.0");
  expect(desiredState(await scene.again(same))?.fw).toBeNull();
  expect(desiredState(await scene.again(canceled))?.fw).toBeNull();
});

test("SE-03 SE-13 without edit rights no pause; without view rights nothing is revealed", async () => {
  const device = await away();
  const upwards = { me: true, relativeAncestorLevel: 1 };
  const viewer = await scene.world.account("Viewer", scene.owner, { ownable: { sensor: { canViewObject: upwards } } });
  const blind = await scene.world.account("Blind", scene.owner, { ownable: { artifact: { canViewObject: upwards } } });
  const refused = { id: device.id, errMessage: "No permission to edit the given entity." };
  expect((await set([device.id], "paused", viewer)).at("fail")).toEqual([expect.objectContaining(refused)]);
  expect((await set([device.id], "paused", blind)).body).toEqual({
    success: 0,
    fail: [{ id: device.id, errMessage: "Not found." }],
  });
  expect(await scene.seen(device.id)).toMatchObject({ info: null });
});

test("SE-03 ER-03 a pause comes without other changes", async () => {
  const body = { sensorIDs: ["02:00:00:00:00:01"], changes: { installation: "paused", groups: ["north"] } };
  const reply = await scene.world.call(scene.owner, "PUT", "/api/v2/sensor/batch-update", { body });
  expect(reply.code).toBe(102);
});

test("SE-09 the end of a rollout is estimated for connected sensors only", async () => {
  const quick = await scene.firmware("1.21.0");
  expect(await rollout(quick)).toMatchObject({ recentlyDone: 0, estimatedEndAt: null });
  const [first, second, third] = [await scene.sensor(), await scene.sensor(), await scene.sensor()];
  for (const { id } of [first, second, third]) await scene.assign(id, quick);
  await away(quick);
  expect(await rollout(quick)).toMatchObject({ waiting: 4, offline: 1, recentlyDone: 0, estimatedEndAt: null });
  const job = await waitForOffer(first, "1.21.0");
  await scene.pass(10 * 60_000);
  await first.up("state", birth("s8", { fw: "1.21.0", reason: "fw" }));
  await sendJobReport(first, job, 1, "FINISHED");
  const { estimatedEndAt, ...figures } = await rollout(quick);
  expect(figures).toMatchObject({ done: 1, recentlyDone: 1, offline: 1 });
  expect(Math.abs(Date.parse(String(estimatedEndAt)) - scene.world.ctx.clock.now() - 20 * 60_000)).toBeLessThan(60_000);
  await scene.pass(2 * hourMs);
  expect(await rollout(quick)).toMatchObject({ recentlyDone: 0, estimatedEndAt: null });
});
