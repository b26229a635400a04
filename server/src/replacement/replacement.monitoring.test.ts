// Tests that a replaced sensor raises no alerts, and that the new one is judged by the settings that it took over.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configWith, createMonitoringScene, type MonitoringScene } from "../testing/scenes/monitoring-scene.ts";
import type { Person } from "../testing/world.ts";

const start = Date.parse("2027-03-01T12:00:00.000Z");
const [hour, day] = [3_600_000, 24 * 3_600_000];
const [old, spare] = ["02:00:00:00:02:01", "02:00:00:00:02:02"];
let scene: MonitoringScene;
let customer: Person;

beforeAll(async () => {
  scene = await createMonitoringScene();
  await scene.pass(start);
  customer = await scene.world.account("Harbour Stores", scene.world.root, fullPermissions);
});
afterAll(() => scene.stop());

test("after a replacement only the new sensor is monitored, by the old one's settings; undo reverses that", async () => {
  // The location has no settings, so the sensor's own ones decide.
  const place = await scene.location(customer, "Main entrance", null, [52.52, 13.4]);
  await scene.sensor(customer, old, place);
  await scene.sensor(customer, spare, null);
  const monitoringConfig = configWith({ connection: { enabled: true, warningThreshold: 2, errorThreshold: 3 } });
  await scene.must(customer, "PUT", `/api/sensor/${old}`, { body: { monitoringConfig } });
  await scene.presence(old, new Date(start).toISOString());
  await scene.presence(spare, new Date(start).toISOString());
  await scene.pass(start + 2 * day - hour, customer);
  const replace = async () =>
    (await scene.must(customer, "POST", `/api/sensor/${old}/replace`, { body: { sensorID: spare } })).at("replacement");
  const replacement = await replace();
  await scene.pass(start + 2 * day - hour + 5000, customer);
  await scene.must(customer, "POST", `/api/sensor/${old}/replace/undo`, { body: { replacement } });
  await scene.pass(start + 2 * day, customer);
  expect(await scene.log(customer, old)).toEqual(["connection Warning"]);
  expect(await scene.log(customer, spare)).toEqual([]);
  await replace();
  await scene.pass(start + 4 * day, customer);
  expect(await scene.log(customer, old)).not.toContain("connection Error");
  const shown = await scene.must(customer, "GET", `/api/sensor/${old}`);
  expect(shown.body).toMatchObject({ openIssues: [], issueStatus: null });
  expect(await scene.log(customer, spare)).toEqual(["connection Error"]);
});
