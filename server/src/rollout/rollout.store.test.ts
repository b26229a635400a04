// Tests that a caller who waits for a row lock then reads the sensor's new capabilities.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDeviceWorld, type DeviceWorld } from "../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { lockAndFindSensors } from "./rollout.store.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

test("T-27 a caller that waits for a birth sees how the sensor takes firmware", async () => {
  const { sensorId } = await world.enrol();
  const { db } = world.ctx;
  await db
    .updateTable("sensor")
    .set({ rest_username: "user-role-edit", rest_password_sealed: Buffer.from("sealed") })
    .where("id", "=", sensorId)
    .execute();
  let asked: ReturnType<typeof lockAndFindSensors> = Promise.resolve([]);
  await db.transaction().execute(async (tx) => {
    await sql`update sensor set is_connected = true where id = ${sensorId}`.execute(tx);
    await sql`update device d set sid = 's1', caps = '{count}' from sensor s
      where s.num = d.sensor_num and s.id = ${sensorId}`.execute(tx);
    asked = db.transaction().execute((later) => lockAndFindSensors(later, [sensorId]));
    await untilSomebodyWaits(db);
  });
  expect(await asked).toMatchObject([{ id: sensorId, is_connected: true, by_rest: true }]);
});
