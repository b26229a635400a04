// Tests over HTTP who gets a credential at the enrollment, and what failed attempts reveal.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import { createStillClock } from "../../testing/snapshot.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { noteRestoredPasswords } from "../device.store.ts";
import { createPassword } from "./credential.ts";
import { getRenewalOrders } from "./renewal.ts";

let world: DeviceWorld;
/** Stopped, so that rate limits do not depend on the speed of the machine. */
const clock = createStillClock();
beforeAll(async () => {
  world = await createDeviceWorld({ clock });
});
beforeEach(() => clock.moveTo(clock.now() + 2_000));
afterAll(() => world.stop());

let lastAddress = 0;
const address = () => `10.9.${(lastAddress += 1) >> 8}.${lastAddress & 255}`;
const form = (token: string, id: string, extra: Record<string, unknown> = {}) => ({
  token,
  id,
  type: "APS",
  nonce: "n1",
  time: 0,
  ...extra,
});

test("IT-02 a valid token makes the sensor its owner's, and its credential opens the gateway", async () => {
  const heard: unknown[] = [];
  const off = world.ctx.bus.on("entityChanged", (event) => heard.push(event));
  const id = world.freshId();
  const { status, body } = await world.post(
    form(await world.token(), id.toLowerCase().replaceAll(":", "-")),
    address(),
  );
  off();
  const reply = body as EnrolReply;
  expect(status).toBe(201);
  expect(reply.sensorId).toBe(id);
  expect(reply.claimingCode).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  expect(Buffer.from(reply.mqtt.password, "base64url")).toHaveLength(32);
  expect(Buffer.from(reply.fwKey, "base64")).toHaveLength(32);
  expect(reply.hostState).toBe("sdp/1/_host/state");
  expect(reply.serverTime).toBe(clock.now());
  const row = await world.row(id);
  expect(row).toMatchObject({
    owner_id: world.owner,
    owner_path: "00001",
    type: "APS",
    claimable: false,
    is_connected: false,
  });
  expect(heard).toEqual([{ type: "sensor", op: "create", id, ownerBefore: null, ownerAfter: world.owner }]);
  const trail = await world.ctx.db.selectFrom("audit").selectAll().where("object_id", "=", id).execute();
  expect(trail.map((one) => one.action)).toEqual(["enrol"]);
  expect(JSON.stringify(trail)).not.toContain(reply.mqtt.password);
  const device = await world.connect(reply);
  expect(device.client.connected).toBe(true);
  await device.end();
});

test("IT-02 the token's firmware is assigned; another type is refused with 403", async () => {
  const firmware = uuidv7(Date.now());
  await world.ctx.db
    .insertInto("firmware")
    .values({ id: firmware, owner_id: world.owner, owner_path: "00001", type: "APS", name: "1.18.0", precedence: "1" })
    .execute();
  const token = await world.token(world.owner, firmware);
  const id = world.freshId();
  expect((await world.post(form(token, id, { type: "ZOD" }), address())).status).toBe(403);
  expect((await world.post(form(token, id), address())).status).toBe(201);
  expect((await world.row(id)).firmware_id).toBe(firmware);
});

test("IT-02 the same key again gets a new password; the old one lasts ten minutes", async () => {
  const id = world.freshId();
  const token = await world.token();
  const from = address();
  const first = (await world.post(form(token, id, { csr: "KEY-A" }), from)).body as EnrolReply;
  const again = await world.post(form(token, id, { csr: "KEY-A" }), from);
  const second = again.body as EnrolReply;
  expect(again.status).toBe(200);
  expect(second.mqtt.password).not.toBe(first.mqtt.password);
  expect(second.claimingCode).toBe(first.claimingCode);
  await (await world.connect(first)).end();
  await (await world.connect(second)).end();
  const third = (await world.post(form(token, id, { credential: first.mqtt.password }), from)).body as EnrolReply;
  await (await world.connect(third)).end();
  await (await world.connect(second)).end();
  await expect(world.connect(first)).rejects.toThrow();
  const until = await world.ctx.db
    .selectFrom("device")
    .innerJoin("sensor", "sensor.num", "device.sensor_num")
    .where("sensor.id", "=", id)
    .select("previous_until")
    .executeTakeFirstOrThrow();
  expect(until.previous_until?.getTime()).toBe(clock.now() + 10 * 60_000);
});

test("IT-02 a taken id is 409 without its owner, and nothing changes", async () => {
  const id = world.freshId();
  await world.post(form(await world.token(), id, { csr: "KEY-A" }), address());
  const before = await world.row(id);
  const stranger = await world.account("Stranger", "00002");
  // Public keys are no secret: with another account's token they prove nothing.
  for (const extra of [{}, { csr: "KEY-A" }, { csr: "KEY-B" }, { credential: "guess" }]) {
    const { status, body } = await world.post(form(await world.token(stranger), id, extra), address());
    expect(status).toBe(409);
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`${world.owner}|Owner|00001`));
  }
  expect(await world.row(id)).toEqual(before);
});

test("IT-02 a deleted sensor is restored as a new one without its past", async () => {
  const old = await world.enrol();
  await world.ctx.db
    .updateTable("sensor")
    .set({ is_deleted: true, groups: ["secret"], info: JSON.stringify({ a: 1 }), last_contact_at: new Date(0) })
    .where("id", "=", old.sensorId)
    .execute();
  await expect(world.connect(old)).rejects.toThrow();
  const newOwner = await world.account("Buyer", "00003");
  const { status, body } = await world.post(form(await world.token(newOwner), old.sensorId), address());
  expect(status).toBe(201);
  expect((body as EnrolReply).claimingCode).not.toBe(old.claimingCode);
  const row = await world.row(old.sensorId);
  expect(row).toMatchObject({
    owner_id: newOwner,
    groups: [],
    info: null,
    last_contact_at: null,
    is_deleted: false,
    location_id: null,
  });
  expect(Number(row.visible_from)).toBe(clock.now());
  await expect(world.connect(old)).rejects.toThrow();
});

test("IT-02 a sensor registered by hand enrolls only with a token of its owner", async () => {
  const id = world.freshId();
  await world.ctx.db
    .insertInto("sensor")
    .values({ id, owner_id: world.owner, owner_path: "00001", type: "APS" })
    .execute();
  const other = await world.account("Neighbor", "00004");
  expect((await world.post(form(await world.token(other), id), address())).status).toBe(409);
  expect((await world.post(form(await world.token(), id, { type: "ZOD" }), address())).status).toBe(403);
  expect((await world.post(form(await world.token(), id), address())).status).toBe(201);
});

test("IT-02 invalid forms are 400 and store nothing", async () => {
  const token = await world.token();
  const good = form(token, world.freshId());
  const before = await world.ctx.db
    .selectFrom("sensor")
    .select((e) => e.fn.countAll().as("n"))
    .executeTakeFirstOrThrow();
  for (const bad of [
    { ...good, type: "TOASTER" },
    { ...good, id: "not-a-mac" },
    { ...good, id: "00:11:22:33:44:55:66" },
    { ...good, time: "now" },
    { ...good, nonce: undefined },
    [],
  ]) {
    expect((await world.post(bad, address())).status).toBe(400);
  }
  expect((await world.post({ ...good, hw: "x".repeat(20_000) }, address())).status).toBe(413);
  const after = await world.ctx.db
    .selectFrom("sensor")
    .select((e) => e.fn.countAll().as("n"))
    .executeTakeFirstOrThrow();
  expect(after).toEqual(before);
});

test("IT-02 a revoked or unknown token is 401", async () => {
  const token = await world.token();
  await world.ctx.db
    .updateTable("init_token")
    .set({ is_deleted: true })
    .where("owner_id", "=", world.owner)
    .where("name", "=", "token")
    .execute();
  expect((await world.post(form(token, world.freshId()), address())).status).toBe(401);
  expect((await world.post(form("guess", world.freshId()), address())).status).toBe(401);
});

test("IT-02 ten failures a minute per address, then 429; other devices of a site may enroll", async () => {
  const from = address();
  for (let i = 0; i < 10; i += 1)
    expect((await world.post(form(`wrong-${i}`, world.freshId()), from)).status).toBe(401);
  const refused = await world.post(form(await world.token(), world.freshId()), from);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  clock.moveTo(clock.now() + 61_000);
  const site = await world.token();
  for (let i = 0; i < 40; i += 1) expect((await world.post(form(site, world.freshId()), from)).status).toBe(201);
});

test("IT-02 five failures an hour per token, then 429 even for good calls", async () => {
  const token = await world.token();
  const taken = (await world.enrol()).sensorId;
  for (let i = 0; i < 5; i += 1) expect((await world.post(form(token, taken), address())).status).toBe(409);
  expect((await world.post(form(token, world.freshId()), address())).status).toBe(429);
  clock.moveTo(clock.now() + 3_601_000);
  expect((await world.post(form(token, world.freshId()), address())).status).toBe(201);
});

test("IT-02 more than fifty a second get 429", async () => {
  const token = await world.token();
  const replies = await Promise.all(
    Array.from({ length: 80 }, () => world.post(form(token, world.freshId()), address())),
  );
  const later = replies.filter((one) => one.status === 503);
  expect(replies.filter((one) => one.status === 201)).toHaveLength(50);
  expect(later).toHaveLength(30);
  expect(later[0]?.headers["retry-after"]).toBe("1");
});

test("IT-02 of many devices that claim one id at once exactly one succeeds", async () => {
  // Runs many rounds, because chance decides which unique index conflicts first.
  for (let round = 0; round < 60; round += 1) {
    const id = world.freshId();
    const token = await world.token();
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, i) => world.post(form(token, id, { csr: `KEY-${i}` }), address())),
    );
    expect(replies.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
    clock.moveTo(clock.now() + 2_000);
  }
});

test("IT-02 a token that changes during an enrollment counts as changed", async () => {
  const { db } = world.ctx;
  const other = await world.account("Other", "00777");
  const [before = "", after = ""] = ["2.0.0", "2.1.0"].map(() => uuidv7(Date.now()));
  await db
    .insertInto("firmware")
    .values(
      [before, after].map((id, n) => {
        return { id, owner_id: world.owner, owner_path: "00001", type: "APS", name: `2.${n}.0`, precedence: `2.${n}` };
      }),
    )
    .execute();
  const cases = [
    { change: { firmware_id: after }, firmware_id: after, owner_id: world.owner },
    { change: { owner_id: other, owner_path: "00777" }, firmware_id: before, owner_id: other },
  ];
  for (const { change, ...expected } of cases) {
    const token = await world.token(world.owner, before);
    const id = world.freshId();
    const { reply } = await db.transaction().execute(async (tx) => {
      const token_hash = createHash("sha256").update(token).digest();
      await tx.updateTable("init_token").set(change).where("token_hash", "=", token_hash).execute();
      const pending = world.post(form(token, id), address());
      await untilSomebodyWaits(db);
      return { reply: pending };
    });
    expect(await reply).toMatchObject({ status: 201 });
    expect(await world.row(id)).toMatchObject(expected);
  }
});

/** Backs up the passwords of a sensor; the result restores them. */
async function backUp(id: string) {
  const { db } = world.ctx;
  const { num } = await world.row(id);
  const backedUpAt = clock.date();
  const device = await db.selectFrom("device").selectAll().where("sensor_num", "=", num).executeTakeFirstOrThrow();
  const renewals = await db.selectFrom("device_renewal").selectAll().where("sensor_num", "=", num).execute();
  clock.moveTo(clock.now() + 60_000);
  return async () => {
    clock.moveTo(clock.now() + 60_000);
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom("audit").where("at", ">", backedUpAt).execute();
      await tx.deleteFrom("device_renewal").where("sensor_num", "=", num).execute();
      const { secret_hash, previous_hash, previous_until } = device;
      await tx
        .updateTable("device")
        .set({ secret_hash, previous_hash, previous_until })
        .where("sensor_num", "=", num)
        .execute();
      if (renewals.length > 0) await tx.insertInto("device_renewal").values(renewals).execute();
      await noteRestoredPasswords(tx);
    });
  };
}
const withPassword = (reply: EnrolReply, password = "") => ({ ...reply, mqtt: { ...reply.mqtt, password } });

test("IT-02 after a restore a sensor that was handed over gets in with a password the database lost", async () => {
  const formerToken = await world.token(await world.account("Former", "00021"));
  const id = world.freshId();
  const enrolled = (await world.post(form(formerToken, id), address())).body as EnrolReply;
  await world.ctx.db
    .updateTable("sensor")
    .set({ owner_id: world.owner, owner_path: "00001" })
    .where("id", "=", id)
    .execute();
  await world.handOver(id);
  const restore = await backUp(id);
  const [order] = await getRenewalOrders(world.ctx, [id]);
  const lost = withPassword(enrolled, order?.password);
  await (await world.connect(lost)).end();
  await restore();

  await expect(world.connect(lost)).rejects.toThrow();
  const again = (credential: string) => world.post(form(formerToken, id, { credential }), address());
  const { status, body } = await again(lost.mqtt.password);
  expect(status).toBe(200);
  await (await world.connect(body as EnrolReply)).end();
  await expect(world.connect(enrolled)).rejects.toThrow();
  expect((await again(enrolled.mqtt.password)).status).toBe(409);
  // Like any replaced password, it ends after ten minutes.
  clock.moveTo(clock.now() + 11 * 60_000);
  expect((await again(lost.mqtt.password)).status).toBe(409);
});

test("IT-02 after a restore only passwords that were issued for this sensor after that state get in", async () => {
  const id = world.freshId();
  const token = await world.token();
  const first = (await world.post(form(token, id, { csr: "KEY-A" }), address())).body as EnrolReply;
  await world.post(form(token, id, { csr: "KEY-A" }), address());
  clock.moveTo(clock.now() + 11 * 60_000);
  const second = (await world.post(form(token, id, { csr: "KEY-A" }), address())).body as EnrolReply;
  clock.moveTo(clock.now() + 11 * 60_000);
  await world.post(form(token, id, { csr: "KEY-A" }), address());
  clock.moveTo(clock.now() + 11 * 60_000);
  const restore = await backUp(id);
  const lost = (await world.post(form(token, id, { csr: "KEY-A" }), address())).body as EnrolReply;
  await restore();
  const stranger = await world.account("Stranger after a restore", "00022");
  const tamper = Buffer.from(lost.mqtt.password, "base64url");
  tamper[5] = (tamper[5] ?? 0) ^ 1;
  for (const credential of [
    first.mqtt.password,
    second.mqtt.password,
    createPassword(world.ctx, world.freshId()),
    tamper.toString("base64url"),
    "guess",
  ])
    for (const by of [await world.token(), await world.token(stranger)])
      expect((await world.post(form(by, id, { credential }), address())).status).toBe(409);
  expect((await world.post(form(token, id, { credential: lost.mqtt.password }), address())).status).toBe(200);
});

test("IT-02 a hand-over after a restore ends the passwords that the database lost", async () => {
  const { sensorId: id, mqtt } = await world.enrol();
  const restore = await backUp(id);
  const again = async (credential: string) => world.post(form(await world.token(), id, { credential }), address());
  const lost = (await again(mqtt.password)).body as EnrolReply;
  await restore();
  await world.handOver(id);
  expect((await again(lost.mqtt.password)).status).toBe(409);
});
