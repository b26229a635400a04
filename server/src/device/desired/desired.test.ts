// Tests desired states under concurrent changes.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { capabilities } from "../../process/nouns.ts";
import { computeDesiredStates } from "./desired.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

test("of two concurrent readers the later does not undo the earlier's result", async () => {
  const { sensorId } = await world.enrol();
  const { db } = world.ctx;
  const lookUp = async () =>
    (await computeDesiredStates(world.ctx, capabilities, "http://cloud", [sensorId])).get(sensorId);
  expect(await lookUp()).toMatchObject({ rev: 1 });
  let later: ReturnType<typeof lookUp> = Promise.resolve(undefined);
  await db.transaction().execute(async (tx) => {
    await sql`update sensor set vpn = '{"connect": true}' where id = ${sensorId}`.execute(tx);
    await sql`update device d set desired_rev = 2, desired = d.desired || '{"vpn": {"connect": true}}'
      from sensor s where s.num = d.sensor_num and s.id = ${sensorId}`.execute(tx);
    later = lookUp();
    await untilSomebodyWaits(db);
  });
  expect(await later).toMatchObject({ rev: 2, vpn: { connect: true } });
});
