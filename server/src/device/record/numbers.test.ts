// Checks that repeated record numbers, impossible times and partly readable messages lose nothing silently (DE-01).
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  sumVisitors,
} from "../../testing/devices/device-world.ts";

let world: DeviceWorld;
let one: Device;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  one = await world.connect(await world.enrol());
  await one.up("state", birth("s1"));
});

const visitors = () => sumVisitors(world, one.id);

type Letter = { q: number | null; reason: string; record: unknown };
async function refused(): Promise<Letter[]> {
  const { rows } = await sql<Letter>`select d.q, d.reason, d.record from dead_letter d
    join sensor s on s.num = d.sensor_num where s.id = ${one.id} order by d.q, d.id`.execute(world.ctx.db);
  return rows;
}
const numbersOf = (letters: Letter[]) => letters.map(({ q }) => q);

const counted = (q: number, slot: number, visitorsIn: number, more: object = {}) =>
  createCountRecord(q, {
    s: createCountRecord(slot).s,
    e: createCountRecord(slot).e,
    lines: [{ id: "l1", in: visitorsIn, out: 0 }],
    ...more,
  });
const span = (length: number, make: (n: number) => unknown) => Array.from({ length }, (_, n) => make(n));

test("DE-01 restarted numbers in the same epoch are detected at the birth, and both halves count", async () => {
  await one.up("data", batch(span(10, (n) => counted(n + 1, n + 1, 1))));
  await one.up("state", birth("s2", { seq: { first: 1, next: 6 } }));
  await one.up("fill", batch(span(5, (n) => counted(n + 1, n + 101, 1))));
  await one.up("data", batch(span(7, (n) => counted(n + 6, n + 106, 1))));
  expect(await visitors()).toBe(22);
  expect(await refused()).toEqual([]);
  world.ctx.clock.moveTo(world.ctx.clock.now() + 2_000);
  const ack = await one.heard("ack", (json: { upTo: number }) => json.upTo === 12);
  expect(ack.json).toMatchObject({ ep: "e1", holes: [] });
});

test("DE-01 a birth with the expected number starts no epoch, whatever is repeated", async () => {
  await one.up("data", batch(span(10, (n) => counted(n + 1, n + 1, 1))));
  await one.up("state", birth("s2", { seq: { first: 1, next: 11 } }));
  await one.up("data", batch(span(11, (n) => counted(n + 1, n + 1, 1))));
  expect(await visitors()).toBe(11);
  const { rows } = await sql`select e.epoch, e.generation, e.stored::text from device_epoch e
    join sensor s on s.num = e.sensor_num where s.id = ${one.id}`.execute(world.ctx.db);
  expect(rows).toEqual([{ epoch: "e1", generation: 0, stored: "{[1,12)}" }]);
});

test.each([
  ["the highest stored number", 3, 1],
  ["the number after it", 4, 0],
])("DE-01 a birth whose next record gets %s", async (_, next, generation) => {
  await one.up("data", batch(span(3, (n) => counted(n + 1, n + 1, 1))));
  await one.up("state", birth("s2", { seq: { first: 1, next } }));
  await one.heard("ack");
  const { rows } = await sql`select e.generation from device_epoch e
    join sensor s on s.num = e.sensor_num where s.id = ${one.id}`.execute(world.ctx.db);
  expect(rows).toEqual([{ generation }]);
});

test("DE-01 a known number with another time starts an epoch and counts", async () => {
  await one.up("data", batch(span(4, (n) => counted(n + 1, n + 1, 1))));
  await one.up("data", batch(span(4, (n) => counted(n + 1, n + 50, 1))));
  await one.up("data", batch(span(4, (n) => counted(n + 1, n + 50, 1))));
  expect(await visitors()).toBe(8);
  const { rows } = await sql<{ generation: number; restarted: boolean }>`
    select e.generation, e.restarted_at is not null as restarted from device_epoch e
    join sensor s on s.num = e.sensor_num where s.id = ${one.id}`.execute(world.ctx.db);
  expect(rows).toEqual([{ generation: 1, restarted: true }]);
});

test("DE-01 a known number with other counts corrects, unless a later number did", async () => {
  await one.up("data", batch([counted(1, 1, 5), counted(2, 2, 5)]));
  await one.up("data", batch([counted(1, 1, 7)]));
  expect(await visitors()).toBe(12);
  await one.up("data", batch([counted(3, 2, 9, { cor: true })]));
  await one.up("fill", batch([counted(2, 2, 5)]));
  expect(await visitors()).toBe(16);
});

test("DE-01 one number twice in a message: other counts correct, another time counts, too", async () => {
  await one.up("data", batch([counted(1, 1, 5), counted(1, 1, 6), counted(2, 2, 1), counted(2, 3, 1)]));
  expect(await visitors()).toBe(8);
  const slice = (q: number, s: number) => ({ q, t: "health", s, e: s + 900_000, upS: 900 });
  await one.up(
    "health",
    batch([slice(9, createCountRecord(0).s), slice(9, createCountRecord(9).s), slice(9, createCountRecord(9).s)]),
  );
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from device_record r
    join sensor s on s.num = r.sensor_num where s.id = ${one.id} and r.kind = 'health'`.execute(world.ctx.db);
  expect(rows[0]?.n).toBe(2);
});

test.each<[string, number, more: object, visitors: number, suspect: number]>([
  ["one new number corrects", 1, {}, 12 - 1 + 10, 0],
  ["two in succession correct", 2, {}, 12 - 2 + 20, 0],
  ["from the third on all of them are suspect, and the first counts stay", 3, {}, 12, 3],
  ["an hour that comes again is suspect as a whole", 12, {}, 12, 12],
  ["an hour that says it corrects does so", 12, { cor: true }, 120, 0],
])("DE-01 over counts stored %s", async (_, length, more, expected, suspect) => {
  await one.up("data", batch(span(12, (n) => counted(n + 1, n + 1, 1))));
  const again = span(length, (n) => counted(n + 101, n + 1, 10, more));
  await one.up("data", batch(again.slice(0, 2)));
  await one.up("data", batch(again.slice(2)));
  await one.up("data", batch(again));
  expect(await visitors()).toBe(expected);
  expect(numbersOf(await refused())).toEqual(span(suspect, (n) => n + 101));
  await one.up("data", batch([counted(200, 50, 1), counted(201, 3, 4)]));
  const third = length < 3 ? 1 : suspect > 0 ? 1 : 10;
  expect(await visitors()).toBe(expected + 1 + 4 - third);
});

test("DE-01 a new session of the device ends a run of suspect records", async () => {
  await one.up("data", batch(span(6, (n) => counted(n + 1, n + 1, 1))));
  await one.up("data", batch(span(4, (n) => counted(n + 11, n + 1, 2))));
  expect(await visitors()).toBe(6);
  await one.up("state", birth("s2", { seq: { first: 1, next: 15 } }));
  await one.up("data", batch([counted(15, 6, 3)]));
  expect(await visitors()).toBe(8);
});

const dayMs = 86_400_000;
test.each<[string, (now: number) => number, believed: boolean]>([
  ["1,024 weeks ago, after a rollover of GPS", (now) => now - 7_168 * dayMs, false],
  ["at the beginning of 2000, after each boot", () => Date.UTC(2000, 0, 1), false],
  ["in 1970", () => 0, false],
  ["a year ago, from its buffer", (now) => now - 365 * dayMs, true],
  ["six years ago, from the largest buffer", (now) => now - 6 * 365 * dayMs, true],
  ["eleven years ago, longer than any buffer", (now) => now - 11 * 365 * dayMs, false],
])("DE-01 a record of a new sensor %s", async (_, when, believed) => {
  const s = Math.floor(when(world.ctx.clock.now()) / 300_000) * 300_000;
  await one.up("data", batch([counted(1, 1, 3, { s, e: s + 300_000 }), counted(2, 2, 4)]));
  expect(await visitors()).toBe(believed ? 7 : 4);
  expect(await refused()).toMatchObject(believed ? [] : [{ q: 1, reason: "The time is too far in the past" }]);
});

test("DE-01 archive back-fill is counted, however old it is", async () => {
  const s = Math.floor((world.ctx.clock.now() - 21 * 365 * dayMs) / 300_000) * 300_000;
  await one.up("fill", batch([counted(1, 1, 3, { s, e: s + 300_000 })]));
  expect(await visitors()).toBe(3);
  expect(await refused()).toEqual([]);
});

const text = (records: unknown[]) => JSON.stringify(batch(records));
const lines = (...items: object[]) => ({ lines: items });
test.each<[string, payload: () => Buffer, visitors: number, reasons: string[]]>([
  ["with NUL bytes at its end", () => Buffer.from(`${text([counted(1, 1, 3)])}\0\0\0`), 3, []],
  [
    "with a name in Latin-1",
    () => Buffer.from(text([counted(1, 1, 3, lines({ id: "l1", name: "Café", in: 3, out: 0 }))]), "latin1"),
    3,
    [],
  ],
  [
    "with NaN in one of two lines",
    () =>
      Buffer.from(
        text([counted(1, 1, 3, lines({ id: "l1", in: 3, out: 0 }, { id: "NaN", in: 8.5, out: 0 }))]).replace(
          "8.5",
          "NaN",
        ),
      ),
    3,
    ["lines.1.in"],
  ],
  [
    "with a bad line, a neighbor and a next record",
    () =>
      Buffer.from(
        text([counted(1, 1, 3, lines({ id: "a", in: -1, out: 0 }, { id: "b", in: 3, out: 0 })), counted(2, 2, 4)]),
      ),
    7,
    ["lines.0.in"],
  ],
  [
    "with one line twice beside another",
    () =>
      Buffer.from(
        text([
          counted(1, 1, 3, lines({ id: "a", in: 1, out: 0 }, { id: "a", in: 2, out: 0 }, { id: "b", in: 3, out: 0 })),
        ]),
      ),
    3,
    ["A line appears twice"],
  ],
  ["of half a batch", () => Buffer.from(text([counted(1, 1, 3)]).slice(0, -9)), 0, ["Not valid JSON"]],
  ["without an epoch", () => Buffer.from(JSON.stringify({ recs: [counted(1, 1, 3)] })), 0, ["ep"]],
  ["with a record without a number", () => Buffer.from(text([{ t: "count" }, counted(1, 1, 3)])), 3, ["q"]],
  [
    "with a broken time of sending",
    () => Buffer.from(JSON.stringify({ ...batch([counted(1, 1, 3)]), sent: "now" })),
    3,
    [],
  ],
])(
  "DE-01 a message %s: what can be read counts, the rest is kept with the reason",
  async (_, payload, people, reasons) => {
    await one.client.publishAsync(`sdp/1/${one.wire}/up/data`, payload(), { qos: 1 });
    await one.client.publishAsync(`sdp/1/${one.wire}/up/data`, payload(), { qos: 1 });
    expect(await visitors()).toBe(people);
    const letters = await refused();
    if (reasons.length === 0) expect(letters).toEqual([]);
    for (const reason of reasons) expect(letters[0]?.reason).toContain(reason);
  },
);

test("DE-01 a device that keeps sending garbage fills no table", async () => {
  for (let n = 0; n < 90; n += 1) await one.up("data", `rubbish ${n}`);
  const { length } = await refused();
  expect(length).toBeGreaterThanOrEqual(30);
  expect(length).toBeLessThanOrEqual(60);
});
