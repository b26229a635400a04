// Tests the feed end to end: coaches send levels by MQTT, and the public GTFS-Realtime library reads the feed over HTTP.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { createFeedScene, type FeedScene, groupValues, occupancy } from "../testing/scenes/feed-scene.ts";
import { openTunnel } from "../testing/devices/tunnel-device.ts";
import { startBeside } from "../testing/scenes/second-server.ts";

const minuteMs = 60_000;
let scene: FeedScene;
beforeAll(async () => void (scene = await createFeedScene()));
afterAll(() => scene.stop());

test("a bus: people by places, standing above 95 % of the seats, full at all places", async () => {
  const { clock, company, coach, pass, feedUrl, read, vehicle, levelOf } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  expect(await read(url)).toEqual({
    header: {
      gtfsRealtimeVersion: "2.0",
      incrementality: "FULL_DATASET",
      timestamp: String(Math.floor(clock.now() / 1000)),
    },
  });
  const parts = [
    { seats: 15, standing: 10 },
    { seats: 5, standing: 0 },
  ];
  const rows = [
    [0, 0, "EMPTY", 0],
    [7, 3, "MANY_SEATS_AVAILABLE", 33],
    [15, 4, "FEW_SEATS_AVAILABLE", 63],
    [15, 5, "STANDING_ROOM_ONLY", 67],
    [24, 5, "STANDING_ROOM_ONLY", 97],
    [25, 5, "FULL", 100],
    [40, 5, "FULL", 150],
  ] as const;
  const buses = await Promise.all(rows.map((_, n) => coach(owner, { vehicleId: `bus-${n}`, parts })));
  expect(await vehicle(url, "bus-6")).toEqual({ vehicle: { id: "bus-6" }, ...occupancy("NO_DATA_AVAILABLE") });
  const pos = { lat: 52.5, lng: 13.25, speed: 11.5, heading: 270 };
  const timestamp = String(Math.floor((clock.now() + 1) / 1000));
  pass(1);
  await Promise.all(buses.map((bus, n) => bus.says({ s1: rows[n]?.[0] ?? 0, s2: rows[n]?.[1] ?? 0 }, { pos })));
  for (const { id } of buses) await until("the level", () => levelOf(id));
  expect((await read(url)).entity).toEqual(
    rows.map(([, , status, percentage], n) => ({
      id: `bus-${n}`,
      vehicle: {
        vehicle: { id: `bus-${n}` },
        position: { latitude: 52.5, longitude: 13.25, speed: 11.5, bearing: 270 },
        timestamp,
        ...occupancy(status, percentage),
      },
    })),
  );
});

test("a covered camera and five minutes of silence are no data, not an empty vehicle", async () => {
  const { clock, company, coach, say, pass, feedUrl, vehicle } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const parts = [
    { seats: 10, standing: 0 },
    { seats: 10, standing: 0 },
  ];
  const bus = await coach(owner, { vehicleId: "bus-8", parts });
  await say(bus, { s1: 4 });
  expect(await vehicle(url, "bus-8")).toMatchObject(occupancy("NO_DATA_AVAILABLE"));
  expect(await vehicle(url, "bus-8")).not.toHaveProperty("occupancyPercentage");
  await say(bus, { s1: 4, s2: 4 }, { pos: { lat: 52, lng: 13 } });
  const said = clock.now();
  clock.moveTo(said + 5 * minuteMs - 10_001);
  expect(await vehicle(url, "bus-8")).toMatchObject({ position: {}, ...occupancy("MANY_SEATS_AVAILABLE", 40) });
  pass(1);
  const silent = await vehicle(url, "bus-8");
  expect(silent).toEqual({
    vehicle: { id: "bus-8" },
    timestamp: String(Math.floor(said / 1000)),
    ...occupancy("NO_DATA_AVAILABLE"),
  });
  await say(bus, { s1: 0, s2: 0 });
  expect(await vehicle(url, "bus-8")).toMatchObject(occupancy("EMPTY", 0));
});

test("a train: carriages in order, the sum as a whole, unknown while one is", async () => {
  const { company, coach, say, feedUrl, read, vehicle } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const rear = await coach(owner, { vehicleId: "ice-1", sequence: 3, parts: [{ seats: 40, standing: 0 }] });
  const front = await coach(owner, { vehicleId: "ice-1", sequence: 1 });
  await Promise.all([say(rear, { s1: 40 }), say(front, { s1: 3 })]);
  const carriages = [
    { label: "Coach 1", carriageSequence: 1, ...occupancy("MANY_SEATS_AVAILABLE", 10) },
    { carriageSequence: 2, ...occupancy("NO_DATA_AVAILABLE") },
    { label: "Coach 3", carriageSequence: 3, ...occupancy("FULL", 100) },
  ];
  expect(await vehicle(url, "ice-1")).toMatchObject({
    ...occupancy("NO_DATA_AVAILABLE"),
    multiCarriageDetails: carriages,
  });
  const middle = await coach(owner, { vehicleId: "ice-1", sequence: 2, parts: [{ seats: 30, standing: 0 }] });
  await say(middle, { s1: 0 });
  expect(await vehicle(url, "ice-1")).toMatchObject({
    ...occupancy("MANY_SEATS_AVAILABLE", 43),
    multiCarriageDetails: [
      carriages[0],
      { label: "Coach 2", carriageSequence: 2, ...occupancy("EMPTY", 0) },
      carriages[2],
    ],
  });
  const { entity = [] } = await read(url);
  expect(entity.map(({ id }) => id)).toEqual(["ice-1"]);
});

test("a changed division is used at once; other sensors' levels are ignored", async () => {
  const { world, clock, company, coach, say, feedUrl, vehicle, sectionOf, levelOf } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const tram = await coach(owner, { vehicleId: "tram-2" });
  await say(tram, { s1: 15 });
  expect(await vehicle(url, "tram-2")).toMatchObject(occupancy("FEW_SEATS_AVAILABLE", 50));
  tram.group = { vehicleId: "tram-3", parts: [{ seats: 40, standing: 20 }] };
  const params = { section: "group", values: groupValues(tram.group), rev: 1 };
  const body = { jsonrpc: "2.0", id: 1, method: "config.set", params };
  expect((await world.call(owner, "POST", `/api/sensor/${tram.id}/rpc`, { body })).at("result.rev")).toBe(2);
  await until("it was read again", async () => JSON.stringify(await sectionOf(tram.id)).includes("tram-3"));
  expect(await vehicle(url, "tram-2")).toEqual({});
  expect(await vehicle(url, "tram-3")).toMatchObject(occupancy("MANY_SEATS_AVAILABLE", 25));
  // A sensor of another type reports zones, but is not a coach.
  const id = "00:16:28:FE:FF:01";
  await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "PS.C1" } });
  const zones = [{ id: "z1", n: 1 }];
  world.ctx.bus.emit({
    name: "liveLevel",
    event: { sensorId: id, level: { t: "occ", at: clock.now(), zones } },
  });
  await say(tram, { s1: 16 });
  expect(await levelOf(id)).toBeUndefined();
});

test("the last level survives a restart with its age", async () => {
  const { world, clock, company, coach, say, pass, feedUrl, vehicle } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const bus = await coach(owner, { vehicleId: "bus-9" });
  await say(bus, { s1: 5 });
  const said = clock.now();
  pass(minuteMs);
  const other = await startBeside(world, "api", world.ctx.config.dataDir, { clock });
  try {
    expect(await vehicle(url.replace(world.url, other.url), "bus-9")).toMatchObject({
      timestamp: String(Math.floor(said / 1000)),
      ...occupancy("MANY_SEATS_AVAILABLE", 17),
    });
    pass(4 * minuteMs);
    expect(await vehicle(url.replace(world.url, other.url), "bus-9")).toMatchObject(occupancy("NO_DATA_AVAILABLE"));
  } finally {
    await other.stop();
  }
});

test("the feed covers the account and those below; a hand-over moves the vehicle without levels", async () => {
  const { world, company, coach, say, pass, feedUrl, read, vehicle, sectionOf, levelOf } = scene;
  const parent = await company();
  const child = await world.account("Branch", parent, fullPermissions);
  const other = await company();
  const [ofParent, ofChild, ofOther] = [await feedUrl(parent), await feedUrl(child), await feedUrl(other)];
  const bus = await coach(child, { vehicleId: "bus-10" });
  await say(bus, { s1: 6 });
  const ids = async (url: string) => ((await read(url)).entity ?? []).map(({ id }) => id);
  expect(await ids(ofParent)).toEqual(["bus-10"]);
  expect(await ids(ofChild)).toEqual(["bus-10"]);
  expect(await ids(ofOther)).toEqual([]);
  const path = `/api/sensor/${bus.id}`;
  pass(1);
  expect((await world.call(world.root, "PUT", path, { body: { owner: other.id } })).status).toBe(200);
  expect(await ids(ofParent)).toEqual([]);
  // The settings that were read for the former owner are not used. They must be read again for the new owner.
  expect(await ids(ofOther)).toEqual([]);
  expect(await levelOf(bus.id)).toBeUndefined();
  const { tunnel, wire } = bus;
  tunnel.close();
  const again = await openTunnel(world.url, { wire, password: bus.password }, (_request, answer) => {
    answer
      .writeHead(200)
      .end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { rev: 1, values: groupValues(bus.group) } }));
  });
  await until("how it is divided", () => sectionOf(bus.id));
  again.close();
  expect(await vehicle(ofOther, "bus-10")).toEqual({ vehicle: { id: "bus-10" }, ...occupancy("NO_DATA_AVAILABLE") });
  expect((await world.call(other, "DELETE", path)).status).toBe(200);
  expect(await ids(ofOther)).toEqual([]);
});

test("hostile levels are dropped completely", async () => {
  const { clock, company, coach, say, pass, feedUrl, vehicle, levelOf } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const bus = await coach(owner, { vehicleId: "bus-12" });
  await say(bus, { s1: 2 });
  pass(1);
  const level = (more: object) => ({ t: "occ", at: clock.now(), zones: [{ id: "s1", n: 9 }], ...more });
  for (const hostile of [
    level({ zones: [{ id: "s1", n: -1 }] }),
    level({ zones: [{ id: "s1", n: 1.5 }] }),
    level({ zones: Array.from({ length: 33 }, (_, n) => ({ id: `s${n}`, n })) }),
    level({ zones: [{ id: "x".repeat(65), n: 1 }] }),
  ])
    await bus.up("live", hostile, 1);
  // Levels that were sent before this message are stored together with it, or never.
  await say(await coach(owner, { vehicleId: "bus-15" }), { s1: 1 });
  expect((await levelOf(bus.id))?.zones).toEqual([{ id: "s1", n: 2 }]);
  await bus.up(
    "live",
    level({
      zones: [
        { id: "s\0", n: 4 },
        { id: "s1", n: 3 },
      ],
    }),
    1,
  );
  await until("the last one", async () => (await levelOf(bus.id))?.zones.some(({ n }) => n === 3));
  expect((await levelOf(bus.id))?.zones).toEqual([
    { id: "s", n: 4 },
    { id: "s1", n: 3 },
  ]);
  expect(await vehicle(url, "bus-12")).toMatchObject(occupancy("MANY_SEATS_AVAILABLE", 10));
});

test("an impossible position is unknown; the persons count", async () => {
  const { company, coach, say, feedUrl, vehicle } = scene;
  const owner = await company();
  const url = await feedUrl(owner);
  const bus = await coach(owner, { vehicleId: "bus-16" });
  let persons = 0;
  for (const pos of [{ lat: 0, lng: 0 }, { lat: 91, lng: 0 }, { lat: null, lng: null }, "north"]) {
    await say(bus, { s1: (persons += 3) }, { pos });
    const read = await vehicle(url, "bus-16");
    expect(read["occupancyPercentage"], JSON.stringify(pos)).toBe((persons * 100) / 30);
    expect(read["position"], JSON.stringify(pos)).toBeUndefined();
  }
  await say(bus, { s1: 1 }, { pos: { lat: 1, lng: 1, heading: 361 } });
  expect((await vehicle(url, "bus-16"))["position"]).toEqual({ latitude: 1, longitude: 1 });
});
