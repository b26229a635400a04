// Tests retries: setting the same firmware again after its installation failed (SE-09, SE-03).
import { afterAll, beforeAll, expect, test } from "vitest";
import { birth, type Device } from "../testing/devices/device-world.ts";
import type { Person, Reply } from "../testing/world.ts";
import { createRolloutScene, waitForOffer, sendJobReport, type RolloutScene } from "./scene.testing.ts";

let scene: RolloutScene;
let firmware: string;
beforeAll(async () => {
  scene = await createRolloutScene();
  firmware = await scene.firmware("1.19.0");
});
afterAll(() => scene.stop());

const hourMs = 3_600_000;
const batch = (sensorIDs: string[], who: Person = scene.owner): Promise<Reply> =>
  scene.world.call(who, "PUT", "/api/v2/sensor/batch-update", { body: { sensorIDs, changes: { artifact: firmware } } });

async function offeredOne(): Promise<{ device: Device; job: string }> {
  const device = await scene.sensor();
  expect((await scene.assign(device.id, firmware)).status).toBe(200);
  return { device, job: await waitForOffer(device, "1.19.0") };
}
type Offered = Awaited<ReturnType<typeof offeredOne>>;

test.each<[string, "UpdateFailed" | "UpdateCanceled", (one: Offered) => Promise<void>]>([
  ["failed", "UpdateFailed", ({ device, job }) => sendJobReport(device, job, 1, "ERROR", { code: "HASH" })],
  ["was canceled", "UpdateCanceled", ({ device, job }) => sendJobReport(device, job, 1, "ERROR", { code: "CANCELED" })],
  ["expired", "UpdateFailed", () => scene.pass(49 * hourMs + 60_000)],
])(
  "SE-09 SE-03 after a task that %s the same firmware is a new attempt, alone as in a batch",
  async (_how, status, end) => {
    const [alone, among] = [await offeredOne(), await offeredOne()];
    for (const one of [alone, among]) await end(one);
    for (const { device } of [alone, among])
      expect(await scene.seen(device.id)).toMatchObject({ artifact: firmware, status });
    expect((await scene.assign(alone.device.id, firmware)).status).toBe(200);
    expect((await batch([among.device.id])).body).toEqual({ success: 1, fail: [] });
    for (const { device, job } of [alone, among]) {
      expect(await scene.seen(device.id)).toMatchObject({ artifact: firmware, status: null, install: null });
      await expect.poll(() => waitForOffer(device, "1.19.0")).not.toBe(job);
    }
  },
);

test("SE-03 a batch restarts nothing that runs or is in progress", async () => {
  const [running, underWay] = [await offeredOne(), await offeredOne()];
  await running.device.up("state", birth("s2", { fw: "1.19.0", reason: "fw" }));
  await sendJobReport(running.device, running.job, 1, "FINISHED");
  await sendJobReport(underWay.device, underWay.job, 1, "DOWNLOAD");
  const before = await Promise.all([running, underWay].map(({ device }) => scene.seen(device.id)));
  expect(before.map(({ status }) => status)).toEqual(["UpdateInitiatedOnSensor", null]);
  expect((await batch([running.device.id, underWay.device.id])).at("success")).toBe(2);
  expect(await Promise.all([running, underWay].map(({ device }) => scene.seen(device.id)))).toEqual(before);
});

test("SE-03 SE-13 a retry in a batch needs the right to use the firmware", async () => {
  const upwards = { me: true, relativeAncestorLevel: 1 };
  const editor = await scene.world.account("Editor", scene.owner, {
    ownable: { sensor: { canViewObject: upwards, canEditObject: upwards }, artifact: { canViewObject: upwards } },
  });
  const one = await offeredOne();
  const untouched = await offeredOne();
  await sendJobReport(one.device, one.job, 1, "ERROR", { code: "HASH" });
  const reply = await batch([one.device.id, untouched.device.id], editor);
  const errMessage = "No permission to use the given artifact.";
  const details = { reason: "Firmware 1.19.0 belongs to an account which you can't use." };
  expect(reply.body).toEqual({ success: 1, fail: [{ id: one.device.id, errMessage, details }] });
  expect(await scene.seen(one.device.id)).toMatchObject({ status: "UpdateFailed" });
});

test("SE-09 SE-03 a batch's firmware is canceled where it has not started", async () => {
  const former = await scene.firmware("1.18.5");
  const begun = await offeredOne();
  await sendJobReport(begun.device, begun.job, 1, "DOWNLOAD");
  const offline = ["02:00:00:00:99:01", "02:00:00:00:99:02"];
  for (const _id of offline)
    await scene.world.call(scene.owner, "POST", "/api/sensor", { body: { _id, owner: scene.owner.id, type: "APS" } });
  const [had = "", none = ""] = offline;
  expect((await scene.assign(had, former)).status).toBe(200);
  expect((await batch(offline)).at("success")).toBe(2);
  // The console's query: only sensors that still wait for this firmware.
  const takeBack = (ids: string[], artifact: string | null) =>
    scene.world.call(scene.owner, "PUT", "/api/v2/sensor/batch-update", {
      body: { sensorQuery: { ids, artifactID: firmware, installation: ["waiting", "paused"] }, changes: { artifact } },
    });
  expect((await takeBack([had], former)).body).toEqual({ success: 1, fail: [] });
  expect((await takeBack([none, begun.device.id], null)).body).toEqual({ success: 1, fail: [] });
  expect(await scene.seen(had)).toMatchObject({ artifact: former, status: null });
  expect(await scene.seen(none)).toMatchObject({ artifact: null, status: "UpdateCanceled" });
  expect(await scene.seen(begun.device.id)).toMatchObject({ artifact: firmware, status: null });
  const figures = await scene.world.call(scene.owner, "GET", `/api/artifact/${former}/rollout`);
  expect(figures.body).toMatchObject({ assigned: 1, waiting: 1, canceled: 0 });
});
