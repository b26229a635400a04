// Tests all-clear mails: one per mailed outage, when all its issues are over, to those who were mailed about it (MO-03).
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAlertScene, day, mailing, minute } from "../../testing/scenes/alert-scene.ts";
import { configWith } from "../../testing/scenes/monitoring-scene.ts";
import type { Person } from "../../testing/world.ts";

let scene: Awaited<ReturnType<typeof createAlertScene>>;
let customer: Person;
beforeAll(async () => {
  scene = await createAlertScene();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  customer = await scene.next();
});
const subjects = async () => (await scene.mails()).map(({ subject }) => subject);

test("MO-03 an outage of a location is one mail, and one all-clear at its end", async () => {
  const { place, id, ids } = await scene.shop(configWith(), 7);
  for (const id of ids) await scene.lose(id);
  await scene.pass(day);
  const [alert, ...others] = await scene.mails();
  expect(others).toEqual([]);
  expect(ids.filter((id) => !alert?.text.includes(id))).toEqual([]);
  for (const id of ids.slice(1)) await scene.regain(id);
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
  await scene.regain(id);
  await scene.pass(minute);
  const [clear, ...more] = await scene.mails();
  expect(more).toEqual([]);
  expect(clear).toMatchObject({ to: customer.email, subject: "Resolved: 7 sensors at Harbour Shop" });
  expect(ids.filter((id) => !clear?.text.includes(id))).toEqual([]);
  expect(clear?.text).toContain(`/location/${place}/issues?issueType=connection&issueStatus=Ok`);
  await scene.pass(day);
  expect(await scene.mails()).toEqual([]);
  expect(await scene.record(id)).toMatchObject([{ to: customer.email, state: "sent" }]);
});

test("MO-03 sensors that go offline within minutes are in the first mail", async () => {
  const { ids } = await scene.shop(configWith(), 3);
  for (const [n, id] of ids.entries()) await scene.lose(id, (4 - 2 * n) * minute);
  await scene.pass(day - 4 * minute);
  expect(await scene.mails()).toEqual([]);
  await scene.pass(4 * minute);
  const [alert, ...more] = await scene.mails();
  expect(more).toEqual([]);
  expect(ids.filter((id) => !alert?.text.includes(id))).toEqual([]);
});

test("MO-03 a warning and a later error share one all-clear; a new outage has its own", async () => {
  const { id } = await scene.shop();
  for (let outage = 0; outage < 2; outage += 1) {
    await scene.cover(id);
    await scene.pass(minute);
    await scene.pass(3 * day);
    expect(await subjects()).toEqual([`Warning: sensor ${id} at Harbour Shop`, `Error: sensor ${id} at Harbour Shop`]);
    await scene.uncover(id);
    await scene.pass(20 * minute);
    expect(await subjects()).toEqual([`Resolved: sensor ${id} at Harbour Shop`]);
    await scene.pass(20 * minute);
  }
});

test("MO-03 an older lasting outage does not delay a later all-clear", async () => {
  const { id: broken, second: brief } = await scene.shop(configWith(), 2);
  await scene.cover(broken);
  await scene.pass(minute);
  await scene.pass(20 * minute);
  await scene.cover(brief);
  await scene.pass(minute);
  expect(await subjects()).toHaveLength(2);
  await scene.uncover(brief);
  await scene.pass(20 * minute);
  expect(await subjects()).toEqual([`Resolved: sensor ${brief} at Harbour Shop`]);
});

test.each([
  ["mails on warnings are off", mailing({ onWarning: false })],
  [
    "no day is active",
    configWith({ activeWeekDays: { mo: false, tu: false, we: false, th: false, fr: false, sa: false, su: false } }),
  ],
])("MO-03 no all-clear without a mail: %s", async (_, config) => {
  const { place, id } = await scene.shop(config);
  await scene.cover(id);
  await scene.pass(minute);
  await scene.configure(place, configWith());
  await scene.uncover(id);
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
});

const covered = [
  ["monitoring was switched off", null],
  ["the check was switched off", configWith({ osd: { enabled: false, warningThreshold: 0, errorThreshold: 3 } })],
  ["the threshold was raised", configWith({ osd: { enabled: true, warningThreshold: 5, errorThreshold: 9 } })],
] as const;
test.each(everyNth(2, covered))("MO-03 no all-clear while the view is still covered: %s", async (_, config) => {
  const { place, id } = await scene.shop();
  await scene.cover(id);
  await scene.pass(minute);
  expect(await scene.mails()).toHaveLength(1);
  await scene.configure(place, config);
  await scene.pass(20 * minute);
  expect(await scene.log(customer, id)).toEqual(["osd Warning", "osd Ok"]);
  await scene.uncover(id);
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
});

test("MO-03 only mailed recipients who would still be mailed get the all-clear", async () => {
  const [stays, leaves, joins] = [scene.address("stays"), scene.address("leaves"), scene.address("joins")];
  const { place, id } = await scene.shop(mailing({ toOther: [stays, leaves] }));
  await scene.cover(id);
  await scene.pass(minute);
  const alerts = await scene.mails();
  expect(alerts.map(({ to }) => to).toSorted()).toEqual([customer.email, leaves, stays].toSorted());
  await scene.configure(place, mailing({ toOwner: false, toOther: [stays, leaves, joins] }));
  await scene.unsubscribe(scene.tokenOf(alerts.find(({ to }) => to === leaves)));
  await scene.pass(20 * minute);
  await scene.uncover(id);
  await scene.pass(minute);
  expect(await scene.mails()).toMatchObject([{ to: stays, subject: `Resolved: sensor ${id} at Harbour Shop` }]);
});

test("MO-03 an all-clear waits for the next active day, and is dropped if the issue returned", async () => {
  const weekdays = configWith({ activeWeekDays: { ...configWith().activeWeekDays, sa: false, su: false } });
  const { id: ended, second: again } = await scene.shop(weekdays, 2);
  await scene.passTo("2027-03-26T10:00:00.000Z");
  await scene.cover(ended);
  await scene.cover(again);
  await scene.pass(minute);
  expect(await scene.mails()).toHaveLength(1);
  await scene.pass(day);
  await scene.uncover(ended);
  await scene.uncover(again);
  await scene.pass(minute);
  await scene.cover(again);
  await scene.pass(day);
  expect(await scene.mails()).toEqual([]);
  await scene.passTo("2027-03-28T22:00:10.000Z");
  expect(await subjects()).toEqual([`Warning: sensor ${again} at Harbour Shop`]);
});

test("MO-03 an issue that ended before its mail is one mail that says so", async () => {
  const { id: first, second } = await scene.shop(configWith(), 2);
  await scene.cover(first);
  await scene.pass(minute);
  await scene.cover(second);
  await scene.pass(minute);
  await scene.uncover(second);
  await scene.pass(20 * minute);
  const [, late, ...more] = await scene.mails();
  expect(more).toEqual([]);
  expect(late?.subject).toBe(`Warning: sensor ${second} at Harbour Shop`);
  expect(late?.text).toContain(": The lens is covered. Resolved.");
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
});
