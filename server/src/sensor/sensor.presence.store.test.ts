// What devices say about themselves, written while others write about the same sensors.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteOpened } from "../tunnel/tunnel.store.ts";
import { uuidv7 } from "../db/uuid.ts";
import { createDeviceWorld, type DeviceWorld, until } from "../testing/device-world.ts";
import { writePresence } from "./sensor.presence.store.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

test("SE-10 a tunnel that opens while its sensor reports is not overwritten by what the sensor said before", async () => {
  const { sensorId } = await world.enrol();
  const { db } = world.ctx;
  const waiting = async () =>
    (
      await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    ).rows.length > 0;
  let report: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    const host = uuidv7(Date.now());
    await sql`insert into tunnel_host (id, seen_at) values (${host}, now())`.execute(tx);
    await noteOpened(tx, host, new Date(), [{ sensorId, tunnelId: uuidv7(Date.now()) }]);
    // It has begun before the tunnel is committed, and waits for the sensor's row.
    report = db
      .transaction()
      .execute((later) =>
        writePresence(later, [{ sensorId, psconnect: { connectionStatus: "disconnected", statusChangedAt: null } }]),
      );
    await until("the report waits", waiting);
  });
  await report;
  expect((await world.row(sensorId)).psconnect).toMatchObject({ connectionStatus: "connected" });
});
