// Tests presence writes that race with other writes to the same sensors.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidv7 } from "../../kit/uuid.ts";
import { createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { type PresenceChange, writePresence } from "./presence.store.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

test("T-27 a tunnel that opens during a report is not overwritten by it", async () => {
  const { sensorId } = await world.enrol();
  const { db } = world.ctx;
  const connected = { connectionStatus: "connected", statusChangedAt: "2026-11-22T10:00:00.000Z" };
  let report: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await sql`insert into tunnel (sensor_num, id, host_id, opened_at)
      select num, ${uuidv7(Date.now())}::uuid, null, now() from sensor where id = ${sensorId}`.execute(tx);
    await sql`update sensor set psconnect = ${JSON.stringify(connected)}::jsonb where id = ${sensorId}`.execute(tx);
    report = db
      .transaction()
      .execute((later) =>
        writePresence(later, [{ sensorId, psconnect: { connectionStatus: "disconnected", statusChangedAt: null } }]),
      );
    await untilSomebodyWaits(db);
  });
  await report;
  expect((await world.row(sensorId)).psconnect).toEqual(connected);
});

test("T-13 reports from before a claim are not shown to the new owner", async () => {
  const { sensorId } = await world.enrol();
  const { db } = world.ctx;
  const times = () =>
    db
      .selectFrom("sensor")
      .select(["con_at", "discon_at", "last_contact_at"])
      .where("id", "=", sensorId)
      .executeTakeFirstOrThrow();
  const all = (at: number) => ({ con_at: new Date(at), discon_at: new Date(at), last_contact_at: new Date(at) });
  const said = (at: number): PresenceChange[] => [{ sensorId, conAt: at, disconAt: at, contactAt: at }];
  const claimedAt = Date.now() + 60_000;
  const write = (at: number) => db.transaction().execute((tx) => writePresence(tx, said(at)));
  await write(claimedAt - 2);
  expect(await times()).toEqual(all(claimedAt - 2));
  const none = { con_at: null, discon_at: null, last_contact_at: null };
  let late: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    const claimed = { ...none, visible_from: new Date(claimedAt) };
    await tx.updateTable("sensor").set(claimed).where("id", "=", sensorId).execute();
    // This write was queued before the claim committed and waits for the sensor's row.
    late = write(claimedAt - 1);
    await untilSomebodyWaits(db);
  });
  await late;
  expect(await times()).toEqual(none);
  await write(claimedAt);
  expect(await times()).toEqual(all(claimedAt));
});

test("sensors are locked in the order of their ids, in any physical order", async () => {
  const { db } = world.ctx;
  const first = (await world.enrol()).sensorId;
  const second = (await world.enrol()).sensorId;
  await sql`update sensor set version = version + 1 where id = ${first}`.execute(db);
  const contactAt = Date.now();
  const psconnect = { connectionStatus: "disconnected", statusChangedAt: null };
  const reports: PresenceChange[][] = [
    [
      { sensorId: first, contactAt },
      { sensorId: second, contactAt },
    ],
    [
      { sensorId: first, contactAt },
      { sensorId: second, psconnect },
    ],
  ];
  for (const changes of reports) {
    const { report } = await db.transaction().execute(async (tx) => {
      await sql`select from sensor where id = ${first} for no key update`.execute(tx);
      const pending = db.transaction().execute((later) => writePresence(later, changes));
      await untilSomebodyWaits(db);
      await sql`select from sensor where id = ${second} for no key update nowait`.execute(tx);
      return { report: pending };
    });
    await report;
  }
});
