// Tests the recipients of issue mails: additional addresses, confirming, unsubscribing, changed logins and owners (MO-03).
import { maxUnconfirmedMails } from "@psp/contract/monitoring/limits.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAlertScene, mailing, minute } from "../../testing/scenes/alert-scene.ts";
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

const pathOf = (token: string) => `/api/report/unsubscribe?token=${token}`;
const stateOf = async (token: string) => (await scene.world.call(null, "GET", pathOf(token))).body;

async function obstructions(id: string, n: number) {
  const got = [];
  for (let i = 0; i < n; i += 1) {
    await scene.cover(id);
    await scene.pass(minute);
    await scene.uncover(id);
    await scene.pass(20 * minute);
    await scene.pass(20 * minute);
    got.push(...(await scene.mails()));
  }
  return got;
}

test("MO-03 an additional e-mail unsubscribes by link and by one click", async () => {
  const other = scene.address("once");
  const spelled = [other.replace("once", "Once"), other.toUpperCase()];
  const { id, second } = await scene.shop(mailing({ toOwner: false, toOther: spelled }), 2);
  await scene.cover(id);
  await scene.pass(minute);
  const [mail, ...more] = await scene.mails();
  expect(more).toEqual([]);
  const token = scene.tokenOf(mail);
  const state = { email: other, about: "alerts", confirmed: false };
  expect(await stateOf(token)).toEqual({ ...state, enabled: true });
  expect((await scene.world.call(null, "POST", `/unsubscribe?token=${token}`)).status).toBe(200);
  expect(await stateOf(token)).toEqual({ ...state, enabled: false });
  await scene.cover(second);
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
  expect((await scene.world.call(null, "GET", `${pathOf(token).slice(0, -2)}aa`)).status).toBe(400);
});

test("MO-03 T-20 an unconfirmed additional e-mail gets a limited number of mails", async () => {
  const other = scene.address("door");
  const { id } = await scene.shop(mailing({ toOwner: false, toOther: [other] }));
  const first = await obstructions(id, 1);
  expect(first.map(({ to }) => to)).toEqual([other, other]);
  expect(first[0]?.text).toContain(`until then, you get at most ${maxUnconfirmedMails - 1} more`);
  // Most of the mails in between are only counted.
  const counted = scene.world.ctx.db.updateTable("alert_address").where("mails", "=", 2);
  const { numUpdatedRows } = await counted.set({ mails: maxUnconfirmedMails - 3 }).executeTakeFirstOrThrow();
  expect(numUpdatedRows).toBe(1n);
  const rest = await obstructions(id, 3);
  expect(rest.map(({ to }) => to)).toEqual([other, other, other]);
  expect(rest[0]?.text).toContain("until then, you get at most 2 more");
  expect(rest.at(-1)?.text).toContain("This is the last email until you confirm that you want them.");
  expect(await scene.record(id)).toEqual([]);
  await scene.cover(id);
  await scene.pass(20 * minute);
  expect(await scene.record(id)).toMatchObject([
    { to: other, state: "dropped", reason: "the recipient has not confirmed the address" },
  ]);
  await scene.uncover(id);
  await scene.pass(minute);

  const token = /Confirm or unsubscribe:\n\S+token=(\S+)/.exec(first[0]?.text ?? "")?.[1] ?? "";
  expect(await stateOf(token)).toEqual({ email: other, enabled: true, about: "alerts", confirmed: false });
  for (const twice of [1, 2]) {
    const confirmed = await scene.world.call(null, "POST", "/api/report/confirm", { body: { token } });
    expect([twice, confirmed.status]).toEqual([twice, 200]);
  }
  expect(await stateOf(token)).toEqual({ email: other, enabled: true, about: "alerts", confirmed: true });
  const [next, ...more] = await obstructions(id, 1);
  expect(more).toMatchObject([{ to: other, subject: `Resolved: sensor ${id} at Harbour Shop` }]);
  expect(next?.text).toContain(`Unsubscribe:\n`);
  expect(next?.text).not.toMatch(/confirm/i);

  // The link of the first mail also subscribes again.
  await scene.unsubscribe(token);
  expect(await obstructions(id, 1)).toEqual([]);
  await scene.world.call(null, "POST", "/api/report/confirm", { body: { token } });
  expect(await obstructions(id, 1)).toHaveLength(2);

  for (const wrong of ["", "alerts.abc.def", `${token.slice(0, -2)}aa`]) {
    const refused = await scene.world.call(null, "POST", "/api/report/confirm", { body: { token: wrong } });
    expect([wrong, refused.status, refused.at("code")]).toEqual([wrong, 400, 102]);
  }
});

test("MO-03 T-20 logins of the owner's tree need no confirmation, others do", async () => {
  const { world } = scene;
  const child = await world.account(`Branch of ${customer.name}`, customer, fullPermissions);
  const stranger = await world.account("Stranger", world.root, fullPermissions);
  const unregistered = scene.address("unregistered");
  const others = [child.email, stranger.email, world.root.email, unregistered];
  await scene.mailbox.take();
  const { id, second } = await scene.shop(mailing({ toOwner: false, toOther: others }), 2);
  await scene.cover(id);
  await scene.pass(minute);
  const texts = new Map((await scene.mailbox.take()).map(({ to, text }) => [to?.[0]?.address, text ?? ""]));
  expect(new Set(texts.keys())).toEqual(new Set(others));
  const asked = others.filter((email) => texts.get(email)?.includes("Confirm or unsubscribe"));
  expect(asked).toEqual([stranger.email, world.root.email, unregistered]);

  // Simulates that other accounts have used up the mails that these addresses get without confirmation.
  await world.ctx.db.updateTable("alert_address").set({ mails: maxUnconfirmedMails }).execute();
  await scene.cover(second);
  await scene.pass(20 * minute);
  expect((await scene.mailbox.take()).map(({ to }) => to?.[0]?.address)).toEqual([child.email]);
  const record = await scene.record(second);
  const ofOthers = record.filter(({ to }) => to !== child.email);
  expect(new Set(ofOthers.map(({ state, at, reason }) => JSON.stringify([state, at, reason]))).size).toBe(1);
  expect(ofOthers).toMatchObject([{ state: "dropped" }, { state: "dropped" }, { state: "dropped" }]);
});

test("MO-03 T-20 queued mails are dropped when a login loses its account", async () => {
  const other = scene.address("theirs");
  const { place, id, second } = await scene.shop(mailing({ toOther: [other] }), 2);
  await scene.cover(id);
  await scene.pass(minute);
  expect(await scene.mails()).toHaveLength(2);
  await scene.cover(second);
  await scene.pass(minute);
  const { world } = scene;
  const owner = await world.account("Successor", world.root, fullPermissions);
  await scene.must(world.root, "PUT", `/api/sensor/${second}`, { body: { owner: owner.id } });
  await scene.must(world.root, "PUT", `/api/measurement/${place}`, { body: { owner: owner.id } });
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
});

test("MO-03 an inherited configuration mails the location's owner, an own one the sensor's", async () => {
  const { world } = scene;
  const tenant = await world.account("Tenant", customer, fullPermissions);
  const { place } = await scene.shop(configWith(), 0);
  const [inherits, own] = ["02:00:00:00:0B:01", "02:00:00:00:0B:02"] as const;
  for (const id of [inherits, own]) await scene.sensor(tenant, id, place);
  await scene.must(world.root, "PUT", `/api/sensor/${own}`, { body: { monitoringConfig: configWith() } });
  await scene.mailbox.take();
  for (const id of [inherits, own]) await scene.cover(id);
  await scene.pass(minute);
  const mails = (await scene.mailbox.take()).map(({ to, subject }) => [to?.[0]?.address, subject]);
  expect(new Map(mails as [string, string][])).toEqual(
    new Map([
      [customer.email, `Warning: sensor ${inherits} at Harbour Shop`],
      [tenant.email, `Warning: sensor ${own} at Harbour Shop`],
    ]),
  );
  for (const id of [inherits, own]) await scene.uncover(id);
  await scene.pass(20 * minute);
  const clears = (await scene.mailbox.take()).map(({ to, subject }) => [to?.[0]?.address, subject]);
  expect(new Map(clears as [string, string][])).toEqual(
    new Map([
      [customer.email, `Resolved: sensor ${inherits} at Harbour Shop`],
      [tenant.email, `Resolved: sensor ${own} at Harbour Shop`],
    ]),
  );
});

test("MO-03 unsubscribing drops an alert that waits for the next mail", async () => {
  const other = scene.address("waits");
  const { id, second } = await scene.shop(mailing({ toOwner: false, toOther: [other] }), 2);
  await scene.cover(id);
  await scene.pass(minute);
  const token = scene.tokenOf((await scene.mails())[0]);
  await scene.cover(second);
  await scene.pass(minute);
  expect(await scene.record(second)).toMatchObject([{ to: other, state: "waiting" }]);
  await scene.unsubscribe(token);
  const dropped = [{ to: other, state: "dropped", reason: "the recipient has unsubscribed" }];
  expect(await scene.record(second)).toMatchObject(dropped);
  await scene.pass(20 * minute);
  expect(await scene.mails()).toEqual([]);
  expect(await scene.record(second)).toMatchObject(dropped);
});

test("MO-03 unsubscribing while the mail server is down keeps only what one gets as an owner", async () => {
  const other = scene.address("outbox");
  const [own, foreign] = [await scene.shop(configWith(), 1), await scene.shop(configWith(), 2, scene.world.root)];
  await scene.configure(foreign.place, mailing({ toOwner: false, toOther: [other, customer.email] }));
  await scene.cover(foreign.second);
  await scene.pass(minute);
  const tokens = new Map((await scene.mails()).map((mail) => [mail.to, scene.tokenOf(mail)]));
  await scene.pass(20 * minute);
  scene.mailbox.open(false);
  await scene.cover(own.id);
  await scene.cover(foreign.id);
  await scene.pass(minute);
  for (const email of [other, customer.email]) await scene.unsubscribe(tokens.get(email) ?? "");
  scene.mailbox.open(true);
  await scene.pass(20 * minute);
  const [mail, ...more] = await scene.mails();
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ to: customer.email, subject: `Warning: sensor ${own.id} at Harbour Shop` });
  expect(mail?.text).not.toContain(foreign.id);
});
