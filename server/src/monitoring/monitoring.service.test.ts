// Tests monitoring over HTTP: facts arrive, time passes, and the log shows the changes (MO-01, MO-02).
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tx } from "../db/database.ts";
import type { Person } from "../testing/world.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import {
  configWith,
  createMonitoringScene,
  type MonitoringScene,
  quarterMs,
  createHealthSlice,
} from "../testing/scenes/monitoring-scene.ts";
import { evaluateDueSensors } from "./monitoring.service.ts";

let scene: MonitoringScene;
let customer: Person;
const start = "2027-03-01T12:00:00.000Z";
const hour = 3_600_000;
const day = 24 * hour;
let now = Date.parse(start);

beforeAll(async () => {
  scene = await createMonitoringScene();
  await scene.pass(start);
  customer = await scene.world.account("Harbour Stores", scene.world.root, fullPermissions);
});
afterAll(() => scene.stop());

async function pass(ms: number) {
  now += ms;
  await scene.pass(now, customer);
}

let serial = 0;
const nextId = () => toMac(0x0200_0000_0100 + (serial += 1));
const berlin: [number, number] = [52.52, 13.4];
async function monitored(config = configWith(), at = berlin) {
  const id = nextId();
  const place = await scene.location(customer, `Shop ${serial}`, config, at);
  await scene.sensor(customer, id, place);
  return { id, place };
}

test("MO-02 connection: warning after one day, error after two, Ok on return", async () => {
  const { id, place } = await monitored();
  await scene.presence(id, new Date(now).toISOString());
  await pass(day - 20_000);
  expect(await scene.log(customer, id)).toEqual([]);
  await pass(20_000);
  expect(await scene.log(customer, id)).toEqual(["connection Warning"]);
  await pass(day);
  expect(await scene.log(customer, id)).toEqual(["connection Warning", "connection Error"]);
  await scene.presence(id, null);
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["connection Warning", "connection Error", "connection Ok"]);
  const { body } = await scene.must(customer, "GET", `/api/measurement/${place}`);
  expect(body).toMatchObject({ types: ["monitoringStatus"] });
  const sensor = await scene.must(customer, "GET", `/api/sensor/${id}`);
  expect(sensor.body).toMatchObject({ types: ["monitoringStatus"] });
});

test("MO-02 reboots and watchdog resets of the last 24 h count, requested ones do not", async () => {
  const { id } = await monitored();
  const s = Math.floor(now / quarterMs) * quarterMs - 2 * quarterMs;
  await scene.deliver(id, [createHealthSlice(s, { reboots: { user: 5, fw: 5, power: 1, crash: 1 }, wd: 1 })]);
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["watchdog Warning"]);
  await scene.deliver(id, [createHealthSlice(s + quarterMs, { reboots: { watchdog: 1 }, wd: 0 })]);
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["watchdog Warning", "reboot Warning"]);
  await scene.deliver(id, [createHealthSlice(s + quarterMs, { reboots: { watchdog: 3 }, wd: 2 })]);
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual([
    "watchdog Warning",
    "reboot Warning",
    "reboot Error",
    "watchdog Error",
  ]);
  await pass(day + hour);
  expect((await scene.log(customer, id)).slice(4).toSorted()).toEqual(["reboot Ok", "watchdog Ok"]);
});

test("MO-02 a reboot exactly 24 hours ago counts, an older one does not", async () => {
  const ids = [(await monitored()).id, (await monitored()).id] as const;
  const then = now + 60_000 - day;
  for (const [n, id] of ids.entries())
    await scene.deliver(id, [
      createHealthSlice(then - n, { reboots: { power: 3 }, wd: 2 }),
      createHealthSlice(then + quarterMs, { wd: 1 }),
    ]);
  await pass(60_000);
  expect((await scene.log(customer, ids[0])).toSorted()).toEqual(["reboot Warning", "watchdog Error"]);
  expect(await scene.log(customer, ids[1])).toEqual(["watchdog Warning"]);
  await pass(10_000);
  expect((await scene.log(customer, ids[0])).slice(2).toSorted()).toEqual(["reboot Ok", "watchdog Warning"]);
});

test("MO-02 osd: at once, then by days; another obstruction continues it, a clear view ends it", async () => {
  const { id } = await monitored();
  const event = (at: number, from: number, to: number) => ({
    t: "event" as const,
    kind: "osd",
    s: at,
    e: at,
    at,
    from,
    to,
  });
  await scene.deliver(id, [event(now, 0, 1)]);
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["osd Warning"]);
  await pass(2 * day);
  await scene.deliver(id, [event(now, 1, 3)]);
  await pass(day);
  expect(await scene.log(customer, id)).toEqual(["osd Warning", "osd Error"]);
  await scene.deliver(id, [event(now, 3, 0)]);
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["osd Warning", "osd Error", "osd Ok"]);
});

/** Slices that cover whole local days in Berlin in winter. */
const daySlices = (firstMs: number, days: number, upS: number) =>
  Array.from({ length: days * 96 }, (_, i) => createHealthSlice(firstMs + i * quarterMs, { upS }));
const midnightAfter = (ms: number) => Math.ceil((ms + hour) / day) * day - hour;

test("MO-02 uptime: the mean of known days, which need a later delivery", async () => {
  const { id } = await monitored();
  const first = midnightAfter(now);
  await pass(first + 5 * day - now);
  await scene.deliver(id, daySlices(first, 5, 900 / 6));
  await pass(60_000);
  // Uptime is four hours a day. The fifth day becomes known only with a later delivery.
  const log = await scene.log(customer, id);
  expect(log).toEqual(["uptime Warning"]);
  await pass(day);
  await scene.deliver(id, daySlices(first + 5 * day, 1, 900));
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["uptime Warning", "uptime Ok"]);
});

test("MO-02 plausibility: days of zero where people are usual; late counts end it", async () => {
  const { id } = await monitored();
  const first = midnightAfter(now);
  const hours = (from: number, days: number, people: number) =>
    Array.from({ length: days * 24 }, (_, i) => {
      const s = from + i * hour;
      return { t: "count" as const, s, e: s + hour, osd: 0 as const, lines: [{ id: "a", in: people, out: people }] };
    });
  // Local days are those of UTC+1 until the clocks change on 28 March.
  await pass(first - now + hour);
  for (let week = 1; week <= 4; week += 1)
    for (let weekday = 0; weekday < 7; weekday += 1)
      await scene.deliver(id, hours(first + (weekday - 7 * week) * day, 1, 10 + week));
  await pass(day);
  await scene.deliver(id, hours(first, 1, 0));
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["plauzibilization Warning"]);
  // While the next day is unknown, the run of implausible days is not evaluated, so the status is Ok.
  await pass(day);
  await scene.deliver(id, hours(first + day, 1, 5));
  await pass(60_000);
  const log = ["plauzibilization Warning", "plauzibilization Ok", "plauzibilization Error"];
  expect(await scene.log(customer, id)).toEqual(log);
  await scene.deliver(id, hours(first, 1, 12));
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual([...log, "plauzibilization Warning"]);
  const { body } = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}&issueStatus=Error`);
  const [entry] = (body as { objects: { id: string; data: { issueMessage: string } }[] }).objects;
  expect(entry?.data.issueMessage).toMatch(
    /^240 people on \d+ Mar 2027; 348–852 expected \(unusual for 2 days in a row\)$/,
  );
  const detail = await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`);
  expect(detail.body).toMatchObject({
    holds: false,
    facts: { plausibility: { days: [{ value: 0 }, { value: 240, median: 600 }] } },
  });
});

test("MO-01 a sensor's own configuration overrides its location's; null inherits", async () => {
  const { id, place } = await monitored();
  await scene.presence(id, new Date(now).toISOString());
  const own = configWith({ connection: { enabled: true, warningThreshold: 3, errorThreshold: 4 } });
  await scene.must(customer, "PUT", `/api/sensor/${id}`, { body: { monitoringConfig: own } });
  await pass(2.5 * day);
  expect(await scene.log(customer, id)).toEqual([]);
  await scene.must(customer, "PUT", `/api/sensor/${id}`, { body: { monitoringConfig: null } });
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["connection Error"]);
  await scene.must(customer, "PUT", `/api/measurement/${place}`, { body: { monitoringConfig: null } });
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["connection Error", "connection Ok"]);
  const answer = await scene.must(customer, "GET", `/api/measurement/${place}`);
  expect(answer.body).toMatchObject({ monitoringConfig: null });
});

const quarters = (fromMs: number, n: number, upS: number) =>
  Array.from({ length: n }, (_, i) => createHealthSlice(fromMs + i * quarterMs, { upS }));
const counts = (fromMs: number, hours: number, people: number) =>
  Array.from({ length: 2 * hours }, (_, i) => {
    const s = fromMs + (i * hour) / 2;
    return { t: "count" as const, s, e: s + hour / 2, osd: 0 as const, lines: [{ id: "a", in: people, out: 0 }] };
  });
const cities: Record<string, [number, number]> = { Beirut: [33.89, 35.5], Havana: [23.11, -82.37] };

// In Beirut, clocks go forward at the start of a day, and back at the end of a day, so that 23:00 comes twice. In Havana, clocks
// go back at 1:00, so that 0:00 comes twice.
test.each([
  ["of 25 hours", "Beirut", "2027-10-29T21:00:00Z", 25],
  ["of 25 hours", "Havana", "2027-11-07T04:00:00Z", 25],
  ["of 23 hours", "Havana", "2028-03-12T05:00:00Z", 23],
  ["of 23 hours", "Beirut", "2028-03-25T22:00:00Z", 23],
])(
  "MO-02 where clocks change at midnight a day %s is judged by what happened in it: %s, from %s",
  async (_, city, start, hours) => {
    const from = Date.parse(start);
    const short = {
      enabled: true,
      warningAverageTime: 13,
      warningRepeatingTime: 1,
      errorAverageTime: 1,
      errorRepeatingTime: 2,
    };
    const to = from + hours * hour;
    await pass(to + hour - now);
    const { id } = await monitored(configWith({ uptime: short }), cities[city]);
    // Uptime is half of each quarter hour on that day, and all of it before and after.
    await scene.deliver(id, [
      ...quarters(from - day, 96, 900),
      ...quarters(from, 4 * hours, 450),
      ...quarters(to, 8, 900),
    ]);
    for (let week = 1; week <= 5; week += 1) await scene.deliver(id, counts(from - 7 * week * day - 2 * hour, 28, 10));
    // Counts zero people. 18.5 of 23 hours are at least 80 %, so that day is known; 19.5 of 25 hours are less.
    await scene.deliver(id, counts(from, hours === 23 ? 18.5 : 19.5, 0));
    await pass(60_000);
    const { body } = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}`);
    const messages = (body as { objects: { data: { issueMessage: string } }[] }).objects.map(
      ({ data }) => data.issueMessage,
    );
    const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(from + 6 * hour);
    expect(messages.toSorted()).toEqual([
      ...(hours === 23 ? [expect.stringMatching(`^0 people on ${date}; .* expected$`)] : []),
      `Uptime was ${hours / 2} hours on ${date} (warning below 13)`,
    ]);
  },
);

/** Runs `work` in a transaction, then an evaluation until it waits for the transaction, then `meanwhile`. */
async function evaluateDuring(work: (tx: Tx) => Promise<unknown>, meanwhile?: (tx: Tx) => Promise<unknown>) {
  const { ctx } = scene.world;
  const evaluation = await ctx.db.transaction().execute(async (tx) => {
    await work(tx);
    const done = evaluateDueSensors(ctx);
    await untilSomebodyWaits(ctx.db);
    await meanwhile?.(tx);
    return { done };
  });
  await evaluation.done;
}
async function offlineForADay() {
  const unit = await monitored();
  await scene.presence(unit.id, new Date(now).toISOString());
  await pass(day - 60_000);
  return unit;
}

test("a sensor that is handed over during its evaluation brings no issue to its new owner", async () => {
  const { id } = await offlineForADay();
  const next = await scene.world.account("Next during", scene.world.root, fullPermissions);
  scene.world.ctx.clock.moveTo((now += 60_000));
  await evaluateDuring(async (tx) => {
    await sql`select from sensor where id = ${id} for update`.execute(tx);
    await sql`update sensor set owner_id = ${next.id}, owner_path = ${next.path}, visible_from = ${new Date(now)},
      location_id = null, monitoring_config = null where id = ${id}`.execute(tx);
  });
  const num = await scene.numOf(id);
  const { rows } = await sql`select from monitoring_status where sensor_num = ${num}
    union all select from sensor_issue where sensor_num = ${num}`.execute(scene.world.ctx.db);
  expect(rows).toHaveLength(0);
});

test("an issue that persists after a hand-over is raised and mailed again for the new owner", async () => {
  const { id } = await offlineForADay();
  await pass(60_000);
  expect(await scene.log(customer, id)).toEqual(["connection Warning"]);
  await pass(60_000);
  const next = await scene.world.account("Next after", scene.world.root, fullPermissions);
  const place = await scene.location(next, "Next shop", configWith(), berlin);
  await scene.must(scene.world.root, "PUT", `/api/sensor/${id}`, { body: { owner: next.id, measID: place } });
  await scene.mailbox.take();
  now += 60_000;
  await scene.pass(now, customer, next);
  expect(await scene.log(next, id)).toEqual(["connection Warning"]);
  expect((await scene.must(next, "GET", "/api/v2/issue/count")).body).toMatchObject({ warnings: 1 });
  const mails = await scene.mailbox.take();
  expect(mails.filter(({ to }) => to?.[0]?.address === next.email)).toHaveLength(1);
  // As after an undone replacement, which also restores since when its owner had the sensor.
  await sql`update sensor set owner_id = ${customer.id}, owner_path = ${customer.path}, visible_from = '-infinity'
    where id = ${id}`.execute(scene.world.ctx.db);
  await pass(60_000);
  const open = await scene.must(customer, "GET", `/api/v2/issue?open=true&includeTotals=true&sensorIDs=${id}`);
  expect(open.at("total")).toBe(1);
});

test("an evaluation locks sensors in the order of ids, before any issue", async () => {
  const waiting = await offlineForADay();
  const released = await monitored(configWith());
  const former = await monitored(configWith());
  for (const { id } of [released, former]) await scene.presence(id, new Date(now - 2 * day).toISOString());
  scene.world.ctx.clock.moveTo(now);
  await evaluateDueSensors(scene.world.ctx);
  await scene.must(customer, "PUT", `/api/measurement/${released.place}`, { body: { monitoringConfig: null } });
  await sql`update sensor set visible_from = ${new Date(now + 1)} where id = ${former.id}`.execute(scene.world.ctx.db);
  scene.world.ctx.clock.moveTo((now += 60_000));
  const others = await Promise.all([scene.numOf(released.id), scene.numOf(former.id)]);
  await evaluateDuring(
    (tx) => sql`select from sensor where id = ${waiting.id} for update`.execute(tx),
    async (tx) => {
      // Fails if the evaluation has locked one of these rows.
      const sensors = await sql`select from sensor where num = any(${others}::int[]) for update nowait`.execute(tx);
      const issues =
        await sql`select from sensor_issue where sensor_num = any(${others}::int[]) for update nowait`.execute(tx);
      expect([sensors.rows.length, issues.rows.length]).toEqual([2, 2]);
    },
  );
  await scene.pass(now, customer);
  expect(await scene.log(customer, waiting.id)).toEqual(["connection Warning"]);
});
