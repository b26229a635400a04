// Tests issue mails as recipients get them (MO-03): when, how many, and with which text.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import type { Person } from "../../testing/world.ts";
import { configWith, createMonitoringScene, type MonitoringScene } from "../../testing/scenes/monitoring-scene.ts";

let scene: MonitoringScene;
let customer: Person;
const minute = 60_000;
const day = 24 * 60 * minute;
let now = Date.parse("2027-03-01T11:00:00.000Z");

beforeAll(async () => {
  scene = await createMonitoringScene();
  await scene.pass(now);
});
afterAll(() => scene.stop());
let serial = 0;
beforeEach(async () => {
  customer = await scene.world.account(`Harbour Stores ${(serial += 1)}`, scene.world.root, fullPermissions);
  await scene.mailbox.take();
});

async function pass(ms: number) {
  now += ms;
  await scene.pass(now, customer);
}
async function passTo(text: string) {
  await pass(Date.parse(text) - now);
}

const email = (change: Partial<ReturnType<typeof configWith>["alert"]["email"]> = {}) =>
  configWith({ alert: { email: { ...configWith().alert.email, ...change } } });

let unit = 0;
async function monitored(place: string) {
  const id = toMac(0x0200_0000_0200 + (unit += 1));
  await scene.sensor(customer, id, place);
  return id;
}
const obstruct = (id: string, to: 0 | 1) =>
  scene.deliver(id, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 1 - to, to }]);
const mails = async () =>
  (await scene.mailbox.take()).map(({ to, subject, text }) => ({ to: to?.[0]?.address, subject, text: text ?? "" }));

test("MO-03 the first mail comes at once, later ones are grouped for 15 minutes", async () => {
  const place = await scene.location(customer, "Harbour Shop", configWith(), [52.52, 13.4]);
  const ids = [await monitored(place), await monitored(place), await monitored(place)] as const;
  await obstruct(ids[0], 1);
  await pass(minute);
  const [first, ...others] = await mails();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ to: customer.email, subject: `Warning: sensor ${ids[0]} at Harbour Shop` });
  expect(first?.text).toContain(
    `Warning: OSD, sensor ${ids[0]} at Harbour Shop, since 1 Mar 2027, 12:00 (Berlin time): The lens is covered.`,
  );
  expect(first?.text).toContain(
    `https://console.example.com/location/${place}/issues?issueType=osd&issueStatus=Warning`,
  );
  await obstruct(ids[1], 1);
  await pass(minute);
  await obstruct(ids[2], 1);
  await pass(12 * minute);
  expect(await mails()).toEqual([]);
  const { body } = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${ids[2]}`);
  const [third] = (body as { objects: { id: string }[] }).objects;
  expect((await scene.must(customer, "GET", `/api/v2/issue/${third?.id}`)).body).toMatchObject({
    mails: [{ to: customer.email, state: "waiting", at: "2027-03-01T11:16:00.000Z", reason: null }],
  });
  await pass(2 * minute);
  const [second, ...more] = await mails();
  expect(more).toEqual([]);
  expect(second?.subject).toBe("Warning: 2 sensors at Harbour Shop");
  expect(second?.text).toContain(
    `Warning: OSD, 2 sensors at Harbour Shop, since 1 Mar 2027, 12:01 (Berlin time): ${ids[1]}, ${ids[2]}.`,
  );
  for (const id of ids) await obstruct(id, 0);
  await pass(20 * minute);
  expect(await mails()).toMatchObject([{ to: customer.email, subject: "Resolved: 3 sensors at Harbour Shop" }]);
});

test("MO-03 owner's logins and additional e-mails, for warnings or errors as configured", async () => {
  const other = `door-${serial}@example.com`;
  const quiet = await scene.location(
    customer,
    "Quiet",
    email({ onWarning: false, toOwner: false, toOther: [other] }),
    [52.5, 13.4],
  );
  const id = await monitored(quiet);
  await obstruct(id, 1);
  await pass(20 * minute);
  expect(await mails()).toEqual([]);
  const list = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}`);
  const [entry] = (list.body as { objects: { id: string }[] }).objects;
  const why = await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`);
  expect(why.body).toMatchObject({ mails: [], notMailed: "emails about warnings are turned off", holds: true });
  await pass(3 * day);
  expect(await mails()).toMatchObject([{ to: other, subject: `Error: sensor ${id} at Quiet` }]);
  const later = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}&issueStatus=Error`);
  const [error] = (later.body as { objects: { id: string }[] }).objects;
  const detail = await scene.must(customer, "GET", `/api/v2/issue/${error?.id}`);
  expect(detail.body).toMatchObject({ mails: [{ to: other, state: "sent" }], notMailed: null });
});

test("MO-03 inactive days delay mails to the next active one, if the issue still holds", async () => {
  await passTo("2027-03-06T12:00:00.000Z");
  const days = { ...configWith().activeWeekDays, sa: false, su: false };
  const place = await scene.location(customer, "Weekdays", configWith({ activeWeekDays: days }), [52.5, 13.4]);
  const [lasting, brief] = [await monitored(place), await monitored(place)];
  await obstruct(lasting, 1);
  await obstruct(brief, 1);
  await pass(minute);
  const list = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${brief}`);
  const [entry] = (list.body as { objects: { id: string }[] }).objects;
  const waiting = await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`);
  expect(waiting.body).toMatchObject({
    mails: [{ state: "waiting", at: "2027-03-07T23:00:00.000Z", reason: "Saturday is not an active day" }],
  });
  await pass(day);
  await obstruct(brief, 0);
  await passTo("2027-03-07T22:59:00.000Z");
  expect(await mails()).toEqual([]);
  await passTo("2027-03-07T23:00:10.000Z");
  expect((await mails()).map(({ subject }) => subject)).toEqual([`Warning: sensor ${lasting} at Weekdays`]);
  const dropped = await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`);
  expect(dropped.body).toMatchObject({
    mails: [{ state: "dropped", reason: "it was resolved before the next active day" }],
  });
});

const sites = rounds(12, 500);

test(
  `MO-03 an outage of ${sites} sites is one mail with every sensor and a line per site`,
  { timeout: rounds(120_000, 300_000) },
  async () => {
    const place = await scene.location(customer, "Site 0", configWith(), [52.5, 13.4]);
    const { db, clock } = scene.world.ctx;
    const { rows } = await sql<{ id: string }>`
    insert into location (id, owner_id, owner_path, name, timezone, monitoring_config)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, owner_id, owner_path, 'Site ' || n, timezone, monitoring_config
    from location, generate_series(1, ${sites - 1}) n where id = ${place} returning id`.execute(db);
    const places = [place, ...rows.map(({ id }) => id)];
    await sql`
    insert into sensor (id, owner_id, owner_path, type, location_id, license_monitoring, is_connected, last_contact_at)
    select '02:00:00:05:' || upper(lpad(to_hex(n / 256), 2, '0')) || ':' || upper(lpad(to_hex(n % 256), 2, '0')), l.owner_id, l.owner_path,
      'APS', l.id, true, false, ${clock.date()}
    from generate_series(0, ${2 * sites - 1}) n join location l on l.id = (${places}::uuid[])[n / 2 + 1]`.execute(db);
    await pass(day + minute);
    const [mail, ...more] = await mails();
    expect(more).toEqual([]);
    expect(mail?.subject).toMatch(
      new RegExp(`^Warning: ${2 * sites} sensors at Site \\d+, Site \\d+ and ${sites - 2} more locations$`),
    );
    expect(mail?.text.match(/^Warning: Connection, 2 sensors at Site \d+/gm)).toHaveLength(sites);
    expect(new Set(mail?.text.match(/02:00:00:05(:[0-9A-F]{2}){2}/g)).size).toBe(2 * sites);
    await pass(13 * minute);
    expect(await mails()).toEqual([]);
  },
);
