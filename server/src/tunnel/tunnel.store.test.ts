// Tests that closing tunnels does not deadlock with concurrent writes about the same sensors.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidv7 } from "../kit/uuid.ts";
import { createDeviceWorld, type DeviceWorld } from "../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { saveClosedTunnels, saveOpenedTunnels } from "./tunnel.store.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

test("T-27 closing tunnels of a dead process does not deadlock with new ones", async () => {
  const { sensorId } = await world.enrol();
  const { db } = world.ctx;
  const [tunnelId, host] = [uuidv7(1), uuidv7(2)];
  const at = new Date(0);
  await db.transaction().execute((tx) => saveOpenedTunnels(tx, host, at, [{ sensorId, tunnelId }]));
  const { closed } = await db.transaction().execute(async (tx) => {
    // Locks the sensor before the tunnel, as opening a tunnel does.
    await sql`select from sensor where id = ${sensorId} for no key update`.execute(tx);
    const pending = db.transaction().execute((later) => saveClosedTunnels(later, at, [tunnelId]));
    await untilSomebodyWaits(db);
    await sql`select from tunnel where id = ${tunnelId} for no key update nowait`.execute(tx);
    return { closed: pending };
  });
  expect((await closed).map(({ id }) => id)).toEqual([sensorId]);
});
