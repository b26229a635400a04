// Tests daily sums after changes of locations over the API: a first assignment, a move, another time zone, a deletion.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClock } from "../kit/clock.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { storeRecords } from "../count/record/record.store.ts";
import { findWrongDaySums } from "../count/rollup.store.ts";
import { countRecord } from "../datapoint/site.testing.ts";

let world: World;
let customer: Person;
const clock = createClock();
const day = 86_400_000;

beforeAll(async () => {
  world = await createWorld({ clock });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(() => world.stop());

async function days(location: string, from: string, to: string): Promise<[string, unknown][]> {
  const query = `filter=meas:${location}:counting&acc=day&from=${from}&to=${to}`;
  const { list, status, body } = await world.call(customer, "GET", `/data/v2/aggregate/json?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return list.flatMap((row) => {
    const { in: ins } = row["data"] as { in: number | null };
    return ins === null ? [] : [[String(row["start"]).slice(0, 10), ins] as [string, number]];
  });
}

test("counts belong to the day of the location's zone, and to the location of their time", async () => {
  const id = "02:00:00:00:0C:01";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type: "APS" } });
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  const midnight = Math.floor(clock.now() / day) * day - 5 * day;
  const store = (startMs: number, ins: number) =>
    world.ctx.db.transaction().execute((tx) =>
      storeRecords(tx, clock.now(), [
        {
          sensor: { num, id },
          record: countRecord(startMs, 900, { a: [ins, 0] }),
          via: "live",
        },
      ]),
    );
  const stored = await store(midnight + 22.5 * 3_600_000, 7);
  expect(stored.outcomes).toEqual([{ outcome: "stored" }]);
  const right = async () => expect(await findWrongDaySums(world.ctx.db, [num])).toEqual([]);
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const [from, to] = [new Date(midnight - 2 * day).toISOString(), new Date(midnight + 4 * day).toISOString()];

  // 22:30 UTC is the next day in Kolkata. Counts before the first assignment belong to the first location.
  const kolkata = { geo: { type: "Point", coordinates: [88.36, 22.57] } };
  const made = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "First", owner: customer.id, sensorID: id, location: kolkata },
  });
  expect(await days(made.id, from, to)).toEqual([[date(midnight + day), 7]]);
  await right();

  const newYork = { geo: { type: "Point", coordinates: [-74.006, 40.7128] } };
  const put = await world.call(customer, "PUT", `/api/measurement/${made.id}`, { body: { location: newYork } });
  expect(put.at("location.timezone")).toBe("America/New_York");
  expect(await days(made.id, from, to)).toEqual([[date(midnight), 7]]);
  await right();

  // Counts of the first location stay there when the sensor moves.
  clock.moveTo(clock.now() + 1000);
  const second = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "Second", owner: customer.id, sensorID: id, location: kolkata },
  });
  expect(await days(made.id, from, to)).toEqual([[date(midnight), 7]]);
  expect(await days(second.id, from, to)).toEqual([]);
  await right();
  clock.moveTo(clock.now() + 1000);
  await world.call(customer, "DELETE", `/api/measurement/${second.id}`);
  const kept = await world.call(customer, "GET", `/api/sensor/${id}/datapoints?from=${from}&to=${to}`);
  expect(kept.list).toMatchObject([{ data: { in: 7 } }]);
  await right();
});

test("DS-01 a changed time zone moves the days of stored counts, not their local times", async () => {
  const at = (lng: number, lat: number) => ({ location: { geo: { type: "Point", coordinates: [lng, lat] } } });
  const [berlin, kolkata, newYork] = [at(13.4, 52.52), at(88.36, 22.57), at(-74.006, 40.7128)];
  const hall = await world.call(customer, "POST", "/api/measurement", {
    body: { name: "Traveling hall", owner: customer.id, ...berlin },
  });
  const path = `/api/measurement/${hall.id}`;
  const add = (start: string, end: string) =>
    world.call(customer, "POST", `${path}/datapoints`, {
      body: { type: "occupancy", startUTC: start, endUTC: end, data: { count: 3 } },
    });
  const starts = async () => {
    const { list } = await world.call(customer, "GET", `${path}/datapoints?sortBy=startUTC`);
    return list.map((point) => String(point["start"]));
  };
  await world.call(customer, "PUT", path, { body: newYork });
  await world.call(customer, "PUT", path, { body: berlin });
  expect((await add("2026-01-05T10:00:00.000Z", "2026-01-05T10:05:00.000Z")).status).toBe(200);
  expect(await starts()).toEqual(["2026-01-05T11:00:00.000+01:00"]);

  await world.call(customer, "PUT", path, { body: kolkata });
  expect(await starts()).toEqual(["2026-01-05T11:00:00.000+01:00"]);
  await add("2026-01-05T11:00:00.000Z", "2026-01-05T11:05:00.000Z");
  const two = ["2026-01-05T11:00:00.000+01:00", "2026-01-05T16:30:00.000+05:30"];
  expect(await starts()).toEqual(two);

  // The zone changes several times without new counts, so the zones in between were never used.
  await world.call(customer, "PUT", path, { body: newYork });
  await world.call(customer, "PUT", path, { body: berlin });
  await world.call(customer, "PUT", path, { body: newYork });
  await add("2026-01-05T12:00:00.000Z", "2026-01-05T12:05:00.000Z");
  expect(await starts()).toEqual([...two, "2026-01-05T07:00:00.000-05:00"]);
  const raw = await world.call(customer, "GET", `/data/v2/download/json?filter=meas:${hall.id}:occupancy`);
  expect(raw.list.map((point) => point["start"])).toEqual(await starts());
});
