// Tests that records dated in the future are stored, and are counted when their time arrives, or become dead letters if they overlap
// others by that time (DE-01).
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  batch,
  birth,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  sumVisitors,
} from "../../testing/devices/device-world.ts";
import { futureRecordsJob } from "./ahead.job.ts";

const minuteMs = 60_000;
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
const span = (length: number, make: (n: number) => unknown) => Array.from({ length }, (_, n) => make(n));

test("DE-01 records of a clock that runs ahead count when their time has come", async () => {
  const now = world.ctx.clock.now();
  const start = Math.ceil(now / minuteMs) * minuteMs;
  const records = span(40, (n) => {
    const e = start + (n + 15) * minuteMs;
    return { q: n + 1, t: "count", s: e - minuteMs, e, lines: [{ id: "l1", in: 1, out: 0 }] };
  });
  await one.up("data", batch(records));
  await one.up("health", batch([{ q: 41, t: "health", s: start + 900_000, e: start + 1_800_000, upS: 900 }]));
  const job = futureRecordsJob(world.ctx);
  await job.run();
  expect(await visitors()).toBe(0);
  const stored: unknown[] = [];
  const off = world.ctx.bus.on("countsStored", ({ counts }) => stored.push(...counts));
  world.ctx.clock.moveTo(start + 24 * minuteMs);
  await job.run();
  expect(await visitors()).toBe(20);
  expect(stored).toMatchObject([{ sensorId: one.id, fromMs: start + 14 * minuteMs, toMs: start + 34 * minuteMs }]);
  world.ctx.clock.moveTo(start + 60 * minuteMs);
  await job.run();
  off();
  expect(await visitors()).toBe(40);
  const { rows } = await sql<{ ahead: boolean }>`select r.is_ahead as ahead from device_record r
    join sensor s on s.num = r.sensor_num where s.id = ${one.id} and r.kind = 'health'`.execute(world.ctx.db);
  expect(rows).toEqual([{ ahead: false }]);
});

test("DE-01 a record ahead of its time that overlaps by then becomes a dead letter", async () => {
  const now = world.ctx.clock.now();
  const at = (q: number, s: number, people: number) => ({
    q,
    t: "count",
    s,
    e: s + 300_000,
    lines: [
      { id: "l1", in: people, out: 0 },
      { id: "l2", in: people, out: 0 },
    ],
  });
  const start = Math.ceil(now / 300_000) * 300_000 + 1_800_000;
  await one.up("data", batch([at(1, start, 5), at(2, start + 300_000, 7)]));
  world.ctx.clock.moveTo(start + 300_000);
  // After its clock is corrected, the sensor sends a record with the start of its first one, and a record that overlaps its second one.
  await one.up("data", batch([at(3, start, 1), at(4, start + 400_000, 2)]));
  world.ctx.clock.moveTo(start + 3_600_000);
  await futureRecordsJob(world.ctx).run();
  expect(await visitors()).toBe(6);
  expect(await refused()).toMatchObject(
    [
      { q: 1, reason: /dated in the future/, record: { s: start, lines: [{ in: 5 }, { in: 5 }] } },
      { q: 2, reason: /overlaps/, record: { lines: [{ in: 7 }, { in: 7 }] } },
    ].map((letter) => ({ ...letter, reason: expect.stringMatching(letter.reason) as string })),
  );
});
