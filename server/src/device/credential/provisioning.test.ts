// Tests with a real Mosquitto that no row is locked while it is awaited, and that every sensor can get in afterwards.
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { hashToken } from "../../kit/tokens.ts";
import { createProvisioner, type Provisioner } from "../../mqtt/dynamic-security.ts";
import { createDeviceWorld, type DeviceWorld, until } from "../../testing/devices/device-world.ts";
import { hasMosquitto, type Mosquitto, startMosquitto } from "../../testing/devices/mosquitto.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { lockBrokerClient } from "../device.store.ts";
import { changeBrokerClient, provisionDevice } from "./provisioning.ts";
import { changeExternalSecret, getRenewalOrders } from "./renewal.ts";

describe.skipIf(!hasMosquitto)(
  hasMosquitto ? "with Mosquitto" : "skipped: Mosquitto with dynamic security is not installed here",
  () => {
    let world: DeviceWorld;
    let mosquitto: Mosquitto;
    beforeAll(async () => {
      mosquitto = await startMosquitto();
      world = await createDeviceWorld({ env: { MQTT_URL: mosquitto.url } });
    });
    afterAll(async () => {
      mosquitto.resume();
      await world.stop();
      mosquitto.stop();
    });

    let lastAddress = 0;
    const enrolAgain = async (id: string, credential?: string) =>
      world.post(
        { id, type: "APS", nonce: "n", time: 0, token: await world.token(), credential },
        `10.4.0.${(lastAddress += 1)}`,
      );
    const stored = async (id: string) =>
      world.ctx.db
        .selectFrom("device")
        .innerJoin("sensor", "sensor.num", "device.sensor_num")
        .where("sensor.id", "=", id)
        .select(["device.secret_hash", "device.is_provisioned"])
        .executeTakeFirstOrThrow();
    const untilDecided = (id: string, former: Buffer) =>
      until("a new password", async () => !(await stored(id)).secret_hash.equals(former));
    const enter = async (reply: EnrolReply, password = reply.mqtt.password) => {
      const device = await world.connect({ ...reply, mqtt: { ...reply.mqtt, password } }, {}, mosquitto.port);
      await device.end();
    };
    const countOpen = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`.execute(world.ctx.db);
      return rows.length;
    };
    /** Keeps all changes of this client at the broker waiting until `work` is done. */
    const whileHeld = <T>(id: string, work: () => Promise<T>) =>
      world.ctx.db.transaction().execute(async (tx) => {
        await lockBrokerClient(tx, id);
        return { value: await work() };
      });
    const fakeBroker = (put: Provisioner["put"], revoked: string[] = []) =>
      ({ put, revoke: async (id: string) => void revoked.push(id) }) as Provisioner;

    /** The process loses its connection to the database while the broker sets the password. */
    const enrolCutOff = async (id: string, credential: string) => {
      const { secret_hash: former } = await stored(id);
      const { value } = await whileHeld(id, async () => {
        const pending = enrolAgain(id, credential);
        await untilDecided(id, former);
        await untilSomebodyWaits(world.ctx.db);
        await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted`.execute(
          world.ctx.db,
        );
        return pending;
      });
      expect(value.status).toBe(503);
    };

    test("DE-01 known sensors that enroll while the broker hangs lock no row and few connections", async () => {
      const known: EnrolReply[] = [];
      for (let n = 0; n < 8; n += 1) known.push(await world.enrol());
      mosquitto.pause();
      const replies = known.map(({ sensorId, mqtt }) => enrolAgain(sensorId, mqtt.password));
      for (const { sensorId, mqtt } of known) await untilDecided(sensorId, hashToken(mqtt.password));
      await world.ctx.db.transaction().execute(async (tx) => {
        for (const table of ["sensor", "device", "init_token", "account"])
          await sql`select from ${sql.table(table)} for update nowait`.execute(tx);
      });
      expect(await countOpen()).toBeLessThanOrEqual(4);
      mosquitto.resume();
      for (const [n, reply] of known.entries()) {
        const { status, body } = (await replies[n]) ?? {};
        expect(status).toBe(200);
        await enter(body as EnrolReply);
        await expect(enter(reply)).rejects.toThrow();
      }
    });

    test("DE-01 of two enrollments of a known sensor at once, the later one gets a password that works", async () => {
      const reply = await world.enrol();
      const { sensorId, mqtt } = reply;
      const { value } = await whileHeld(sensorId, async () => {
        const first = enrolAgain(sensorId, mqtt.password);
        await untilDecided(sensorId, hashToken(mqtt.password));
        const { secret_hash: decided } = await stored(sensorId);
        const second = enrolAgain(sensorId, mqtt.password);
        await untilDecided(sensorId, decided);
        return [first, second] as const;
      });
      const [first, second] = await Promise.all(value);
      expect([first.status, second.status]).toEqual([503, 200]);
      await enter(second.body as EnrolReply);
    });

    test("DE-01 a known sensor whose enrollment was cut off gets in with its old password at any time", async () => {
      const reply = await world.enrol();
      const { sensorId, mqtt } = reply;
      await enrolCutOff(sensorId, mqtt.password);
      await enter(reply);
      expect((await enrolAgain(sensorId)).status).toBe(409);
      await enrolCutOff(sensorId, mqtt.password);
      // The broker may have taken the password that no device received.
      const provisioner = createProvisioner(world.ctx);
      onTestFinished(() => provisioner?.stop());
      await provisioner?.put(mqtt.clientId, "lost");
      await expect(enter(reply)).rejects.toThrow();
      world.ctx.clock.moveTo(world.ctx.clock.now() + 3_600_000);
      const { status, body } = await enrolAgain(sensorId, mqtt.password);
      expect(status).toBe(200);
      await enter(body as EnrolReply);
      world.ctx.clock.moveTo(world.ctx.clock.now() + 3_600_000);
      expect((await enrolAgain(sensorId, mqtt.password)).status).toBe(409);
    });

    test("DE-01 a known sensor gets in with its old password after a lost response and a cut-off enrollment", async () => {
      const { sensorId, mqtt } = await world.enrol();
      expect((await enrolAgain(sensorId, mqtt.password)).status).toBe(200);
      await enrolCutOff(sensorId, mqtt.password);
      world.ctx.clock.moveTo(world.ctx.clock.now() + 3_600_000);
      const { status, body } = await enrolAgain(sensorId, mqtt.password);
      expect(status).toBe(200);
      await enter(body as EnrolReply);
    });

    test("T-28 a sensor that is deleted while the broker sets its password is revoked", async () => {
      const { sensorId, mqtt } = await world.enrol();
      await sql`update device set is_confirmed = false where secret_hash = ${hashToken(mqtt.password)}`.execute(
        world.ctx.db,
      );
      const revoked: string[] = [];
      const put = async () =>
        void (await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", sensorId).execute());
      const done = provisionDevice(world.ctx, fakeBroker(put, revoked), {
        sensorId,
        secret: mqtt.password,
        isNew: false,
      });
      await expect(done).rejects.toMatchObject({ status: 503 });
      expect(revoked).toEqual([sensorId]);
    });

    test("T-13 a sensor changes hands while the broker sets its password, and gets another one", async () => {
      const { sensorId } = await world.enrol();
      await world.handOver(sensorId);
      const [order] = await getRenewalOrders(world.ctx, [sensorId]);
      const put = () => world.handOver(sensorId);
      await changeExternalSecret(world.ctx, fakeBroker(put), sensorId, order?.id ?? "");
      // The broker has this password.
      expect((await stored(sensorId)).secret_hash).toEqual(hashToken(order?.password ?? ""));
      const [next] = await getRenewalOrders(world.ctx, [sensorId]);
      expect(next?.id).not.toBe(order?.id);
      expect((await enrolAgain(sensorId, next?.password)).status).toBe(200);
    });

    test("DE-01 an enrollment is refused with 503 and stores nothing while many wait for the broker", async () => {
      const go = Promise.withResolvers<void>();
      const waiting = Array.from({ length: 104 }, (_, n) =>
        changeBrokerClient(world.ctx, "enrollment", String(n), () => go.promise),
      );
      const id = world.freshId();
      const { status, headers } = await enrolAgain(id);
      go.resolve();
      await Promise.all(waiting);
      expect([status, headers["retry-after"]]).toEqual([503, "5"]);
      await expect(stored(id)).rejects.toThrow();
    });
  },
);
