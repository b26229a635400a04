// Tests device issues from real connections to the log: wrong clock, rejected data, shared identity (DE-01, MO-04).
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
  until,
} from "../../testing/devices/device-world.ts";
import { evaluateDevice } from "./device-issues.rules.ts";
import { evaluateDueDevices } from "./device-issues.service.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let world: DeviceWorld;
let one: Device;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  one = await world.connect(await world.enrol());
});

type Entry = { type: string; status: string; message: string };
async function log(): Promise<Entry[]> {
  await evaluateDueDevices(world.ctx);
  const { rows } = await sql<Entry>`
    select m.issue_type as type, m.issue_status as status, m.issue_message as message from monitoring_status m
    join sensor s on s.num = m.sensor_num where s.id = ${one.id} order by m.start_ms, m.id`.execute(world.ctx.db);
  return rows;
}
const logged = (length: number) =>
  until(`${length} entries`, async () => {
    const entries = await log();
    return entries.length >= length ? entries : null;
  });
const now = () => world.ctx.clock.now();
const pass = (ms: number) => world.ctx.clock.moveTo(now() + ms);
const withClock = (offMs: number, synced = false) => birth("s1", { clock: { now: now() + offMs, synced } });

test("DE-01 a wrong clock at the birth is an issue of any sensor until it is set", async () => {
  await one.up("state", withClock(3 * minuteMs + 500));
  expect(await logged(1)).toEqual([
    { type: "clock", status: "Warning", message: "Sensor clock is wrong by 3 minutes (ahead)" },
  ]);
  await one.up("state", birth("s2", { clock: { now: now(), synced: true } }));
  expect((await logged(2))[1]).toMatchObject({ type: "clock", status: "Ok" });
});

test("DE-01 records that end 15 minutes after their arrival reveal a wrong clock", async () => {
  await one.up("state", birth("s1"));
  const e = now() + 15 * minuteMs;
  await one.up("data", { v: 1, ep: "e1", recs: [createCountRecord(1, { s: e - minuteMs, e })] });
  expect(await logged(1)).toEqual([
    { type: "clock", status: "Error", message: "Sensor clock is wrong by 15 minutes (ahead)" },
  ]);
});

test("DE-01 a batch from the past is accepted when a second one agrees", async () => {
  await one.up("state", birth("s1", { clock: { now: now(), synced: true } }));
  const sent = () => ({ ...batch([]), sent: now() - 5 * minuteMs });
  await one.up("data", sent());
  await one.up("data", sent());
  expect(await log()).toEqual([]);
  pass(10_000);
  await one.up("data", sent());
  expect(await logged(1)).toMatchObject([{ type: "clock", status: "Warning" }]);
});

test("DE-01 a sensor with rejected records never looks healthy for long", async () => {
  await one.up("state", birth("s1"));
  const bad = (q: number) => createCountRecord(q, { lines: [{ id: "l1", in: -1, out: 0 }] });
  await one.up("data", batch([bad(1), bad(2)]));
  expect(await log()).toEqual([]);
  await one.up("data", batch([bad(3)]));
  expect(await logged(1)).toEqual([{ type: "data", status: "Warning", message: "3 records rejected in 24 hours" }]);
  await one.up("data", batch(Array.from({ length: 47 }, (_, n) => bad(n + 4))));
  expect((await logged(2))[1]).toEqual({ type: "data", status: "Error", message: "50 records rejected in 24 hours" });
  pass(24 * hourMs + minuteMs);
  expect((await logged(3))[2]).toMatchObject({ type: "data", status: "Ok" });
});

test.each([
  ["rejected records", (at: number) => ({ rejected: { count: 3, oldestMs: at, reasons: [] } })],
  ["restarted record numbers", (at: number) => ({ restartedMs: at })],
])("DE-01 %s of exactly 24 hours ago count, and are judged again a millisecond later", (_, of) => {
  const at = now();
  const facts = { clockOffMs: null, rejected: null, restartedMs: null, shared: null, ...of(at) };
  const { status, againAt } = evaluateDevice(facts, at + 24 * hourMs).data;
  expect([status, againAt]).toEqual(["Warning", at + 24 * hourMs + 1]);
});

test("DE-01 restarted record numbers are reported", async () => {
  await one.up("state", birth("s1"));
  await one.up("data", batch([createCountRecord(1), createCountRecord(2)]));
  await one.up("state", birth("s2", { seq: { first: 1, next: 1 } }));
  expect(await logged(1)).toEqual([
    {
      type: "data",
      status: "Warning",
      message: "The sensor restarted its record numbers; its counts are included",
    },
  ]);
});

test("DE-01 two devices with one identity are an issue with both addresses", async () => {
  const twin = { sensorId: one.id, mqtt: { clientId: one.wire, username: one.wire, password: one.password } } as never;
  for (let n = 0; n < 9; n += 1) await world.connect(twin);
  expect(await log()).toEqual([]);
  await world.connect(twin);
  expect(await logged(1)).toMatchObject([
    { type: "identity", status: "Error", message: "Two devices use the identity of this sensor, both from 127.0.0.1" },
  ]);
  pass(hourMs + minuteMs);
  expect((await logged(2))[1]).toMatchObject({ type: "identity", status: "Ok" });
});

test("DE-01 a new owner sees present issues, not earlier ones", async () => {
  await one.up("state", withClock(20 * minuteMs));
  const [entry] = await logged(1);
  expect(entry).toMatchObject({ type: "clock", status: "Error" });
  pass(minuteMs);
  await sql`update sensor set visible_from = ${new Date(now())} where id = ${one.id}`.execute(world.ctx.db);
  const entries = await logged(2);
  expect(entries[1]).toEqual(entry);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from sensor_issue i
    join sensor s on s.num = i.sensor_num join monitoring_status m on m.id = i.status_id
    where s.id = ${one.id} and to_timestamp(m.start_ms / 1000.0) >= s.visible_from`.execute(world.ctx.db);
  expect(rows[0]?.n).toBe(1);
});
