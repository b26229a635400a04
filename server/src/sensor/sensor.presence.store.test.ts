// What devices say about themselves, written while others write about the same sensors.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
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
  const connected = { connectionStatus: "connected", statusChangedAt: "2026-11-22T10:00:00.000Z" };
  const waiting = async () =>
    (
      await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    ).rows.length > 0;
  let report: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await sql`insert into tunnel (sensor_num, id, host_id, opened_at)
      select num, ${uuidv7(Date.now())}::uuid, null, now() from sensor where id = ${sensorId}`.execute(tx);
    await sql`update sensor set psconnect = ${JSON.stringify(connected)}::jsonb where id = ${sensorId}`.execute(tx);
    // It has begun before the tunnel is committed, and waits for the sensor's row.
    report = db
      .transaction()
      .execute((later) =>
        writePresence(later, [{ sensorId, psconnect: { connectionStatus: "disconnected", statusChangedAt: null } }]),
      );
    await until("the report waits", waiting);
  });
  await report;
  expect((await world.row(sensorId)).psconnect).toEqual(connected);
});
