// Tests events about counts on the live socket: only authorized clients receive them, and a console only those for what it shows.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { announceAll } from "../db/write.ts";
import { batch, createCountRecord, until } from "../testing/devices/device-world.ts";
import { connectSensor } from "../testing/devices/remote-sensor.ts";
import type { LiveFrame } from "../testing/live-socket.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let owner: Person;
let viewer: Person;
let stranger: Person;
let place: string;
let other: string;

const sensors = ["02:00:00:00:0F:01", "02:00:00:00:0F:02", "02:00:00:00:0F:03"] as const;

beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  const above = { me: true, relativeAncestorLevel: 1 };
  viewer = await world.account("Technician", owner, { ownable: { sensor: { canViewObject: above } } });
  stranger = await world.account("City Library", world.root, fullPermissions);
  const made = async (name: string) =>
    (await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
  place = await made("Central Station");
  other = await made("Old Town");
  for (const [index, id] of sensors.entries()) {
    await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "APS" } });
    const measID = [place, other, undefined][index];
    if (measID) await world.call(owner, "PUT", `/api/sensor/${id}`, { body: { measID } });
  }
});
afterAll(() => world.stop());

type Page = { frames: LiveFrame[]; socket: WebSocket; closed: Promise<number>; say(watch: unknown): void };

async function open(who: Person, query = ""): Promise<Page> {
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${who.token}${query}`);
  const frames: LiveFrame[] = [];
  socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString()) as LiveFrame));
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await until("the greeting", () => frames.some(({ type }) => type === "hello" || type === "resync"));
  return { frames, socket, closed, say: (watch) => socket.send(JSON.stringify({ watch })) };
}

const minute = 60_000;
let at = Date.UTC(2026, 0, 1);
let announced = Promise.resolve();
function stored(...indices: number[]): string {
  at += 5 * minute;
  const counts = indices.map((index) => ({
    locationId: [place, other, null][index] ?? null,
    sensorId: sensors[index] ?? "",
    fromMs: at,
    toMs: at + 5 * minute,
  }));
  announced = announced.then(() => announceAll(world.ctx, [{ name: "countsStored", event: { counts } }]));
  return new Date(at).toISOString();
}
const datapoints = ({ frames }: Page) => frames.filter(({ type }) => type === "datapoint");
const seen = (page: Page) => datapoints(page).map(({ obj }) => [obj?.["measID"], obj?.["sens"]]);

/** Waits until everything published so far has been sent to this page. */
async function settled(page: Page, marker: Page): Promise<void> {
  const from = stored(0, 1, 2);
  await until("the marker", () => datapoints(marker).some(({ obj }) => obj?.["from"] === from));
  await new Promise<void>((resolve) => {
    page.socket.once("pong", resolve);
    page.socket.ping();
  });
}

test("LI-01 stored records notify viewers of the location, one message a batch", async () => {
  const [mine, foreign] = [await open(owner), await open(stranger)];
  const device = await connectSensor(world, owner, "02:00:00:00:0F:10");
  const id = "02:00:00:00:0F:10";
  await world.call(owner, "PUT", `/api/sensor/${id}`, { body: { measID: place } });
  // Starts at the next minute, because earlier counts do not belong to the location. Device clocks may be a few minutes ahead.
  const start = Math.ceil(Date.now() / minute) * minute;
  const records = [0, 1].map((n) => createCountRecord(n + 1, { s: start + n * minute, e: start + (n + 1) * minute }));
  await device.up("data", batch(records));
  const frame = await until("the counts", () => datapoints(mine).find(({ obj }) => obj?.["sens"] === id));
  expect(frame).toMatchObject({
    op: "create",
    obj: {
      measID: place,
      sens: id,
      type: "counting",
      from: new Date(start).toISOString(),
      to: new Date(start + 2 * minute).toISOString(),
    },
  });
  const day = new Date(start).toISOString().slice(0, 10);
  const sum = await world.call(owner, "GET", `/api/v2/counts?filter=meas:${place}&range=${day},${day}`);
  expect(sum.at("total.in")).toBe(3);
  await device.up("data", batch(records));
  await settled(foreign, mine);
  expect(datapoints(mine).filter(({ obj }) => obj?.["sens"] === id)).toHaveLength(1);
  expect(datapoints(foreign)).toEqual([]);
  await device.end();
  for (const page of [mine, foreign]) page.socket.close();
});

test("LI-01 a page gets only what it shows; a total gets one message a batch", async () => {
  const all = await open(owner);
  const [location, sensor, total, silent] = await Promise.all(
    Array.from({ length: 4 }, () => open(owner, "&counts=watched")),
  );
  if (!location || !sensor || !total || !silent) throw new Error("not open");
  location.say({ measIDs: [place.toUpperCase()], sensorIDs: [], any: false });
  sensor.say({ measIDs: [], sensorIDs: [sensors[1].replaceAll(":", "-").toLowerCase()], any: false });
  total.say({ measIDs: [], sensorIDs: [], any: true });
  const pages = [location, sensor, total, silent];
  await Promise.all(pages.map(({ socket }) => new Promise((done) => (socket.once("pong", done), socket.ping()))));
  stored(0, 1, 2);
  await until("all three", () => datapoints(all).length >= 3);
  await Promise.all(pages.map(({ socket }) => new Promise((done) => (socket.once("pong", done), socket.ping()))));
  expect(seen(location)).toEqual([[place, sensors[0]]]);
  expect(seen(sensor)).toEqual([[other, sensors[1]]]);
  expect(datapoints(total)).toHaveLength(1);
  expect(seen(silent)).toEqual([]);
  location.say({ measIDs: [other], sensorIDs: [], any: false });
  await new Promise((done) => (location.socket.once("pong", done), location.socket.ping()));
  await settled(location, all);
  expect(seen(location)).toEqual([
    [place, sensors[0]],
    [other, sensors[1]],
  ]);
  for (const page of [all, ...pages]) page.socket.close();
});

test("LI-01 a viewer of the sensor alone gets its counts without the location", async () => {
  const [script, page, marker] = [await open(viewer), await open(viewer, "&counts=watched"), await open(owner)];
  page.say({ measIDs: [place], sensorIDs: [sensors[0]], any: false });
  await new Promise((done) => (page.socket.once("pong", done), page.socket.ping()));
  await settled(page, marker);
  await settled(script, marker);
  expect(new Set(seen(page).map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify([null, sensors[0]])]));
  // Without a location, viewers of the sensor get its counts.
  expect(new Set(seen(script).map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify([null, sensors[2]])]),
  );
  for (const one of [script, page, marker]) one.socket.close();
});

test("LI-01 a reconnecting script gets missed counts, or must reload", async () => {
  const first = await open(owner);
  stored(0);
  await until("the first", () => datapoints(first).length === 1);
  const since = first.frames.at(-1)?.cursor;
  first.socket.close();
  await first.closed;
  const watcher = await open(owner);
  const missed = stored(1);
  await until("the second", () => datapoints(watcher).length === 1);
  const total = await open(owner, "&counts=watched");
  total.say({ measIDs: [], sensorIDs: [], any: true });
  await new Promise((done) => (total.socket.once("pong", done), total.socket.ping()));
  const back = await open(owner, `&since=${since}`);
  await new Promise((done) => (total.socket.once("pong", done), total.socket.ping()));
  expect(datapoints(total)).toEqual([]);
  expect(datapoints(back).map(({ obj }) => obj?.["from"])).toEqual([missed]);
  const strange = await open(owner, "&since=17");
  expect(strange.frames[0]?.type).toBe("resync");
  for (const page of [watcher, total, back, strange]) page.socket.close();
});

test("LI-01 a page gets counts between its first responses and its first watch", async () => {
  const headers = { authorization: `Bearer ${owner.token}` };
  const since = (await fetch(`${world.url}/api/auth/user`, { headers })).headers.get("x-live-since");
  const marker = await open(owner);
  const between = stored(0, 1);
  await until("the marker", () => datapoints(marker).length === 2);
  const page = await open(owner, `&counts=watched&since=${since}`);
  expect(datapoints(page)).toEqual([]);
  page.say({ measIDs: [place], sensorIDs: [], any: false });
  await until("what it missed", () => datapoints(page).length > 0);
  page.say({ measIDs: [other], sensorIDs: [], any: false });
  await settled(page, marker);
  expect(datapoints(page).map(({ obj }) => [obj?.["measID"], obj?.["from"] === between])).toEqual([
    [place, true],
    [other, false],
  ]);
  for (const each of [marker, page]) each.socket.close();
});

test("LI-01 a lost right ends the messages; invalid messages close the client", async () => {
  const child = await world.account("Branch", owner, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  const [page, marker] = [await open(child), await open(owner)];
  await settled(page, marker);
  expect(seen(page).length).toBeGreaterThan(0);
  await world.ctx.db.updateTable("role").set({ permissions: "{}" }).where("id", "=", child.roleId).execute();
  world.ctx.bus.emit({ name: "rightsChanged", event: { accountIds: [child.id], viewScopeChanged: true } });
  expect(await page.closed).toBe(4403);
  const wrong = [
    "{}",
    '{"watch":{}}',
    '{"watch":{"measIDs":[],"sensorIDs":[],"any":false},"more":1}',
    JSON.stringify({ watch: { measIDs: Array.from({ length: 101 }, String), sensorIDs: [], any: false } }),
    "x".repeat(20_000),
  ];
  for (const text of wrong) {
    const talker = await open(owner);
    talker.socket.send(text);
    expect([1008, 1009]).toContain(await talker.closed);
  }
  const chatter = await open(owner);
  for (let n = 0; n < 200; n += 1) chatter.say({ measIDs: [], sensorIDs: [], any: false });
  expect(await chatter.closed).toBe(1008);
  marker.socket.close();
});
