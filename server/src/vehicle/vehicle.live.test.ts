// Tests live levels of vehicles on the live socket: who receives them, how they are merged, and that they are not replayed.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { SectionResponse } from "@psp/contract/section/wire.ts";
import { announceAll } from "../db/write.ts";
import { keepSection } from "../section/section.service.ts";
import { until } from "../testing/devices/device-world.ts";
import type { LiveFrame } from "../testing/live-socket.ts";
import { groupValues } from "../testing/scenes/feed-scene.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let last = 0x2000;
beforeAll(async () => void (world = await createWorld({ env: { PARTS: "api,gateway" } })));
afterAll(() => world.stop());

async function coach(owner: Person, vehicleId: string, sequence = 1): Promise<string> {
  const id = toMac(0x0200_0001_0000 + (last += 1));
  await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "ZOD" } });
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  const answer = JSON.stringify({ rev: 1, values: groupValues({ vehicleId, sequence }) });
  const read = { sensor_num: num, section: "group", answer, read_at: world.ctx.clock.date() };
  await world.ctx.db.insertInto("sensor_section").values(read).execute();
  return id;
}

const report = (sensorId: string, n: number) =>
  world.ctx.bus.emit({
    name: "liveLevel",
    event: { sensorId, level: { t: "occ", at: 0, zones: [{ id: "s1", n }] } },
  });

type Page = { frames: LiveFrame[]; socket: WebSocket; watch(vehicles: boolean): Promise<void> };

async function open(who: Person, query = "&counts=watched"): Promise<Page> {
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${who.token}${query}`);
  const frames: LiveFrame[] = [];
  socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString()) as LiveFrame));
  await until("the greeting", () => frames.some(({ type }) => type === "hello" || type === "resync"));
  return {
    frames,
    socket,
    async watch(vehicles) {
      socket.send(JSON.stringify({ watch: { measIDs: [], sensorIDs: [], any: false, vehicles } }));
      await settled(socket);
    },
  };
}

/** Waits until the server has read everything that was sent, and everything sent by the server has arrived. */
const settled = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    socket.once("pong", () => resolve());
    socket.ping();
  });

type Obj = { _id: string; state: string; load: { persons: number } | null; coaches: { sequence: number }[] };
const vehicles = ({ frames }: Page) =>
  frames.flatMap(({ type, op, obj }) => (type === "vehicle" ? [{ op, obj: obj as unknown as Obj }] : []));
const persons = (page: Page) => vehicles(page).map(({ obj }) => obj.load?.persons ?? null);

test("levels reach only pages that show vehicles and may view them; changed coaches only", async () => {
  const owner = await world.account("Tram Lines", world.root, fullPermissions);
  const branch = await world.account("Branch", owner, fullPermissions);
  const ids = [await coach(owner, "t-1", 1), await coach(owner, "t-1", 2)] as const;
  const [shown, other, list, foreign] = [
    await open(owner),
    await open(branch),
    await open(owner),
    await open(owner, ""),
  ];
  await shown.watch(true);
  await other.watch(true);
  await list.watch(false);
  for (const id of ids) report(id, 3);
  await until("both coaches", () => persons(shown).includes(6));
  const before = vehicles(shown).length;
  report(ids[1], 9);
  const { op, obj } = await until("the change", () => vehicles(shown)[before]);
  expect(op).toBe("update");
  expect(obj).toMatchObject({ _id: `${owner.id}_t-1`, state: "occupied", load: { persons: 12 } });
  expect(obj.coaches.map(({ sequence }) => sequence)).toEqual([2]);
  for (const page of [other, list, foreign]) {
    await settled(page.socket);
    expect(vehicles(page)).toEqual([]);
  }
  await shown.watch(false);
  await list.watch(true);
  report(ids[0], 1);
  await until("the other page", () => persons(list).includes(10));
  await settled(shown.socket);
  expect(persons(shown)).not.toContain(10);
  for (const page of [shown, other, list, foreign]) page.socket.close();
});

test("many levels of a vehicle are few messages with the newest; a reconnect does not repeat them", async () => {
  const owner = await world.account("Tram Lines", world.root, fullPermissions);
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => coach(owner, "t-2", n + 1)));
  const page = await open(owner);
  await page.watch(true);
  for (let n = 1; n <= 50; n += 1) for (const id of ids) report(id, n);
  await until("the newest", () => persons(page).includes(400));
  expect(vehicles(page).length).toBeLessThan(5);
  const { cursor } = page.frames.find(({ type }) => type === "vehicle") ?? { cursor: "" };
  page.socket.close();
  const again = await open(owner, `&counts=watched&since=${cursor}`);
  expect(vehicles(again)).toEqual([]);
  again.socket.close();
});

test("a level does not move the cursor past changes that were not sent yet", async () => {
  const owner = await world.account("Tram Lines", world.root, fullPermissions);
  const id = await coach(owner, "t-3");
  const page = await open(owner);
  await page.watch(true);
  report(id, 4);
  const { cursor } = await until("the level", () => page.frames.find(({ type }) => type === "vehicle"));
  page.socket.close();
  await world.call(owner, "PUT", `/api/sensor/${id}`, { body: { groups: ["north"] } });
  const again = await open(owner, `&counts=watched&since=${cursor}`);
  const missed = again.frames.slice(
    0,
    again.frames.findIndex(({ type }) => type === "hello"),
  );
  expect(missed.map(({ type }) => type)).toContain("sensor");
  again.socket.close();
});

test("a coach that comes to a vehicle is announced as created", async () => {
  const owner = await world.account("Tram Lines", world.root, fullPermissions);
  const id = await coach(owner, "t-4");
  const page = await open(owner);
  await page.watch(true);
  await announceAll(world.ctx, [{ name: "coachesChanged", event: { sensorIds: [id], moved: true } }]);
  const { op, obj } = await until("the vehicle", () => vehicles(page)[0]);
  expect([op, obj.state, obj.load]).toEqual(["create", "unknown", null]);
  page.socket.close();
});

test("a coach that leaves its vehicle changes both vehicles; the last one ends it", async () => {
  const owner = await world.account("Tram Lines", world.root, fullPermissions);
  const [staying, leaving] = [await coach(owner, "t-5", 1), await coach(owner, "t-5", 2)];
  const [page, foreign] = [
    await open(owner),
    await open(await world.account("Other Lines", world.root, fullPermissions)),
  ];
  for (const one of [page, foreign]) await one.watch(true);
  const read = async (id: string, vehicleId: string) => {
    const { num } = await world.ctx.db
      .selectFrom("sensor")
      .select("num")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const sensor = { num, id, type: "ZOD", owner_id: owner.id } as const;
    const answer = {
      key: "group",
      rev: 2,
      values: groupValues({ vehicleId, sequence: 1 }),
    } as unknown as SectionResponse;
    await keepSection(world.ctx, sensor, "group", answer, world.ctx.clock.date());
  };
  const heard = () => vehicles(page).map(({ op, obj }) => [op, obj._id.split("_")[1], obj.coaches.length]);
  await read(leaving, "t-6");
  await until("both vehicles", () => heard().length === 2);
  expect(new Map(heard().map((one) => [one[1], one]))).toEqual(
    new Map([
      ["t-5", ["create", "t-5", 0]],
      ["t-6", ["create", "t-6", 1]],
    ]),
  );
  await read(staying, "");
  await until("the end", () => heard().length === 3);
  expect(heard()[2]).toEqual(["delete", "t-5", 0]);
  await settled(foreign.socket);
  expect(vehicles(foreign)).toEqual([]);
  for (const one of [page, foreign]) one.socket.close();
});
