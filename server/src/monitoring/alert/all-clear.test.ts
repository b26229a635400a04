// All-clear mails: one for each outage that was mailed, when all of it is over, to those who were mailed about it (MO-03).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Person } from "../../testing/world.ts";
import { configWith, createMonitoringScene, type MonitoringScene } from "../../testing/monitoring-scene.ts";

let scene: MonitoringScene;
let customer: Person;
const minute = 60_000;
const day = 24 * 60 * minute;
// A Monday, noon in Berlin.
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

const email = (change: Partial<ReturnType<typeof configWith>["alert"]["email"]> = {}) =>
  configWith({ alert: { email: { ...configWith().alert.email, ...change } } });

let unit = 0;
async function shop(config = configWith(), sensors = 1, name = "Harbour Shop") {
  const place = await scene.location(customer, name, config, [52.52, 13.4]);
  const ids: string[] = [];
  for (let i = 0; i < sensors; i += 1) {
    const id = `02:00:00:00:0A:${(unit += 1).toString(16).padStart(2, "0").toUpperCase()}`;
    await scene.sensor(customer, id, place);
    ids.push(id);
  }
  return { place, ids: ids as [string, ...string[]] };
}
const configure = (place: string, monitoringConfig: ReturnType<typeof configWith> | null) =>
  scene.must(scene.world.root, "PUT", `/api/measurement/${place}`, { body: { monitoringConfig } });
const obstruct = (id: string, to: 0 | 1) =>
  scene.deliver(id, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 1 - to, to }]);
const lose = (id: string, agoMs = 0) => scene.presence(id, new Date(now - agoMs).toISOString());
const regain = (id: string) => scene.presence(id, null);
/** To this test's addresses: the shops of the others go on. */
async function mails() {
  const all = await scene.mailbox.take();
  return all
    .map(({ to, subject, text }) => ({ to: to?.[0]?.address ?? "", subject, text: text ?? "" }))
    .filter(({ to }) => to === customer.email || to.includes(`-${serial}@`));
}
const subjects = async () => (await mails()).map(({ subject }) => subject);

test("MO-03 an outage of a location is one mail, its end another when the last sensor is back", async () => {
  const { place, ids } = await shop(configWith(), 7);
  for (const id of ids) await lose(id);
  await pass(day);
  const [alert, ...others] = await mails();
  expect(others).toEqual([]);
  expect(ids.filter((id) => !alert?.text.includes(id))).toEqual([]);
  for (const id of ids.slice(1)) await regain(id);
  await pass(20 * minute);
  expect(await mails()).toEqual([]);
  await regain(ids[0]);
  await pass(minute);
  const [clear, ...more] = await mails();
  expect(more).toEqual([]);
  expect(clear).toMatchObject({ to: customer.email, subject: "Resolved: 7 sensors at Harbour Shop" });
  expect(ids.filter((id) => !clear?.text.includes(id))).toEqual([]);
  expect(clear?.text).toContain(`/location/${place}/issues?issueType=connection&issueStatus=Ok`);
  await pass(day);
  expect(await mails()).toEqual([]);
  const { body } = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${ids[0]}&issueStatus=Ok`);
  const [entry] = (body as { objects: { id: string }[] }).objects;
  expect((await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`)).body).toMatchObject({
    mails: [{ to: customer.email, state: "sent" }],
  });
});

test("MO-03 sensors that fall silent within minutes of each other are named by the first mail", async () => {
  const { ids } = await shop(configWith(), 3);
  const [first, second, third] = ids;
  await lose(first, 4 * minute);
  await lose(second ?? "", 2 * minute);
  await lose(third ?? "");
  await pass(day - 4 * minute);
  expect(await mails()).toEqual([]);
  await pass(4 * minute);
  const [alert, ...more] = await mails();
  expect(more).toEqual([]);
  expect(ids.filter((id) => !alert?.text.includes(id))).toEqual([]);
});

test("MO-03 a warning and the error after it end in one all-clear; a new outage has its own", async () => {
  const { ids } = await shop();
  const [id] = ids;
  for (let outage = 0; outage < 2; outage += 1) {
    await obstruct(id, 1);
    await pass(minute);
    await pass(3 * day);
    expect(await subjects()).toEqual([`Warning: sensor ${id} at Harbour Shop`, `Error: sensor ${id} at Harbour Shop`]);
    await obstruct(id, 0);
    await pass(20 * minute);
    expect(await subjects()).toEqual([`Resolved: sensor ${id} at Harbour Shop`]);
    await pass(20 * minute);
  }
});

test("MO-03 an older outage that lasts holds back no all-clear of a later one", async () => {
  const { ids } = await shop(configWith(), 2);
  const [broken, brief] = ids;
  await obstruct(broken, 1);
  await pass(minute);
  await pass(20 * minute);
  await obstruct(brief ?? "", 1);
  await pass(minute);
  expect(await subjects()).toHaveLength(2);
  await obstruct(brief ?? "", 0);
  await pass(20 * minute);
  expect(await subjects()).toEqual([`Resolved: sensor ${brief} at Harbour Shop`]);
});

test.each([
  ["mails on warnings are off", email({ onWarning: false })],
  [
    "no day is active",
    configWith({ activeWeekDays: { mo: false, tu: false, we: false, th: false, fr: false, sa: false, su: false } }),
  ],
])("MO-03 no all-clear where nothing was mailed: %s", async (_, config) => {
  const { place, ids } = await shop(config);
  await obstruct(ids[0], 1);
  await pass(minute);
  await configure(place, configWith());
  await obstruct(ids[0], 0);
  await pass(20 * minute);
  expect(await mails()).toEqual([]);
});

test.each([
  ["monitoring was switched off", null],
  ["the check was switched off", configWith({ osd: { enabled: false, warningThreshold: 0, errorThreshold: 3 } })],
  ["the threshold was raised", configWith({ osd: { enabled: true, warningThreshold: 5, errorThreshold: 9 } })],
])("MO-03 no all-clear while the view is still covered: %s", async (_, config) => {
  const { place, ids } = await shop();
  await obstruct(ids[0], 1);
  await pass(minute);
  expect(await mails()).toHaveLength(1);
  await configure(place, config);
  await pass(20 * minute);
  expect(await scene.log(customer, ids[0])).toEqual(["osd Warning", "osd Ok"]);
  await obstruct(ids[0], 0);
  await pass(20 * minute);
  expect(await mails()).toEqual([]);
});

test("MO-03 only those who were mailed and still would be get the all-clear", async () => {
  const [stays, leaves, joins] = ["stays", "leaves", "joins"].map((name) => `${name}-${serial}@example.com`) as [
    string,
    string,
    string,
  ];
  const { place, ids } = await shop(email({ toOther: [stays, leaves] }));
  await obstruct(ids[0], 1);
  await pass(minute);
  const alerts = await mails();
  expect(alerts.map(({ to }) => to).toSorted()).toEqual([customer.email, leaves, stays].toSorted());
  await configure(place, email({ toOwner: false, toOther: [stays, leaves, joins] }));
  const token = /unsubscribe\?token=(\S+)/.exec(alerts.find(({ to }) => to === leaves)?.text ?? "")?.[1] ?? "";
  await scene.world.call(null, "POST", "/api/report/unsubscribe", { body: { token } });
  await pass(20 * minute);
  await obstruct(ids[0], 0);
  await pass(minute);
  expect(await mails()).toMatchObject([{ to: stays, subject: `Resolved: sensor ${ids[0]} at Harbour Shop` }]);
});

test("MO-03 an all-clear waits for the next active day, and is dropped if the issue came up again", async () => {
  const weekdays = configWith({ activeWeekDays: { ...configWith().activeWeekDays, sa: false, su: false } });
  const { ids } = await shop(weekdays, 2);
  const [ended, again] = ids;
  const monday = Date.parse("2027-03-29T10:00:00.000Z");
  await pass(monday - 3 * day - now);
  await obstruct(ended, 1);
  await obstruct(again ?? "", 1);
  await pass(minute);
  expect(await mails()).toHaveLength(1);
  // Saturday, then Sunday.
  await pass(day);
  await obstruct(ended, 0);
  await obstruct(again ?? "", 0);
  await pass(minute);
  await obstruct(again ?? "", 1);
  await pass(day);
  expect(await mails()).toEqual([]);
  await pass(Date.parse("2027-03-28T22:00:10.000Z") - now);
  expect(await subjects()).toEqual([`Warning: sensor ${again} at Harbour Shop`]);
});

test("MO-03 what is over before its mail is sent is one mail, which says so", async () => {
  const { ids } = await shop(configWith(), 2);
  const [first, second] = ids;
  await obstruct(first, 1);
  await pass(minute);
  await obstruct(second ?? "", 1);
  await pass(minute);
  await obstruct(second ?? "", 0);
  await pass(20 * minute);
  const [, late, ...more] = await mails();
  expect(more).toEqual([]);
  expect(late?.subject).toBe(`Warning: sensor ${second} at Harbour Shop`);
  expect(late?.text).toContain("over");
  await pass(20 * minute);
  expect(await mails()).toEqual([]);
});
