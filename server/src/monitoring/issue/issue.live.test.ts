// Tests that viewers of a sensor get an issue on the live socket when it comes up and when it is acknowledged.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configWith, createMonitoringScene, type MonitoringScene } from "../../testing/scenes/monitoring-scene.ts";

let scene: MonitoringScene;
beforeAll(async () => {
  scene = await createMonitoringScene();
});
afterAll(() => scene.stop());

test("MO-04 open pages get issues and the sensor's new log; strangers get nothing", async () => {
  const { world } = scene;
  const customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const stranger = await world.account("Other Customer", world.root, fullPermissions);
  const place = await scene.location(customer, "Harbour Shop", configWith(), [52.52, 13.4]);
  const id = "02:00:00:00:04:01";
  await scene.sensor(customer, id, place);
  const [ears, others] = [await world.live(customer), await world.live(stranger)];
  let now = world.ctx.clock.now();
  await scene.deliver(id, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 0, to: 1 }]);
  now += 60_000;
  await scene.pass(now, customer, stranger);
  const list = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}`);
  const [entry] = (list.body as { objects: { id: string }[] }).objects;
  const created = await ears.heard("issue", "create", entry?.id ?? "");
  expect(created.obj).toMatchObject({
    _id: entry?.id,
    sens: id,
    measID: place,
    data: { issueType: "osd", issueStatus: "Warning" },
  });
  expect((await ears.heard("sensor", "update", id)).obj).toMatchObject({ types: ["monitoringStatus"] });
  expect((await ears.heard("measurement", "update", place)).obj).toMatchObject({ types: ["monitoringStatus"] });
  await scene.must(customer, "PUT", `/api/error/${entry?.id}`);
  const updated = await ears.heard("issue", "update", entry?.id ?? "");
  expect(updated.obj).toMatchObject({ data: { acknowledgedAt: new Date(now).toISOString() } });
  const own = await scene.must(stranger, "POST", "/api/measurement", {
    body: { name: "Elsewhere", owner: stranger.id },
  });
  await others.heard("measurement", "create", own.id);
  expect(others.frames.filter(({ type }) => type === "issue")).toEqual([]);
});
