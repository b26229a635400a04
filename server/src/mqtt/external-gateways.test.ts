// Tests several gateways with one external broker, a real Mosquitto: commands, presence, and the state of the host.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRelayedCalls, serveRelayedCalls } from "../device/command/command-relay.ts";
import type { SensorGateway } from "../device/sensor-gateway.ts";
import { announceAll } from "../db/write.ts";
import {
  birth,
  connectDevice,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  type ProcessBeside,
  until,
} from "../testing/devices/device-world.ts";
import { repeatsRetained } from "./external-broker.ts";
import { hasMosquitto, type Mosquitto, startMosquitto } from "../testing/devices/mosquitto.ts";

const minute = 60_000;

test.each([
  ["mosquitto version 2.0.11", true],
  ["mosquitto version 1.6.12", true],
  ["mosquitto version 2.0.12", true],
  ["mosquitto version 2.0.13", false],
  ["mosquitto version 2.0.22", false],
  ["mosquitto version 2.1.0", false],
  ["HiveMQ 4.2.0", false],
])("DE-01 %s repeats retained messages: %s", (version, expected) => {
  expect(repeatsRetained(version)).toBe(expected);
});

describe.skipIf(!hasMosquitto)(
  hasMosquitto ? "with Mosquitto" : "skipped: Mosquitto with dynamic security is not installed here",
  () => {
    let world: DeviceWorld;
    let mosquitto: Mosquitto;
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    let others: ProcessBeside[];
    let observer: MqttClient;
    const ends: (() => unknown)[] = [];
    const states: { online: boolean }[] = [];

    beforeAll(async () => {
      mosquitto = await startMosquitto();
      proxy = await startProxy(mosquitto.port);
      const url = mosquitto.url.replace(`:${mosquitto.port}`, `:${proxy.port}`);
      world = await createDeviceWorld({ env: { MQTT_URL: url }, isBridged: true });
      others = [await world.startBeside(), await world.startBeside()];
      for (const { ctx, gateway } of all()) ends.push(serveRelayedCalls(ctx, gateway));
      await knowEachOther();
      observer = await connectAsync(mosquitto.url, { protocolVersion: 5 });
      observer.on("message", (topic, payload) => {
        if (topic === "sdp/1/_host/state") states.push(JSON.parse(payload.toString()) as { online: boolean });
      });
      await observer.subscribeAsync("sdp/1/_host/state", { qos: 1 });
    });
    afterAll(async () => {
      for (const end of ends) end();
      await observer.endAsync(true);
      await world.stop();
      proxy.cut();
      mosquitto.stop();
    });

    const gatewayOf = ({ gateway }: ProcessBeside): SensorGateway => {
      if (!gateway) throw new Error("This process has no gateway");
      return gateway;
    };
    const all = () => [
      { ctx: world.ctx, gateway: world.running() },
      ...others.map((one) => ({ ctx: one.ctx, gateway: gatewayOf(one) })),
    ];
    const knowEachOther = async () => {
      for (const { gateway } of all()) await gateway.renewLease();
    };
    const endLease = (id: string) =>
      sql`update gateway set alive_until = now() where id = ${id}::uuid`.execute(world.ctx.db);
    /** Each gateway knows the connections that others stored, even if it has not heard from them yet. */
    const readPresences = async () => {
      for (const { gateway } of all()) await gateway.messagesLost();
    };
    const pass = async (ms: number) => {
      for (const { ctx } of all()) ctx.clock.moveTo(ctx.clock.now() + ms);
      await Promise.all(all().map(({ gateway }) => gateway.tick()));
    };
    const stateOf = async (id: string) => {
      const { is_connected, not_responding } = await world.row(id);
      return { is_connected, not_responding };
    };

    /** Connects a device with a will, as real ones, and publishes its birth. */
    async function connectOne(sid: string): Promise<Device> {
      const reply = await world.enrol();
      const topic = `sdp/1/${reply.mqtt.clientId}/up/state`;
      const payload = Buffer.from(JSON.stringify({ online: false, sid, n: 1 }));
      const device = await connectDevice(mosquitto.port, reply, { will: { topic, payload, qos: 1, retain: true } });
      await device.client.publishAsync(topic, JSON.stringify(birth(sid)), { qos: 1, retain: true });
      return device;
    }
    async function connectMany(n: number, sid = "s1"): Promise<Device[]> {
      const devices = await Promise.all(Array.from({ length: n }, () => connectOne(sid)));
      for (const { id } of devices) await until("connected", async () => (await stateOf(id)).is_connected);
      return devices;
    }
    const countConnected = async (devices: readonly Device[]) =>
      (await Promise.all(devices.map(({ id }) => stateOf(id)))).filter((one) => one.is_connected).length;
    /** The retained state of the device at the broker. */
    async function readState(device: Device): Promise<{ online: boolean }> {
      const reader = await connectAsync(mosquitto.url, { protocolVersion: 5 });
      const read = new Promise<Buffer>((resolve) => void reader.once("message", (_topic, payload) => resolve(payload)));
      await reader.subscribeAsync(`sdp/1/${device.wire}/up/state`);
      const state = JSON.parse((await read).toString()) as { online: boolean };
      await reader.endAsync(true);
      return state;
    }
    const respond = (device: Device) =>
      device.client.on("message", (topic, payload, { properties }) => {
        if (!topic.endsWith("/dn/rpc")) return;
        const { func } = JSON.parse(payload.toString()) as { func: string };
        device.client.publish(
          properties?.responseTopic ?? "",
          JSON.stringify({ ok: true, func, data: "", timestamp: 1 }),
          { qos: 1, properties: { correlationData: properties?.correlationData ?? Buffer.alloc(0) } },
        );
      });
    const requestsOf = (device: Device) => device.got.filter(({ topic }) => topic.endsWith("/dn/rpc")).length;

    test("DE-01 a command arrives once, and its response reaches the process that waits", async () => {
      const api = await world.startBeside(false);
      const relay = createRelayedCalls(api.ctx, null);
      const [one] = (await connectMany(1)) as [Device];
      respond(one);
      for (let n = 0; n < 20; n += 1) await relay.send(one.id, "resetNetworkConfig", "", 10_000);
      for (let n = 0; n < 20; n += 1)
        expect(await relay.call(one.id, "ping", "", 10_000)).toMatchObject({ ok: true, func: "ping" });
      expect(requestsOf(one)).toBe(40);
      relay.stop();
      await api.stop();
      await one.end();
    });

    test("DE-01 every power cut is noticed, whichever gateway receives the birth and the death", async () => {
      const devices = await connectMany(24);
      for (const { client } of devices) client.stream.destroy();
      for (const { id } of devices) await until("disconnected", async () => !(await stateOf(id)).is_connected);
    });

    test("DE-01 a power cut right after the birth is noticed", async () => {
      const devices = await Promise.all(Array.from({ length: 24 }, () => connectOne("s1")));
      for (const { client } of devices) client.stream.destroy();
      const sessions = () =>
        world.ctx.db
          .selectFrom("sensor")
          .innerJoin("device", "device.sensor_num", "sensor.num")
          .where(
            "sensor.id",
            "in",
            devices.map(({ id }) => id),
          )
          .where("device.sid", "=", "s1")
          .where("sensor.is_connected", "=", false)
          .select("sensor.id")
          .execute();
      await until("all births and deaths", async () => (await sessions()).length === devices.length);
    });

    test("DE-01 quiet sensors that respond are pinged by one gateway and stay connected", async () => {
      const devices = await connectMany(12);
      const [mute, ...healthy] = devices as [Device, ...Device[]];
      for (const one of healthy) respond(one);
      await readPresences();
      await pass(6 * minute);
      await until("the mute one", async () => (await stateOf(mute.id)).not_responding);
      for (const one of healthy) {
        await until("a ping", () => requestsOf(one) > 0);
        expect(await stateOf(one.id)).toEqual({ is_connected: true, not_responding: false });
      }
      expect(devices.map(requestsOf)).toEqual(devices.map(() => 1));
      await mute.up("reported", { rev: 1 });
      await until("it responds again", async () => !(await stateOf(mute.id)).not_responding);
      await Promise.all(devices.map((one) => one.end()));
    });

    test("DE-01 a sensor that any gateway has heard from is not pinged", async () => {
      const [one] = (await connectMany(1)) as [Device];
      const contact = async () => Number((await world.row(one.id)).last_contact_at);
      const before = await contact();
      await readPresences();
      await pass(3 * minute);
      for (let n = 0; n < 12; n += 1) await one.up("reported", { rev: n });
      await until("stored", async () => (await contact()) > before + 2 * minute);
      await pass(2.5 * minute);
      expect(requestsOf(one)).toBe(0);
      await pass(6 * minute);
      await until("a ping", () => requestsOf(one) === 1);
      await one.end();
    });

    test("DE-01 a change of owner ends the session once, a deletion for good", async () => {
      const [one] = (await connectMany(1)) as [Device];
      const reply = { sensorId: one.id, mqtt: { clientId: one.wire, username: one.wire, password: one.password } };
      await announceAll(world.ctx, [{ name: "sensorsDropped", event: { sensorIds: [one.id] } }]);
      await until("dropped", () => !one.client.connected);
      const again = await connectDevice(mosquitto.port, reply as never);
      await again.up("state", birth("s2"));
      await again.heard("desired");
      expect(again.client.connected).toBe(true);
      await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", one.id).execute();
      await announceAll(world.ctx, [{ name: "sensorsDropped", event: { sensorIds: [one.id] } }]);
      await until("dropped", () => !again.client.connected);
      await until("revoked", () => !mosquitto.users().includes(one.wire));
    });

    test("DE-01 a gateway that starts beside others takes no retained state for news", async () => {
      const devices = await connectMany(6);
      const started = await world.startBeside();
      await knowEachOther();
      // A live message proves that the gateways' subscriptions work.
      await until("a message", async () => {
        await (devices[0] as Device).up("reported", { rev: 1 });
        return (await started.ctx.metrics.deviceMessages.get()).values.some(({ labels }) => labels.kind === "reported");
      });
      const { values } = await started.ctx.metrics.deviceMessages.get();
      expect(values.filter(({ labels }) => labels.kind === "state")).toEqual([]);
      await started.stop();
      await Promise.all(devices.map((one) => one.end()));
    });

    test("DE-01 devices never learn that the platform is away while a gateway runs", async () => {
      await until("the first state", () => states.length > 0);
      const leaving = await world.startBeside();
      await leaving.stop();
      const [killed] = others.splice(0, 1) as [ProcessBeside];
      await killed.kill();
      await endLease(gatewayOf(killed).gatewayId);
      await knowEachOther();
      expect(states.filter(({ online }) => !online)).toEqual([]);
      const before = states.length;
      await observer.publishAsync("sdp/1/_host/state", JSON.stringify({ online: false }), { qos: 1, retain: true });
      await until("corrected", () => states.length > before + 1 && states.at(-1)?.online);
    });

    test("DE-01 a short loss of the broker is not announced, and deaths during it are noticed", async () => {
      const [one, two] = (await connectMany(2)) as [Device, Device];
      respond(two);
      states.length = 0;
      proxy.cut();
      for (const { gateway } of all()) await until("not ready", () => !gateway.isReady());
      one.client.stream.destroy();
      await pass(10 * minute);
      proxy.heal();
      for (const { gateway } of all()) await until("ready again", () => gateway.isReady());
      await until("disconnected", async () => !(await stateOf(one.id)).is_connected);
      expect(await stateOf(two.id)).toEqual({ is_connected: true, not_responding: false });
      await until("online", () => states.at(-1)?.online);
      expect(states.filter(({ online }) => !online)).toEqual([]);
      await two.end();
    });

    test("DE-01 a death that a killed gateway did not store is noticed by another one", async () => {
      const killed = await world.startBeside();
      await knowEachOther();
      const devices = await connectMany(8);
      // It receives some of the deaths and can't store them.
      await killed.ctx.db.destroy();
      for (const { client } of devices) client.stream.destroy();
      await until("some deaths", async () => (await countConnected(devices)) < devices.length);
      await killed.kill();
      await endLease(gatewayOf(killed).gatewayId);
      await until("all deaths", async () => {
        await knowEachOther();
        return (await countConnected(devices)) === 0;
      });
    });

    test("DE-01 the last gateway that stops tells devices that the platform is away", async () => {
      for (const one of others) await one.stop();
      await world.stopGateway();
      await until("offline", () => states.at(-1)?.online === false);
    });

    test("DE-01 deaths while no gateway runs are noticed at the start", async () => {
      await world.restart();
      const [one] = (await connectMany(1)) as [Device];
      await world.stopGateway();
      one.client.stream.destroy();
      await until("the will", async () => (await readState(one)).online === false);
      await world.restart();
      await until("disconnected", async () => !(await stateOf(one.id)).is_connected);
    });
  },
);

/** The gateways' way to the broker, which the test can cut. */
async function startProxy(to: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(to, "127.0.0.1");
    for (const [one, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(peer);
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        peer.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const one of sockets) one.destroy();
    },
    heal: () => void (isCut = false),
  };
}
