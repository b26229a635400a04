// Tests occupancy displays end to end: counts over MQTT, the light over a WebSocket, the app over HTTP (OC-02, OC-04).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChance } from "../testing/chance.ts";
import { until } from "../testing/devices/device-world.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import {
  appWith,
  enableDisplay,
  sendFlow,
  makeSensorId,
  createLicensedLocation,
  openDisplay,
  record,
  sendRecords,
  connectSensorsAt,
} from "./display.testing.ts";

const minuteMs = 60_000;
const clock = createStillClock();
let world: World;
let owner: Person;
/** Noon in Berlin, more than a day ahead, so that records of that morning belong to the same day's count. */
const noon = Temporal.Now.zonedDateTimeISO("Europe/Berlin")
  .add({ days: 2 })
  .withPlainTime("12:00")
  .toInstant().epochMilliseconds;

beforeAll(async () => {
  clock.moveTo(noon);
  world = await createWorld({ clock, env: { PARTS: "api,gateway" } });
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(() => world.stop());

test("OC-04 enabling the app needs a time zone, an APS sensor and a license", async () => {
  const put = (id: string, body: JsonObject) => world.call(owner, "PUT", `/api/measurement/${id}`, { body });
  const made = await world.call(owner, "POST", "/api/measurement", { body: { name: "Old Town", owner: owner.id } });
  const app = appWith({ maxObjects: 3 });
  const reasons: string[] = [];
  const refused = async (body: JsonObject) => {
    const reply = await put(made.id, body);
    expect([reply.status, reply.code]).toEqual([400, 102]);
    reasons.push(String(reply.at("details.reason")));
  };
  await refused(app);
  await put(made.id, { location: { timezone: "Europe/Berlin" } });
  await refused(app);
  const other = makeSensorId();
  await world.call(owner, "POST", "/api/sensor", { body: { _id: other, owner: owner.id, type: "ZOD" } });
  await world.call(owner, "PUT", `/api/sensor/${other}`, { body: { measID: made.id } });
  await refused(app);
  await refused(appWith({ maxObjects: 3, sensors: [other] }, false));
  const aps = makeSensorId();
  await world.call(owner, "POST", "/api/sensor", { body: { _id: aps, owner: owner.id, type: "APS" } });
  await world.call(owner, "PUT", `/api/sensor/${aps}`, { body: { measID: made.id } });
  await refused(app);
  await refused(appWith({ maxObjects: 3, sensors: [] }));
  expect(
    reasons.map((reason) => /time zone|No APS sensor|is not an APS|license|Choose at least one/.exec(reason)?.[0]),
  ).toEqual(["time zone", "No APS sensor", "No APS sensor", "is not an APS", "license", "Choose at least one"]);
  const unfinished = [
    appWith({}),
    appWith({ maxObjects: null }),
    { applications: [{ type: "ps-occupancy-app", enabled: true }] },
  ];
  for (const body of unfinished) expect(await put(made.id, body)).toMatchObject({ status: 400, code: 104 });
  expect((await put(made.id, appWith({ maxObjects: null }, false))).status).toBe(200);
  for (const license of ["buildings", "occupancyMeasurement"]) {
    const body = { buildings: false, occupancyMeasurement: false, [license]: true };
    await world.call(world.root, "PUT", `/api/measurement/${made.id}/licenses`, { body });
    expect((await put(made.id, app)).status, license).toBe(200);
    expect((await put(made.id, { applications: null })).at("applications"), license).toEqual([]);
  }
  const late = await put(made.id, { location: null, ...app });
  expect([late.code, String(late.at("details.reason"))]).toEqual([102, expect.stringContaining("time zone")]);
});

test("OC-04 OC-01 the app's second name is accepted, the first is stored, missing settings are filled", async () => {
  const id = await createLicensedLocation(world, owner);
  const body = { applications: [{ type: "occupancy_meas", settings: { frontend: { opened: { title: "Hi" } } } }] };
  const reply = await world.call(owner, "PUT", `/api/measurement/${id}`, { body });
  const read = await world.call(owner, "GET", `/api/measurement/${id}`);
  expect(read.at("applications")).toEqual(reply.at("applications"));
  expect(read.at("applications.0")).toMatchObject({
    type: "ps-occupancy-app",
    version: "v1.1.0",
    enabled: false,
    settings: {
      maxObjects: 10,
      resetTime: { interval: "daily", timeOfDay: { hour: 0, minute: 0, second: 0 } },
      sensors: null,
      frontend: { opened: { title: "Hi", color: "#49bbb4" }, closed: { title: "Please wait here!" } },
    },
  });
  const [stored] = await world.ctx.db.selectFrom("location").select("applications").where("id", "=", id).execute();
  expect(stored?.applications).toEqual([expect.objectContaining({ type: "ps-occupancy-app" })]);
  expect((await world.trail(id)).at(-1)).toMatchObject({ action: "update", account_id: owner.id });
});

test("OC-02 sensors report people live only while the app is on and they are there", async () => {
  const id = await createLicensedLocation(world, owner);
  const [one, two] = await connectSensorsAt(world, owner, id, 2);
  if (!one || !two) throw new Error("no sensors");
  const asked = (sensor: typeof one, liveFlow: boolean) =>
    until(`${sensor.id} with liveFlow ${liveFlow}`, () => {
      const last = sensor.got.findLast(({ topic, json }) => topic.endsWith("/dn/desired") && json !== null);
      return (last?.json as { cfg: JsonObject } | undefined)?.cfg["liveFlow"] === liveFlow;
    });
  await enableDisplay(world, owner, id, {});
  await Promise.all([asked(one, true), asked(two, true)]);
  await world.call(owner, "PUT", `/api/sensor/${two.id}`, { body: { measID: null } });
  await asked(two, false);
  await world.call(owner, "PUT", `/api/sensor/${two.id}`, { body: { measID: id } });
  await asked(two, true);
  await world.call(owner, "PUT", `/api/measurement/${id}`, { body: appWith({}, false) });
  await Promise.all([asked(one, false), asked(two, false)]);
  for (const sensor of [one, two]) await sensor.end();
});

test("OC-02 the light counts in minus out, never below 0, and includes late records in order", async () => {
  const id = await createLicensedLocation(world, owner);
  const [door, side] = await connectSensorsAt(world, owner, id, 2);
  if (!door || !side) throw new Error("no sensors");
  await enableDisplay(world, owner, id, { maxObjects: 5 });
  const display = await openDisplay(world, id, owner.token);
  expect(await display.shows({ count: 0 })).toMatchObject({
    type: "occupancy",
    op: "create",
    obj: { count: 0, maxObjects: 5, state: "opened" },
  });
  const at = (minute: number) => noon - 60 * minuteMs + minute * minuteMs;
  await sendRecords(door, record(at(5), 4, 0));
  await display.shows({ count: 4, state: "opened" });
  await sendRecords(side, record(at(10), 1, 0));
  expect(await display.shows({ count: 5, state: "closed" })).toMatchObject({ op: "update" });
  // More exits than people inside: the count stays 0, so that the next entry counts.
  await sendRecords(door, record(at(15), 0, 9));
  await display.shows({ count: 0, state: "opened" });
  await sendRecords(door, record(at(20), 2, 0));
  await display.shows({ count: 2 });
  // With the three late entries, eight people were inside when nine left; then two came. From then on, the side door is silent.
  await sendRecords(side, record(at(5), 3, 0));
  await until("the side door's record", async () => (await ledger(id)).entries.length === 7);
  expect((await ledger(id)).entries.map(({ kind, count }) => [kind, count])).toEqual([
    ["reset", 0],
    ["count", 7],
    ["count", 7],
    ["count", 8],
    ["count", 0],
    ["count", 2],
    ["outage", 2],
  ]);
  // Corrects a stored record by sending another one with the same start.
  await sendRecords(door, record(at(15), 0, 1));
  await display.shows({ count: 9, state: "closed" });
  // Two records that end at the same instant are added before the sum is clamped at 0.
  await sendRecords(door, record(at(25), 0, 20));
  await display.shows({ count: 0 });
  await sendRecords(side, record(at(25), 12, 0));
  await display.shows({ count: 1 });
  const seqs = display.messages.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, n) => n + 1));
  display.socket.terminate();
  for (const sensor of [door, side]) await sensor.end();
});

type Ledger = {
  since: string;
  shown: JsonObject;
  entries: { kind: string; count: number; note: string | null; by: JsonObject | null }[];
};
async function ledger(id: string, at?: number): Promise<Ledger> {
  const query = at === undefined ? "" : `?at=${new Date(at).toISOString()}`;
  const reply = await world.call(owner, "GET", `/api/measurement/${id}/occupancy/ledger${query}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body as Ledger;
}

test("OC-02 people are shown before their record, which then replaces them", async () => {
  const id = await createLicensedLocation(world, owner);
  const [door] = await connectSensorsAt(world, owner, id, 1);
  if (!door) throw new Error("no sensor");
  await enableDisplay(world, owner, id, { maxObjects: 3 });
  const display = await openDisplay(world, id, owner.token);
  await display.shows({ state: "opened" });
  const start = noon - 30 * minuteMs;
  await sendFlow(door, start, 2, 0);
  await display.shows({ count: 2 });
  await sendFlow(door, start, 4, 1);
  await display.shows({ count: 3, state: "closed" });
  // A new display shows the same count, because flows are stored.
  const second = await openDisplay(world, id, owner.token);
  await second.shows({ count: 3, state: "closed" });
  for (const one of [display, second]) one.socket.terminate();
  await until("no display", async () => {
    const rows = await world.ctx.db.selectFrom("occupancy_flow").selectAll().execute();
    return rows.some(({ n_in, n_out }) => n_in === 4 && n_out === 1);
  });
  const third = await openDisplay(world, id, owner.token);
  await third.shows({ count: 3, state: "closed" });
  expect((await ledger(id)).entries.map(({ kind, count }) => [kind, count])).toEqual([
    ["reset", 0],
    ["flow", 3],
  ]);
  await sendRecords(door, record(start + 5 * minuteMs, 4, 2));
  await third.shows({ count: 2, state: "opened" });
  await sendFlow(door, start, 9, 0);
  await sendFlow(door, start + 5 * minuteMs, 1, 0);
  await third.shows({ count: 3 });
  third.socket.terminate();
  await door.end();
});

test("OC-02 the display says so while no chosen sensor can count", async () => {
  const id = await createLicensedLocation(world, owner);
  const [one, two] = await connectSensorsAt(world, owner, id, 2);
  if (!one || !two) throw new Error("no sensors");
  await enableDisplay(world, owner, id, { maxObjects: 5 });
  const display = await openDisplay(world, id, owner.token);
  await display.shows({ state: "opened" });
  const covered = (to: number, at: number) => ({ q: 900_000 + to, t: "event", kind: "osd", s: at, at, from: 0, to });
  await one.up("event", { v: 1, ep: "e1", recs: [covered(1, noon - 3000)] });
  await two.up("state", { online: false, sid: "s1", n: 1 });
  await display.shows({ state: "unknown" });
  await one.up("event", { v: 1, ep: "e1", recs: [covered(0, noon - 1000)] });
  await display.shows({ state: "opened" });
  await enableDisplay(world, owner, id, { maxObjects: 5, sensors: [two.id] });
  await display.shows({ state: "unknown" });
  const then = await ledger(id);
  expect(then.shown).toMatchObject({ state: "unknown", reason: expect.stringContaining("offline") });
  expect(then.entries).toContainEqual(
    expect.objectContaining({ kind: "outage", note: expect.stringContaining("Not connected") }),
  );
  // When the app is turned off, the display shows "unknown" and closes.
  await world.call(owner, "PUT", `/api/measurement/${id}`, { body: appWith({}, false) });
  expect(await display.closed).toBe(4410);
  expect(display.messages.at(-1)?.obj.state).toBe("unknown");
  const late = await openDisplay(world, id, owner.token);
  expect(await late.closed).toBe(4410);
  expect(late.messages).toMatchObject([{ op: "create", obj: { state: "unknown" } }]);
  for (const sensor of [one, two]) await sensor.end();
});

test("OC-02 a correction sets the count, with its author, excluding running records", async () => {
  const id = await createLicensedLocation(world, owner);
  const [door] = await connectSensorsAt(world, owner, id, 1);
  if (!door) throw new Error("no sensor");
  const path = `/api/measurement/${id}/occupancy/corrections`;
  const off = await world.call(owner, "POST", path, { body: { count: 1 } });
  expect([off.code, String(off.at("details.reason"))]).toEqual([102, expect.stringContaining("turned off")]);
  await enableDisplay(world, owner, id, { maxObjects: 50 });
  const display = await openDisplay(world, id, owner.token);
  const start = clock.now() - 2 * minuteMs;
  await sendFlow(door, start, 6, 1);
  await display.shows({ count: 5 });
  await until("the flow", async () => (await ledger(id)).entries.length === 2);
  const reply = await world.call(owner, "POST", path, { body: { count: 20, note: "Counted by hand" } });
  expect([reply.status, reply.at("count")]).toEqual([200, 20]);
  await display.shows({ count: 20 });
  await sendFlow(door, start, 8, 1);
  await display.shows({ count: 22 });
  await sendRecords(door, record(start + 5 * minuteMs, 9, 2));
  await display.shows({ count: 22 });
  const { entries } = await ledger(id);
  expect(entries.map(({ kind, count }) => [kind, count])).toEqual([
    ["reset", 0],
    ["correction", 20],
    ["count", 22],
  ]);
  expect(entries[1]).toMatchObject({ note: "Counted by hand", by: { _id: owner.id, name: owner.name } });
  expect((await world.trail(id)).at(-1)).toMatchObject({
    action: "correctOccupancy",
    account_id: owner.id,
    before: { count: 5 },
    after: { count: 20, note: "Counted by hand" },
  });
  const viewer = await world.account("Viewer", owner, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  expect((await world.call(viewer, "POST", path, { body: { count: 1 } })).code).toBe(305);
  const stranger = await world.account("City Library", world.root, fullPermissions);
  expect((await world.call(stranger, "POST", path, { body: { count: 1 } })).code).toBe(105);
  expect((await world.call(stranger, "GET", `/api/measurement/${id}/occupancy/ledger`)).code).toBe(105);
  display.socket.terminate();
  await door.end();
});

test("OC-02 the count restarts at the reset, and any past minute can be queried", async () => {
  const id = await createLicensedLocation(world, owner);
  const [door] = await connectSensorsAt(world, owner, id, 1);
  if (!door) throw new Error("no sensor");
  const from = clock.now();
  const reset = Math.ceil(from / (15 * minuteMs)) * 15 * minuteMs + 15 * minuteMs;
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(reset).toZonedDateTimeISO("Europe/Berlin");
  await enableDisplay(world, owner, id, {
    maxObjects: 4,
    resetTime: { interval: "daily", timeOfDay: { hour, minute } },
  });
  const display = await openDisplay(world, id, owner.token);
  clock.moveTo(reset - 5 * minuteMs);
  await sendRecords(door, record(reset - 5 * minuteMs, 4, 0));
  await display.shows({ count: 4, state: "closed" });
  clock.moveTo(reset);
  await display.shows({ count: 0, state: "opened" });
  // A record that ended at the reset belongs to the previous day.
  await sendRecords(door, record(reset, 3, 0));
  clock.moveTo(reset + 5 * minuteMs);
  await sendRecords(door, record(reset + 5 * minuteMs, 2, 0));
  await display.shows({ count: 2 });
  expect(await ledger(id)).toMatchObject({
    since: new Date(reset).toISOString(),
    shown: { count: 2, state: "opened" },
  });
  expect((await ledger(id, reset - 1)).shown).toMatchObject({ count: 4, state: "closed", maxObjects: 4 });
  expect((await ledger(id, reset - 6 * minuteMs)).shown).toMatchObject({ count: 0, state: "opened" });
  expect((await ledger(id, reset)).shown).toMatchObject({ count: 0 });
  await enableDisplay(world, owner, id, { maxObjects: 1 });
  await display.shows({ maxObjects: 1, state: "closed" });
  expect((await ledger(id, reset - 1)).shown).toMatchObject({ count: 4, state: "closed", maxObjects: 4 });
  expect((await ledger(id, from - minuteMs)).shown).toMatchObject({ state: "unknown" });
  display.socket.terminate();
  await door.end();
});

test("OC-02 a sensor that left just before the reset counts with its overlapping record", async () => {
  const id = await createLicensedLocation(world, owner);
  const [door, stays] = await connectSensorsAt(world, owner, id, 2);
  if (!door || !stays) throw new Error("no sensors");
  const reset = Math.ceil(clock.now() / (15 * minuteMs)) * 15 * minuteMs + 15 * minuteMs;
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(reset).toZonedDateTimeISO("Europe/Berlin");
  await enableDisplay(world, owner, id, {
    maxObjects: 9,
    resetTime: { interval: "daily", timeOfDay: { hour, minute } },
  });
  clock.moveTo(reset - 2 * minuteMs);
  await world.call(owner, "PUT", `/api/sensor/${door.id}`, { body: { measID: null } });
  clock.moveTo(reset + 2 * minuteMs);
  await sendRecords(door, record(reset + 2 * minuteMs, 4, 0));
  await until("its record", async () => (await ledger(id)).entries.length === 2);
  expect((await ledger(id)).shown).toMatchObject({ count: 4 });
  for (const sensor of [door, stays]) await sensor.end();
});

test("OC-02 visitors from before the reset whose record is late are not counted", async () => {
  const id = await createLicensedLocation(world, owner);
  const [door] = await connectSensorsAt(world, owner, id, 1);
  if (!door) throw new Error("no sensor");
  const reset = Math.ceil(clock.now() / (15 * minuteMs)) * 15 * minuteMs + 15 * minuteMs;
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(reset).toZonedDateTimeISO("Europe/Berlin");
  await enableDisplay(world, owner, id, {
    maxObjects: 9,
    resetTime: { interval: "daily", timeOfDay: { hour, minute } },
  });
  const display = await openDisplay(world, id, owner.token);
  clock.moveTo(reset - 15 * minuteMs);
  await sendRecords(door, record(reset - 15 * minuteMs, 3, 0));
  await display.shows({ count: 3 });
  clock.moveTo(reset + 5 * minuteMs);
  for (const [endMs, ins] of [
    [reset - 5 * minuteMs, 4],
    [reset, 5],
    [reset + 5 * minuteMs, 1],
  ] as const)
    await sendRecords(door, record(endMs, ins, 0));
  await display.shows({ count: 1, state: "opened" });
  expect((await ledger(id)).entries.map(({ kind, count }) => [kind, count])).toEqual([
    ["reset", 0],
    ["count", 1],
  ]);
  expect((await ledger(id, reset - 1)).shown).toMatchObject({ count: 7 });
  display.socket.terminate();
  await door.end();
});

test("OC-02 records in any order, once or twice, give the same ledger", { tags: "prove" }, async () => {
  const chance = createChance(5);
  const ledgers: string[] = [];
  const passes = Array.from(
    { length: 24 },
    (_, n) => [n % 2, 5 * (1 + (n >> 1)), chance.below(6), chance.below(6)] as const,
  );
  for (let turn = 0; turn < 3; turn += 1) {
    const id = await createLicensedLocation(world, owner);
    const sensors = await connectSensorsAt(world, owner, id, 2);
    await enableDisplay(world, owner, id, { maxObjects: 9 });
    const start = noon - 90 * minuteMs;
    const records = passes.map(([which, minute, ins, out]) => ({
      which,
      one: record(start + minute * minuteMs, ins, out),
    }));
    const order = [...records, ...records.slice(0, turn * 4)];
    if (turn > 0) order.sort(() => chance.below(3) - 1);
    const display = await openDisplay(world, id, owner.token);
    for (const { which, one } of order)
      await sensors[which]?.up(turn === 2 ? "fill" : "data", { v: 1, ep: "e1", recs: [one] });
    await until("all of them", async () => (await ledger(id)).entries.length === 25);
    const { entries, shown, course } = (await ledger(id)) as Ledger & { course: unknown };
    const plain = entries.map((one) => ({ ...one, sens: null, quality: null }));
    ledgers.push(JSON.stringify({ plain, course, shown: { ...shown, at: "" } }));
    await display.shows({ count: Number(shown["count"]), state: shown["state"] as "opened" });
    display.socket.terminate();
    for (const sensor of sensors) await sensor.end();
  }
  expect(new Set(ledgers).size).toBe(1);
});

test("OC-02 a moved sensor leaves its people, and counts at the new location", async () => {
  const [from, to] = [await createLicensedLocation(world, owner), await createLicensedLocation(world, owner)];
  const [door, stays] = await connectSensorsAt(world, owner, from, 2);
  const [other] = await connectSensorsAt(world, owner, to, 1);
  if (!door || !stays || !other) throw new Error("no sensors");
  for (const id of [from, to]) await enableDisplay(world, owner, id, { maxObjects: 10 });
  const [here, there] = [await openDisplay(world, from, owner.token), await openDisplay(world, to, owner.token)];
  await sendRecords(door, record(clock.now(), 4, 0));
  await here.shows({ count: 4 });
  clock.moveTo(clock.now() + 5 * minuteMs);
  await world.call(owner, "PUT", `/api/sensor/${door.id}`, { body: { measID: to } });
  clock.moveTo(clock.now() + 5 * minuteMs);
  await sendRecords(door, record(clock.now(), 2, 0));
  await there.shows({ count: 2 });
  await sendFlow(door, clock.now(), 1, 0);
  await there.shows({ count: 3 });
  await here.shows({ count: 4 });
  // The location's only connected sensor disconnects, so its state becomes unknown.
  await stays.up("state", { online: false, sid: "s1", n: 1 });
  await here.shows({ state: "unknown" });
  await there.shows({ state: "opened" });
  for (const one of [here, there]) one.socket.terminate();
  for (const sensor of [door, stays, other]) await sensor.end();
});
