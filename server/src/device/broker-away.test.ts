// Stops a gateway while its external broker can't be reached.
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabaseWire } from "../testing/database/database-wire.ts";
import { type AskingBroker, startAskingBroker } from "../testing/devices/asking-broker.ts";
import { createDeviceWorld, type DeviceWorld, until } from "../testing/devices/device-world.ts";
import { findFreePorts } from "../testing/free-ports.ts";

const secret = randomBytes(24).toString("hex");
let broker: AskingBroker;
let wire: Awaited<ReturnType<typeof createDatabaseWire>>;
let world: DeviceWorld;

beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  broker = await startAskingBroker(`http://127.0.0.1:${port}`, secret);
  wire = await createDatabaseWire(`mqtt://gateway:${secret}@127.0.0.1:${broker.port}`);
  world = await createDeviceWorld({
    env: { PORT: String(port), MQTT_URL: wire.url, MQTT_AUTH: "http", MQTT_AUTH_SECRET: secret },
  });
});
afterAll(async () => {
  wire.cut();
  await world.stop();
  await broker.stop();
});

const countLeases = async () =>
  (
    await world.ctx.db
      .selectFrom("gateway")
      .select("id")
      .where("alive_until", ">", sql<Date>`now()`)
      .execute()
  ).length;

test("DE-01 sensors have time to reconnect after a start without the broker", async () => {
  const { sensorId } = await world.enrol();
  await world.stopGateway();
  await world.ctx.db.updateTable("sensor").set({ is_connected: true }).where("id", "=", sensorId).execute();
  wire.cut();
  await world.restart();
  const pass = async (ms: number) => {
    world.ctx.clock.moveTo(world.ctx.clock.now() + ms);
    await world.running().tick();
  };
  await pass(600_000);
  await wire.mend();
  await until("ready", () => world.running().isReady());
  await pass(50_000);
  expect((await world.row(sensorId)).is_connected).toBe(true);
  await pass(20_000);
  await until("lost", async () => !(await world.row(sensorId)).is_connected);
});

test.each(["cut", "freeze"] as const)(
  "DE-01 a gateway stops and ends its lease while the broker is away: %s",
  async (how) => {
    const { sensorId } = await world.enrol();
    const { num } = await world.row(sensorId);
    wire[how]();
    if (how === "cut") await until("not ready", () => !world.running().isReady());
    await world.ctx.db.updateTable("device").set({ desired: null }).where("sensor_num", "=", num).execute();
    world.ctx.bus.emit({ name: "desiredChanged", event: { sensorIds: [sensorId] } });
    await until("a publication waits", async () =>
      world.ctx.db
        .selectFrom("device")
        .select("sensor_num")
        .where("sensor_num", "=", num)
        .where("desired", "is not", null)
        .executeTakeFirst(),
    );
    expect(await countLeases()).toBe(1);
    await world.stopGateway();
    expect(await countLeases()).toBe(0);
    if (how === "cut") await wire.mend();
    else wire.thaw();
    await world.restart();
    await until("ready", () => world.running().isReady());
  },
);
