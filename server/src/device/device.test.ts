// Tests the gateway with devices over real MQTT, from presence and records to desired state and requests.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Ack } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import { uuidv7 } from "../kit/uuid.ts";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  until,
} from "../testing/devices/device-world.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

const open: Device[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((device) => device.end()));
});
async function device(will?: string): Promise<Device> {
  const reply = await world.enrol();
  const wire = reply.mqtt.clientId;
  const made = await world.connect(
    reply,
    will === undefined
      ? {}
      : {
          will: {
            topic: `sdp/1/${wire}/up/state`,
            payload: Buffer.from(JSON.stringify({ online: false, sid: will, n: 1 })),
            qos: 1,
            retain: true,
            properties: { willDelayInterval: 30 },
          },
        },
  );
  open.push(made);
  return made;
}
const isConnected = async (id: string) => (await world.row(id)).is_connected;
const pass = async (ms: number) => {
  world.ctx.clock.moveTo(world.ctx.clock.now() + ms);
  await world.running().tick();
};
const storedCounts = async (id: string) =>
  (
    await sql<{ start_ms: number; n_in: number; n_out: number }>`
      select c.start_ms, c.n_in, c.n_out from count_hot c join sensor s on s.num = c.sensor_num where s.id = ${id} order by 1`.execute(
      world.ctx.db,
    )
  ).rows;
const letters = async (id: string) =>
  (
    await sql<{ q: number; reason: string }>`
      select d.q, d.reason from dead_letter d join sensor s on s.num = d.sensor_num where s.id = ${id} order by 1`.execute(
      world.ctx.db,
    )
  ).rows;
const ackUpTo = (one: Device, upTo: number) =>
  one.heard("ack", (ack: Ack) => ack.upTo === upTo).then((got) => got.json as Ack);

test("DE-01 a birth connects a sensor and gets one acknowledgement and the desired state", async () => {
  const heard: string[] = [];
  const off = world.ctx.bus.on("entityChanged", (event) => heard.push(`${event.op} ${event.id}`));
  const one = await device();
  await one.up("state", birth("s1", { caps: ["count", "vpn"], seq: { first: 881, next: 900 } }));
  const row = await world.row(one.id);
  expect(row).toMatchObject({ is_connected: true, not_responding: false, running_version: "1.18.0" });
  expect(row.info).toEqual({ software: { firmware: { version: "1.18.0" } } });
  expect(row.vpn).toMatchObject({ enabledOnSensor: true, connect: false });
  expect(row.con_at).toEqual(row.last_contact_at);
  expect((await one.heard("ack")).json).toMatchObject({ ep: "e1", upTo: 0, holes: [] });
  expect((await one.heard("desired")).json).toEqual({
    rev: 1,
    cfg: { countIntervalS: 300, health: true, liveFlow: false },
    fw: null,
  });
  expect(heard).toContain(`update ${one.id}`);
  off();
  await one.up("state", birth("s1"));
  expect((await world.row(one.id)).con_at).toEqual(row.con_at);
});

test("DE-01 a lost connection counts as death after 30 seconds without a new birth", async () => {
  const one = await device("s1");
  await one.up("state", birth("s1"));
  one.client.stream.destroy();
  await until("the server sees the end", () => !one.client.connected);
  await pass(25_000);
  expect(await isConnected(one.id)).toBe(true);
  const again = await world.connect({
    sensorId: one.id,
    mqtt: { clientId: one.wire, username: one.wire, password: one.password },
  } as never);
  open.push(again);
  await again.up("state", birth("s2"));
  await pass(60_000);
  expect(await isConnected(one.id)).toBe(true);
  again.client.stream.destroy();
  await until("disconnected", async () => {
    await pass(10_000);
    return !(await isConnected(one.id));
  });
  const row = await world.row(one.id);
  expect(Number(row.discon_at)).toBeGreaterThan(Number(row.con_at));
});

test("DE-01 a death counts at once if it belongs to the newest birth", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.up("state", birth("s2"));
  await one.up("state", { online: false, sid: "s1", n: 1, why: "reboot" });
  expect(await isConnected(one.id)).toBe(true);
  await one.up("state", { online: false, sid: "s2", n: 1, why: "reboot" });
  expect(await isConnected(one.id)).toBe(false);
});

test("DE-01 a takeover by the same credential disconnects no one", async () => {
  const one = await device("s1");
  await one.up("state", birth("s1"));
  const thief = { sensorId: one.id, mqtt: { clientId: one.wire, username: one.wire, password: "guess" } };
  await expect(world.connect(thief as never)).rejects.toThrow(/Not authorized/);
  expect(one.client.connected).toBe(true);
  const second = await world.connect({
    sensorId: one.id,
    mqtt: { clientId: one.wire, username: one.wire, password: one.password },
  } as never);
  open.push(second);
  await until("the first is closed", () => !one.client.connected);
  await second.up("state", birth("s2"));
  await pass(120_000);
  expect(await isConnected(one.id)).toBe(true);
});

test("DE-01 records are stored before their acknowledgement; repetitions change nothing", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.up("data", batch([createCountRecord(1), createCountRecord(2), createCountRecord(3)]));
  const first = await storedCounts(one.id);
  expect(first).toHaveLength(3);
  expect(await ackUpTo(one, 3)).toMatchObject({ ep: "e1", upTo: 3, holes: [] });
  await one.up(
    "data",
    batch([
      createCountRecord(2, { lines: [{ id: "l1", name: "Door", in: 999, out: 999 }] }),
      createCountRecord(3),
      createCountRecord(4),
    ]),
  );
  const corrected = first.map((row) =>
    row.start_ms === createCountRecord(2).s ? { ...row, n_in: 999, n_out: 999 } : row,
  );
  expect(await storedCounts(one.id)).toEqual([...corrected, { start_ms: createCountRecord(4).s, n_in: 4, n_out: 4 }]);
  await one.up(
    "fill",
    batch([
      createCountRecord(5, {
        s: createCountRecord(1).s,
        e: createCountRecord(1).e,
        lines: [{ id: "l1", name: "Door", in: 50, out: 50 }],
      }),
    ]),
  );
  expect((await storedCounts(one.id))[0]).toMatchObject({ n_in: 50, n_out: 50 });
});

test("DE-01 holes are reported from the oldest held record on, and close when sent again", async () => {
  const one = await device();
  await one.up("state", birth("s1", { seq: { first: 10, next: 40 } }));
  await one.heard("ack");
  await one.up("data", batch([createCountRecord(30), createCountRecord(31)]));
  await pass(1_000);
  expect(await ackUpTo(one, 31)).toMatchObject({ holes: [[10, 29]] });
  await one.up("fill", batch([createCountRecord(10), createCountRecord(11), createCountRecord(29)]));
  await pass(1_000);
  const ack = await one.heard("ack", (json: Ack) => json.holes.length === 1 && json.holes[0]?.[0] === 12);
  expect(ack.json).toMatchObject({ upTo: 31, holes: [[12, 28]] });
});

test("DE-01 one bad record becomes a dead letter and is acknowledged; the others are stored", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.up(
    "data",
    batch([
      createCountRecord(1),
      createCountRecord(2, { lines: [{ id: "l1", in: -5, out: 0 }] }),
      { q: 3, t: "riddle", s: 1, e: 2 },
      { t: "count" },
      "not even an object",
      createCountRecord(4, { s: createCountRecord(1).s + 60_000, e: createCountRecord(1).e + 60_000 }),
      createCountRecord(5, { lines: [{ id: "l\u0000\ud800", name: "\u0007", in: 1, out: 1 }] }),
      createCountRecord(6),
    ]),
  );
  expect((await storedCounts(one.id)).map((row) => row.start_ms)).toEqual(
    expect.arrayContaining([createCountRecord(1).s, createCountRecord(6).s]),
  );
  expect((await letters(one.id)).map((row) => row.q)).toEqual(expect.arrayContaining([2, 3, 4]));
  expect((await letters(one.id)).map((row) => row.q)).not.toEqual(expect.arrayContaining([1]));
  expect(await ackUpTo(one, 6)).toMatchObject({ holes: [] });
});

test("DE-01 unknown classes and reasons are ignored, the record is not", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const { s, e } = createCountRecord(2);
  const lines = [{ id: "l1", in: 7, out: 3, cls: { adult: [2, 1], robot: [5, 2] } }];
  const reboots = { power: 1, meteor: 1 };
  await one.up("data", batch([createCountRecord(1, { lines }), { q: 2, t: "health", s, e, upS: 60, reboots }]));
  expect(await ackUpTo(one, 2)).toMatchObject({ holes: [] });
  expect(await letters(one.id)).toEqual([]);
  expect(await storedCounts(one.id)).toMatchObject([{ n_in: 7, n_out: 3 }]);
});

test("DE-01 records from a clock in 1970 or 2100 block nothing", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const at = (q: number, s: number) => createCountRecord(q, { s, e: s + 300_000 });
  await one.up(
    "data",
    batch([
      at(1, 0),
      at(2, Date.UTC(2100, 0, 1)),
      at(3, Date.UTC(9999, 0, 1)),
      at(4, -8.64e15),
      at(5, 8.64e15 - 300_000),
      createCountRecord(6),
    ]),
  );
  expect((await storedCounts(one.id)).map((row) => row.start_ms)).toContain(createCountRecord(6).s);
  expect(await ackUpTo(one, 6)).toMatchObject({ holes: [] });
});

test("DE-01 acknowledged records survive a restart, and sensors reconnect", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.up("data", batch([createCountRecord(1), createCountRecord(2)]));
  const gone = await device();
  await gone.up("state", birth("g1"));
  await world.restart();
  expect(await isConnected(one.id)).toBe(true);
  const again = await world.connect({
    sensorId: one.id,
    mqtt: { clientId: one.wire, username: one.wire, password: one.password },
  } as never);
  open.push(again);
  await again.up("state", birth("s2", { seq: { first: 1, next: 3 } }));
  expect(await ackUpTo(again, 2)).toMatchObject({ holes: [] });
  await again.up("data", batch([createCountRecord(1), createCountRecord(2), createCountRecord(3)]));
  expect(await storedCounts(one.id)).toHaveLength(3);
  await pass(61_000);
  expect(await isConnected(gone.id)).toBe(false);
  expect(await isConnected(one.id)).toBe(true);
});

test("DE-01 reported values are shown, capped and cleaned; the running firmware is recognized", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.up("reported", {
    rev: 1,
    applied: 1,
    info: { software: { firmware: { version: "1.19.0" } }, hardware: "APS-90\u0000\u202e<script>", "k\u0000": 1 },
    psconnect: { connectionStatus: "connected", statusChangedAt: 1_700_000_000_000 },
  });
  const row = await world.row(one.id);
  expect(row.running_version).toBe("1.19.0");
  expect(row.info).toMatchObject({ software: { firmware: { version: "1.19.0" } }, k: 1 });
  expect(row.psconnect).toEqual({ connectionStatus: "connected", statusChangedAt: "2023-11-14T22:13:20.000Z" });
  await one.up("reported", { info: { software: "none", blob: "x".repeat(50_000) } });
  expect((await world.row(one.id)).info).toEqual(row.info);
});

test("DE-01 the desired state keeps its number until something changes", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.heard("desired");
  one.got.length = 0;
  world.ctx.bus.emit({ name: "desiredChanged", event: { sensorIds: [one.id] } });
  expect((await one.heard("desired")).json).toMatchObject({ rev: 1 });
  one.got.length = 0;
  await world.ctx.db
    .updateTable("sensor")
    .set({ vpn: JSON.stringify({ connect: true }) })
    .where("id", "=", one.id)
    .execute();
  world.ctx.bus.emit({ name: "desiredChanged", event: { sensorIds: [one.id] } });
  expect((await one.heard("desired")).json).toMatchObject({ rev: 2, vpn: { connect: true } });
  one.got.length = 0;
  await one.client.subscribeAsync(`sdp/1/${one.wire}/dn/desired`, { qos: 1 });
  expect(await one.heard("desired")).toMatchObject({ retain: true, json: { rev: 2 } });
});

test("DE-01 a restored sensor gets its desired state under a higher number", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const former = (await one.heard("desired")).json as { rev: number };
  await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", one.id).execute();
  world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [one.id] } });
  await until("revoked", () => !one.client.connected);
  const again = await world.connect(await world.enrol(one.id));
  open.push(again);
  await again.up("state", birth("s2"));
  expect(((await again.heard("desired")).json as { rev: number }).rev).toBeGreaterThan(former.rev);
});

test("DE-01 a request gets its response, even chunked; no other device can respond", async () => {
  const one = await device();
  const other = await device();
  await one.up("state", birth("s1"));
  const answering = world.running().call(one.id, "getSnapshot", "", 60_000);
  const asked = await one.heard("rpc");
  expect(asked.json).toMatchObject({ func: "getSnapshot", timeout: 60_000 });
  const instance = asked.responseTopic?.split("/").at(-1) ?? "";
  const part = (text: string, number: number) =>
    JSON.stringify({
      ok: true,
      func: "getSnapshot",
      data: Buffer.from(text).toString("base64"),
      ct: "image/jpeg",
      timestamp: 1,
      part: number,
      parts: 2,
    });
  const properties = { correlationData: asked.correlation ?? Buffer.alloc(0) };
  await other.client.publishAsync(
    `sdp/1/${other.wire}/up/rpc/${instance}`,
    JSON.stringify({ ok: false, code: "FORGED", message: "" }),
    { qos: 1, properties },
  );
  await one.client.publishAsync(asked.responseTopic ?? "", part("picture", 2), { qos: 1, properties });
  await one.client.publishAsync(asked.responseTopic ?? "", part("a ", 1), { qos: 1, properties });
  const answer = await answering;
  expect(answer).toMatchObject({ ok: true, func: "getSnapshot", ct: "image/jpeg" });
  expect(answer.ok && Buffer.from(answer.data, "base64").toString()).toBe("a picture");
  await expect(world.running().call(one.id, "ping", "", 50)).rejects.toMatchObject({ code: 504 });
  await expect(world.running().call("00:00:00:00:00:01", "ping", "", 50)).rejects.toMatchObject({ code: 509 });
});

test("DE-01 a connected sensor without responses is marked until it sends anything", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await pass(6 * 60_000);
  expect((await one.heard("rpc")).json).toMatchObject({ func: "ping" });
  await until("not responding", async () => (await world.row(one.id)).not_responding);
  expect(await isConnected(one.id)).toBe(true);
  await one.up("live", { t: "occ", at: 1, zones: [] });
  await until("responding again", async () => !(await world.row(one.id)).not_responding);
  await Promise.allSettled([
    world.running().call(one.id, "getSnapshot", "", 30),
    world.running().call(one.id, "getSnapshot", "", 30),
  ]);
  await until("not responding", async () => (await world.row(one.id)).not_responding);
});

test("DE-01 after two short requests without responses a ping decides", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const inAHurry = () => world.running().call(one.id, "getSnapshot", "", 1);
  await expect(inAHurry()).rejects.toMatchObject({ code: 504 });
  await expect(inAHurry()).rejects.toMatchObject({ code: 504 });
  await one.heard("rpc", ({ func }: { func: string }) => func === "ping");
  await until("not responding", async () => (await world.row(one.id)).not_responding);
});

test("DE-01 live levels are passed on and not stored", async () => {
  const one = await device();
  const heard: unknown[] = [];
  const off = world.ctx.bus.on("liveLevel", (event) => heard.push(event));
  const level = { t: "flow", at: 5, since: 1, lines: [{ id: "l1", in: 2, out: 1 }] };
  await one.up("live", level);
  off();
  expect(heard).toEqual([{ sensorId: one.id, level }]);
});

test("DE-01 a change of owner ends the session with 152, a deletion with 135", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  await one.heard("desired");
  const codes: (number | undefined)[] = [];
  one.client.on("disconnect", (packet) => codes.push(packet.reasonCode));
  world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [one.id] } });
  await until("disconnected", () => codes.length);
  expect(codes).toEqual([152]);
  const again = await world.connect({
    sensorId: one.id,
    mqtt: { clientId: one.wire, username: one.wire, password: one.password },
  } as never);
  open.push(again);
  again.client.on("disconnect", (packet) => codes.push(packet.reasonCode));
  expect(again.got.filter((got) => got.topic.endsWith("/desired"))).toEqual([]);
  await again.up("state", birth("s2"));
  await world.ctx.db.updateTable("sensor").set({ is_deleted: true }).where("id", "=", one.id).execute();
  world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [one.id] } });
  await until("revoked", () => codes.length > 1);
  expect(codes).toEqual([152, 135]);
  await expect(
    world.connect({
      sensorId: one.id,
      mqtt: { clientId: one.wire, username: one.wire, password: one.password },
    } as never),
  ).rejects.toThrow(/Not authorized/);
});

test("DE-01 the host publishes its own state", async () => {
  const one = await device();
  await one.client.subscribeAsync("sdp/1/_host/state", { qos: 1 });
  const online = await until("host state", () => one.got.find((got) => got.topic === "sdp/1/_host/state"));
  expect(online).toMatchObject({ retain: true, json: { online: true } });
  await world.restart();
  const words = () => one.got.filter((got) => got.topic === "sdp/1/_host/state");
  await until("its last word", () => words().length === 2);
  expect(words().at(-1)?.json).toMatchObject({ online: false });
});

test("DE-01 contact is stored at most once a minute", async () => {
  const one = await device();
  await one.up("state", birth("s1"));
  const first = (await world.row(one.id)).last_contact_at;
  await one.up("log", {});
  await one.up("reported", { rev: 0 });
  expect((await world.row(one.id)).last_contact_at).toEqual(first);
  await pass(61_000);
  await one.up("log", {});
  await one.up("reported", { rev: 0 });
  expect(Number((await world.row(one.id)).last_contact_at)).toBeGreaterThanOrEqual(Number(first) + 61_000);
});

test("DE-01 the running version is matched with a firmware visible to the owner", async () => {
  const insert = (owner: string, path: string, name: string, childrenCanView = false) => {
    const id = uuidv7(Date.now());
    return world.ctx.db
      .insertInto("firmware")
      .values({
        id,
        owner_id: owner,
        owner_path: path,
        type: "APS",
        name,
        precedence: "1",
        children_can_view: childrenCanView,
      })
      .execute()
      .then(() => id);
  };
  const stranger = await world.account("Stranger", "00009");
  await insert(stranger, "00009", "2.0.0", true);
  const own = await insert(world.owner, "00001", "2.1.0");
  const one = await device();
  await one.up("state", birth("s1", { fw: "2.0.0" }));
  expect(await world.row(one.id)).toMatchObject({ running_version: "2.0.0", firmware_running_id: null });
  await one.up("state", birth("s2", { fw: "2.1.0" }));
  expect(await world.row(one.id)).toMatchObject({ running_version: "2.1.0", firmware_running_id: own });
});
