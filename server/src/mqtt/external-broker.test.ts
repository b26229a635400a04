// Connects devices through a real Mosquitto with dynamic security. Skipped with a message if Mosquitto is not installed.
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ack, EnrolReply } from "@psp/contract/device/device-messages.ts";
import {
  batch,
  birth,
  connectDevice,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  until,
} from "../testing/devices/device-world.ts";
import { getRenewalOrders } from "../device/credential/renewal.ts";
import { reasonCodes } from "./broker.ts";
import { createExternalBroker } from "./external-broker.ts";
import { hasMosquitto, type Mosquitto, startMosquitto } from "../testing/devices/mosquitto.ts";

describe.skipIf(!hasMosquitto)(
  hasMosquitto ? "with Mosquitto" : "skipped: Mosquitto with dynamic security is not installed here",
  () => {
    let world: DeviceWorld;
    let mosquitto: Mosquitto;
    const open: Device[] = [];

    beforeAll(async () => {
      mosquitto = await startMosquitto();
      world = await createDeviceWorld({ env: { MQTT_URL: mosquitto.url } });
    });
    afterAll(async () => {
      await Promise.all(open.map((device) => device.end()));
      await world.stop();
      mosquitto.stop();
    });

    /** Retained messages of a device. */
    async function readRetained(wire: string): Promise<string[]> {
      const reader = await connectAsync(mosquitto.url, { protocolVersion: 5 });
      const found: string[] = [];
      const end = Promise.withResolvers<void>();
      reader.on("message", (topic, _payload, { retain }) => (retain ? void found.push(topic) : end.resolve()));
      await reader.subscribeAsync(`sdp/1/${wire}/#`, { qos: 1 });
      // Arrives after the retained messages.
      await reader.publishAsync(`sdp/1/${wire}/dn/cmd`, "{}", { qos: 1 });
      await end.promise;
      await reader.endAsync(true);
      return found;
    }
    const enter = async (reply: EnrolReply, sid: string, will = true) => {
      const wire = reply.mqtt.clientId;
      const device = await connectDevice(
        reply.mqtt.port,
        reply,
        will
          ? {
              will: {
                topic: `sdp/1/${wire}/up/state`,
                payload: Buffer.from(JSON.stringify({ online: false, sid, n: 1 })),
                qos: 1,
                retain: true,
              },
            }
          : {},
      );
      open.push(device);
      return device;
    };

    test("DE-01 a sensor enrolls, connects through Mosquitto, is acknowledged after the commit", async () => {
      const reply = await world.enrol();
      expect(reply.mqtt).toMatchObject({ host: "127.0.0.1", port: mosquitto.port, tls: false });
      const one = await enter(reply, "s1");
      await one.up("state", birth("s1"));
      await until("connected", async () => (await world.row(one.id)).is_connected);
      expect((await one.heard("desired")).json).toMatchObject({ rev: 1 });
      await one.up("data", batch([createCountRecord(1), createCountRecord(2), createCountRecord(4)]));
      expect((await one.heard("ack", (ack: Ack) => ack.upTo === 4)).json).toMatchObject({ ep: "e1", holes: [[3, 3]] });
      const { acknowledgedSeconds, brokerConnected, registry } = world.ctx.metrics;
      expect(registry.getSingleMetric("psp_devices_connected")).toBeUndefined();
      expect((await brokerConnected.get()).values).toEqual([{ labels: { broker: "external" }, value: 1 }]);
      const delays = (await acknowledgedSeconds.get()).values;
      expect(delays).toContainEqual(
        expect.objectContaining({
          metricName: "psp_ingest_acknowledged_seconds_count",
          labels: { kind: "data" },
          value: 1,
        }),
      );
      const answering = world.running().call(one.id, "ping", "", 60_000);
      const asked = await one.heard("rpc");
      await one.client.publishAsync(
        asked.responseTopic ?? "",
        JSON.stringify({ ok: true, func: "ping", data: "", timestamp: 1 }),
        {
          qos: 1,
          properties: { correlationData: asked.correlation ?? Buffer.alloc(0) },
        },
      );
      expect(await answering).toMatchObject({ ok: true, func: "ping" });
      one.client.stream.destroy();
      await until("disconnected", async () => !(await world.row(one.id)).is_connected);
      await expect(world.running().call(one.id, "ping", "", 50)).rejects.toMatchObject({ code: 509 });
      await expect(world.running().send(one.id, "getSnapshot", "", 50)).rejects.toMatchObject({ code: 509 });
    });

    test("DE-01 foreign topics, wildcards and wrong secrets are refused by Mosquitto, too", async () => {
      const victim = await enter(await world.enrol(), "v1");
      const reply = await world.enrol();
      const one = await enter(reply, "s1", false);
      for (const filter of ["#", "sdp/1/+/dn/#", `sdp/1/${victim.wire}/dn/#`, "$share/gw/sdp/1/+/up/#", "$CONTROL/#"]) {
        const granted = await one.client
          .subscribeAsync(filter, { qos: 1 })
          .catch((error: unknown) => (error as { packet?: { granted: number[] } }).packet?.granted ?? [135]);
        expect(JSON.stringify(granted)).toMatch(/135|128/);
      }
      for (const topic of [
        `sdp/1/${victim.wire}/up/state`,
        `sdp/1/${victim.wire}/dn/cmd`,
        "sdp/1/_host/state",
        "$CONTROL/dynamic-security/v1",
      ]) {
        // Mosquitto 2.0.11 responds only to the first refused message of a connection.
        const fresh = await enter(reply, "s1", false);
        await expect(fresh.client.publishAsync(topic, "{}", { qos: 1 })).rejects.toMatchObject({ code: 135 });
      }
      expect(victim.got).toEqual([]);
      await expect(enter({ ...reply, mqtt: { ...reply.mqtt, password: "guess" } }, "x", false)).rejects.toThrow();
      await expect(
        connectDevice(mosquitto.port, { ...reply, mqtt: { ...reply.mqtt, clientId: victim.wire } }),
      ).rejects.toThrow();
    });

    test("DE-01 the same key gets a new password in Mosquitto; deletion revokes it", async () => {
      const first = await world.enrol(undefined, { csr: "KEY" });
      const { body, status } = await world.post(
        { token: await world.token(), id: first.sensorId, type: "APS", nonce: "n", time: 0, csr: "KEY" },
        "10.3.0.1",
      );
      expect(status).toBe(200);
      const one = await enter(body as EnrolReply, "s1");
      await one.up("state", birth("s1"));
      await one.heard("desired");
      await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", one.id).execute();
      world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [one.id] } });
      await until("disconnected", () => !one.client.connected);
      await expect(enter(body as EnrolReply, "s2")).rejects.toThrow();
      const { values } = await world.ctx.metrics.deviceMessages.get();
      expect(values.filter(({ labels }) => labels.outcome === "invalid")).toEqual([]);
    });

    test("DE-01 an enrollment that waits for the broker delays no other sensor of its owner", async () => {
      mosquitto.pause();
      const id = world.freshId();
      const enrolling = world.enrol(id);
      await until("stored", async () =>
        world.ctx.db.selectFrom("sensor").where("id", "=", id).select("id").executeTakeFirst(),
      );
      // Counts the same totals as the enrollment.
      await world.ctx.db
        .insertInto("sensor")
        .values({ id: world.freshId(), owner_id: world.owner, owner_path: "00001", type: "APS" })
        .execute();
      mosquitto.resume();
      const one = await enter(await enrolling, "s1");
      await one.up("state", birth("s1"));
      await one.heard("desired");
    });

    test("DE-01 a device whose password the broker never confirmed may enroll again", async () => {
      const { sensorId } = await world.enrol();
      const form = { id: sensorId, type: "APS", nonce: "n", time: 0 };
      const again = async (token: string) => world.post({ ...form, token }, "10.3.0.3");
      expect((await again(await world.token())).status).toBe(409);
      await world.ctx.db
        .updateTable("device")
        .set({ is_provisioned: false })
        .where("sensor_num", "=", (await world.row(sensorId)).num)
        .execute();
      const stranger = await world.account("Other owner", "00002");
      expect((await again(await world.token(stranger))).status).toBe(409);
      const { status, body } = await again(await world.token());
      expect(status).toBe(201);
      await enter(body as EnrolReply, "s1");
      expect((await again(await world.token())).status).toBe(409);
    });

    test("DE-01 two enrollments of one device at once leave it with a password that works", async () => {
      const id = world.freshId();
      const form = { id, type: "APS", nonce: "n", time: 0, token: await world.token() };
      mosquitto.pause();
      const both = [world.post(form, "10.3.0.4"), world.post(form, "10.3.0.4")];
      await until("stored", async () =>
        world.ctx.db.selectFrom("sensor").where("id", "=", id).select("id").executeTakeFirst(),
      );
      mosquitto.resume();
      const good = (await Promise.all(both)).filter(({ status }) => status === 201);
      expect(good).toHaveLength(1);
      await enter(good[0]?.body as EnrolReply, "s1");
    });

    test("T-28 a sensor deleted while no gateway runs is not let in after the next start", async () => {
      const [gone, kept] = [await world.enrol(), await world.enrol()];
      await world.stopGateway();
      await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", gone.sensorId).execute();
      expect(mosquitto.users()).toEqual(expect.arrayContaining([gone.mqtt.clientId, kept.mqtt.clientId, "gateway"]));
      await world.restart();
      await until("revoked", () => !mosquitto.users().includes(gone.mqtt.clientId));
      await expect(enter(gone, "s1")).rejects.toThrow();
      await enter(kept, "s1");
      expect(mosquitto.users()).toContain("gateway");
      expect(mosquitto.roles()).not.toContain(`sensor-${gone.mqtt.clientId}`);
    });

    test.each([true, false])(
      "T-28 a sensor deleted while no gateway runs enrolls without its old state; cleaned before: %s",
      async (isCleaned) => {
        const id = world.freshId();
        const former = await enter(await world.enrol(id), "s1");
        await former.up("state", birth("s1"));
        await former.heard("desired");
        await former.end();
        await world.stopGateway();
        await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", id).execute();
        if (isCleaned) {
          await world.restart();
          await until("revoked", () => !mosquitto.users().includes(former.wire));
          expect(await readRetained(former.wire)).toEqual([]);
        }
        const later = await enter(await world.enrol(id), "s2");
        if (!isCleaned) await world.restart();
        await later.up("state", birth("s2"));
        await later.heard("desired");
        expect(later.got.filter(({ topic, retain }) => retain && topic.endsWith("/dn/desired"))).toEqual([]);
      },
    );

    test("T-28 a session ends when a gateway takes it over, as with a broker that asks over HTTP", async () => {
      const one = await enter(await world.enrol(), "s1");
      const over = new Promise<void>((go) => one.client.once("close", () => go()));
      await createExternalBroker(world.ctx, null, "test").disconnect(one.wire, reasonCodes.administrativeAction);
      await over;
    });

    test("T-28 a sensor whose deletion was not noticed is revoked after lost events", async () => {
      const gone = await world.enrol();
      await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", gone.sensorId).execute();
      await world.running().missed();
      await until("revoked", () => !mosquitto.users().includes(gone.mqtt.clientId));
    });

    test("T-13 a new password after a change of owner replaces the old one in Mosquitto", async () => {
      const reply = await world.enrol();
      const { mqtt, sensorId } = reply;
      const isOrder = (said: { do: string }) => said.do === "cred";
      await world.handOver(sensorId);
      const first = await enter(reply, "s1", false);
      await first.up("state", birth("s1"));
      const order = (await first.heard("cmd", isOrder)).json as { id: string; password: string };
      const renewed = { ...reply, mqtt: { ...mqtt, password: order.password } };
      // Until the device confirms that it stored the new password, only the old one works.
      await expect(enter(renewed, "x", false)).rejects.toThrow();
      const cut = new Promise<void>((go) => first.client.once("close", () => go()));
      await first.up("reported", { rev: 1, cred: order.id });
      await cut;
      await expect(enter(reply, "x", false)).rejects.toThrow();
      const second = await enter(renewed, "s2", false);
      await second.up("state", birth("s2"));
      await second.heard("desired");
      expect(second.got.filter(({ topic }) => topic.endsWith("/dn/cmd"))).toEqual([]);
      // Stored after the broker has ended the session.
      await until("the renewal", async () => (await getRenewalOrders(world.ctx, [sensorId])).length === 0);
      const form = { token: await world.token(), id: sensorId, type: "APS", nonce: "n", time: 0 };
      expect((await world.post({ ...form, credential: mqtt.password }, "10.3.0.2")).status).toBe(409);
    });

    test("DE-01 after a gateway restart, connected sensors are known from retained messages", async () => {
      const one = await enter(await world.enrol(), "s1");
      await one.client.publishAsync(`sdp/1/${one.wire}/up/state`, JSON.stringify(birth("s1")), {
        qos: 1,
        retain: true,
      });
      await until("connected", async () => (await world.row(one.id)).is_connected);
      await world.restart();
      one.got.length = 0;
      await one.heard("desired");
      world.ctx.clock.moveTo(world.ctx.clock.now() + 61_000);
      await world.running().tick();
      expect((await world.row(one.id)).is_connected).toBe(true);
    });
  },
);
