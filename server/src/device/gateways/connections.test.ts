// Tests who is admitted when several connections of one device are checked by the same statement.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDeviceWorld, type DeviceWorld, until } from "../../testing/devices/device-world.ts";
import { createConnections } from "./connections.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

function createGateway({ isOtherSecretGood = false } = {}) {
  const checked: string[] = [];
  const connections = createConnections(world.ctx, {
    gatewayId: randomUUID(),
    isConnected: () => false,
    checkSecret: async (_wireId, secret) => {
      checked.push(secret);
      return isOtherSecretGood;
    },
    onMoved: () => undefined,
    onReplaced: () => undefined,
  });
  onTestFinished(() => connections.stop());
  return { ...connections, checked };
}

async function enrol() {
  const { sensorId, mqtt } = await world.enrol();
  const number = async () => {
    const { rows } = await sql<{ number: number }>`
      select c.number from device_connection c join sensor s on s.num = c.sensor_num where s.id = ${sensorId}`.execute(
      world.ctx.db,
    );
    return rows[0]?.number ?? 0;
  };
  return { sensorId, wireId: mqtt.username, secret: mqtt.password, number };
}

test("DE-01 of connections at once, those with the right secret are admitted, under one number", async () => {
  const { wireId, secret, number } = await enrol();
  const { admit, checked } = createGateway();
  const secrets = ["wrong", secret, "wrong", secret];
  expect(await Promise.all(secrets.map((one) => admit(wireId, one, "192.0.2.1")))).toEqual([false, true, false, true]);
  expect(checked).toEqual(["wrong", "wrong"]);
  expect(await number()).toBe(1);
  expect(await admit("001628ffffff", secret, "192.0.2.1")).toBe(false);
});

test("DE-01 another secret that may be used now is admitted, too", async () => {
  const { wireId, number } = await enrol();
  const { admit } = createGateway({ isOtherSecretGood: true });
  expect(await admit(wireId, "previous", "192.0.2.1")).toBe(true);
  expect(await number()).toBe(1);
});

test("DE-01 other gateways learn the address of the admitted connection, not of one with a wrong secret", async () => {
  const { sensorId, wireId, secret } = await enrol();
  const [former, present] = [createGateway(), createGateway()];
  await former.admit(wireId, secret, "192.0.2.1");
  const addresses: (string | null)[] = [];
  const off = world.ctx.bus.on("sensorsConnected", ({ connections }) => {
    for (const one of connections) if (one.sensorId === sensorId) addresses.push(one.address);
  });
  onTestFinished(off);
  await Promise.all([present.admit(wireId, secret, "192.0.2.2"), present.admit(wireId, "wrong", "198.51.100.1")]);
  expect(addresses).toEqual(["192.0.2.2"]);
});

test("DE-01 a connection that the device has replaced elsewhere meanwhile does not replace the newer one", async () => {
  const { sensorId, wireId, secret, number } = await enrol();
  const { admit, checked } = createGateway({ isOtherSecretGood: true });
  await admit(wireId, secret, "192.0.2.1");
  const late = createGateway({ isOtherSecretGood: true });
  const { answer } = await world.ctx.db.transaction().execute(async (tx) => {
    await sql`select from device_connection c join sensor s on s.num = c.sensor_num where s.id = ${sensorId} for update of c`.execute(
      tx,
    );
    const pending = late.admit(wireId, secret, "192.0.2.2");
    const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until("it waits for the row", async () => (await waiting.execute(world.ctx.db)).rows.length > 0);
    const connections = [{ sensorId, number: 7, address: "192.0.2.3" }];
    world.ctx.bus.send({ name: "sensorsConnected", event: { gatewayId: randomUUID(), connections } });
    return { answer: pending };
  });
  expect(await answer).toBe(false);
  expect(await number()).toBe(2);
  expect([...checked, ...late.checked]).toEqual([]);
});
