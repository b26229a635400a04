// Tests that access to a device requires consent (calls, pictures, settings, VPN, hand-over, release), and who may give it (PC-01).
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createPagedWorld, echo, type PagedWorld } from "../testing/requests/paged-world.ts";
import { openTunnel } from "../testing/devices/tunnel-device.ts";
import type { Person, Reply, World } from "../testing/world.ts";

let pages: PagedWorld;
let world: World;
let owner: Person;
let customer: Person;
let serial = 0;
let zod: string;
let aps: string;
beforeAll(async () => {
  pages = await createPagedWorld();
  ({ world, owner } = pages);
});
afterAll(() => world.stop());
beforeEach(async () => {
  customer = await world.account(`Careful Customer ${(serial += 1)}`, owner, fullPermissions);
  [zod, aps] = [toMac(0x0200_0000_1900 + serial), toMac(0x0200_0000_1a00 + serial)];
  for (const [id, type] of [
    [zod, "ZOD"],
    [aps, "APS"],
  ])
    expect(
      (await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type } })).status,
    ).toBe(200);
  await demand(customer, true);
});

const demand = (who: Person, required: boolean) =>
  world.call(who, "PUT", "/api/auth/remote-consent", { body: { required } });
const put = (who: Person, id: string, body: object) => world.call(who, "PUT", `/api/sensor/${id}`, { body });
const rpc = (who: Person, method: string, params: object) =>
  world.call(who, "POST", `/api/sensor/${zod}/rpc`, { body: { jsonrpc: "2.0", id: 1, method, params } });
const ask = (who: Person, func: string) =>
  world.call(who, "POST", `/api/sensor/${aps}/request`, { body: { func, timeout: 1000 } });

type Act = [string, "view" | "edit", (who: Person) => Promise<Reply>];
const acts: Act[] = [
  ["reads settings", "view", (who) => rpc(who, "config.get", { section: "measurement" })],
  ["looks at a preview", "view", (who) => rpc(who, "preview.get", { kind: "cameras" })],
  ["restarts it", "edit", (who) => rpc(who, "device.restart", {})],
  ["takes a snapshot", "view", (who) => ask(who, "getSnapshot")],
  ["tests the upload", "edit", (who) => ask(who, "generalUploadTest")],
  ["resets the network", "edit", (who) => ask(who, "resetNetworkConfig")],
  ["asks for the VPN", "edit", (who) => put(who, aps, { connectToVPN: true })],
];
async function agreed(who: Person, id: string, mode: "view" | "edit", minutes = 60) {
  const user = mode === "edit" ? "user-role-edit" : "user-role-view";
  expect((await pages.ask(who, id, { reason: "Service", minutes, user })).at("result")).toBeNull();
  const rows = (await world.call(customer, "GET", `/api/sensor/${id}/remote-session`)).list;
  const waiting = rows.find(({ state }) => state === "waiting");
  const path = `/api/sensor/${id}/remote-session/${String(waiting?.["_id"])}`;
  expect((await world.call(customer, "PUT", path, { body: { consent: true } })).status).toBe(200);
  return path;
}

test("PC-01 accounts above need consent for every access; the owner's own people need none", async () => {
  for (const [name, , act] of acts) {
    expect(await act(owner), name).toMatchObject({ status: 403, code: 306 });
    expect((await act(owner)).at("details.reason"), name).toContain("must agree first");
    expect((await act(customer)).code, name).not.toBe(306);
  }
  await demand(customer, false);
  for (const [name, , act] of acts) expect((await act(owner)).code, name).not.toBe(306);
});

test("PC-01 consent to viewing does not permit changes", async () => {
  for (const id of [zod, aps]) await agreed(owner, id, "view");
  for (const [name, mode, act] of acts) {
    const { code } = await act(owner);
    if (mode === "edit") expect(code, name).toBe(306);
    else expect(code, name).not.toBe(306);
  }
  for (const id of [zod, aps]) await agreed(owner, id, "edit");
  for (const [name, , act] of acts) expect((await act(owner)).code, name).not.toBe(306);
});

test("PC-01 accounts above can't give away or release a sensor, even with consent", async () => {
  await agreed(owner, aps, "edit");
  const batch = (changes: object) =>
    world
      .call(owner, "PUT", "/api/v2/sensor/batch-update", { body: { sensorIDs: [aps], changes } })
      .then((reply) => reply.body);
  expect(await put(owner, aps, { owner: owner.id })).toMatchObject({ status: 403, code: 302 });
  expect((await put(owner, aps, { owner: owner.id })).at("details.reason")).toContain("requires consent");
  expect(await batch({ owner: owner.id })).toMatchObject({
    success: 0,
    fail: [{ id: aps, details: { reason: expect.stringContaining("requires consent") } }],
  });
  expect(await put(owner, aps, { claimable: true })).toMatchObject({ status: 403, code: 306 });
  expect(await batch({ claimable: true })).toMatchObject({ success: 0, fail: [{ id: aps }] });
  const branch = await world.account("Branch", customer, null);
  expect((await put(customer, aps, { owner: branch.id })).status).toBe(200);
});

test("PC-01 a login set up from above can't consent or disable consent for 30 days", async () => {
  const email = `planted${serial}@example.com`;
  const newPassword = "violet harbour lantern 7";
  const change = { credentialChanges: [{ operation: "ADD", email, newPassword }] };
  expect((await world.call(owner, "PUT", `/api/account/${customer.id}`, { body: change })).status).toBe(200);
  const mails = await world.ctx.db
    .selectFrom("mail_outbox")
    .select(["recipient", "subject"])
    .where("recipient", "in", [customer.email, email])
    .execute();
  expect(mails.map(({ recipient, subject }) => [recipient, subject])).toEqual(
    expect.arrayContaining([
      [customer.email, "The logins of your account have changed"],
      [email, expect.any(String)],
    ]),
  );
  const login = await world.call(null, "POST", "/api/auth/login", { body: { email, password: newPassword } });
  const planted = { ...customer, email, token: String(login.at("token")) };
  await pages.ask(owner, aps, { reason: "Service" });
  const rows = (await world.call(planted, "GET", `/api/sensor/${aps}/remote-session`)).list;
  expect(rows).toMatchObject([{ state: "waiting", mayConsent: false }]);
  const path = `/api/sensor/${aps}/remote-session/${String(rows[0]?.["_id"])}`;
  for (const consent of [true, false])
    expect(await world.call(planted, "PUT", path, { body: { consent } })).toMatchObject({ status: 403, code: 306 });
  expect(await demand(planted, false)).toMatchObject({ status: 403, code: 306 });
  expect((await demand(planted, false)).at("details.reason")).toContain("30 days ago");
  await world.ctx.db
    .updateTable("credential")
    .set({ from_above_at: new Date(world.ctx.clock.now() - 30 * 86_400_000) })
    .where("email", "=", email)
    .execute();
  expect((await world.call(planted, "PUT", path, { body: { consent: true } })).status).toBe(200);
  expect((await demand(planted, false)).status).toBe(200);
});

test("PC-01 a password set from above has the same effect, except for the first login", async () => {
  const newPassword = "violet harbour lantern 8";
  const change = { credentialChanges: [{ operation: "CHANGE_PASSWORD", email: customer.email, newPassword }] };
  expect((await world.call(owner, "PUT", `/api/account/${customer.id}`, { body: change })).status).toBe(200);
  const login = await world.call(null, "POST", "/api/auth/login", {
    body: { email: customer.email, password: newPassword },
  });
  expect(await demand({ ...customer, token: String(login.at("token")) }, false)).toMatchObject({ code: 306 });
  const rows = await world.ctx.db
    .selectFrom("credential")
    .select("from_above_at")
    .where("account_id", "=", owner.id)
    .execute();
  expect(rows.every(({ from_above_at: at }) => at === null)).toBe(true);
});

test("PC-01 accounts below the owner can't consent for it", async () => {
  const near = { me: true, relativeAncestorLevel: 1 };
  const below = await world.account("Branch", customer, {
    ownable: { sensor: { canViewObject: near, canEditObject: near } },
  });
  await pages.ask(owner, aps, { reason: "Service" });
  const [row] = (await world.call(below, "GET", `/api/sensor/${aps}/remote-session`)).list;
  expect(row).toMatchObject({ state: "waiting", mayConsent: false });
  const path = `/api/sensor/${aps}/remote-session/${String(row?.["_id"])}`;
  expect(await world.call(below, "PUT", path, { body: { consent: true } })).toMatchObject({ status: 403, code: 305 });
});

test("PC-01 root may act if the owner has no login, which is audited", async () => {
  expect(await ask(world.root, "getSnapshot")).toMatchObject({ code: 306 });
  await world.ctx.db.updateTable("credential").set({ step: 0 }).where("account_id", "=", customer.id).execute();
  for (let n = 0; n < 2; n += 1) expect((await ask(world.root, "getSnapshot")).code).not.toBe(306);
  expect(await ask(owner, "getSnapshot")).toMatchObject({ code: 306 });
  const overrides = (await world.trail(aps)).filter(({ action }) => action === "overrideConsent");
  expect(overrides).toMatchObject([{ account_id: world.root.id, after: { mode: "view" } }]);
  expect((await put(world.root, aps, { owner: owner.id })).status).toBe(200);
});

test("PC-01 more time than granted needs new consent", async () => {
  const sensor = await pages.pagedSensor();
  await put(owner, sensor.id, { owner: customer.id });
  const path = await agreed(owner, sensor.id, "edit", 30);
  const now = world.ctx.clock.date();
  await world.ctx.db
    .updateTable("remote_session")
    .set({ started_at: now, until: now })
    .where("id", "=", path.split("/").at(-1) ?? "")
    .execute();
  const extend = (minutes: number) => world.call(owner, "PUT", path, { body: { minutes } });
  expect(await extend(60)).toMatchObject({ status: 403, code: 306 });
  expect((await extend(60)).at("details.reason")).toBe(
    "The owner agreed to 30 minutes. Request access again for more time.",
  );
});

test("PC-01 requiring consent ends open sessions of accounts above only", async () => {
  await demand(customer, false);
  const sensor = await pages.pagedSensor();
  await put(owner, sensor.id, { owner: customer.id });
  await sensor.tunnel.closed;
  await pages.becomes(customer, sensor, "disconnected");
  const moved = await openTunnel(world.url, sensor, echo);
  await pages.becomes(customer, sensor, "connected");
  const until = new Date(world.ctx.clock.now() + 3_600_000).toISOString();
  const vpn = { enabledOnSensor: true, connect: true, until, vpnStatus: null };
  await world.ctx.db
    .updateTable("sensor")
    .set({ vpn: JSON.stringify(vpn) })
    .where("id", "=", sensor.id)
    .execute();
  const [above, own] = [await pages.enter(owner, sensor), await pages.enter(customer, sensor)];
  await demand(customer, true);
  expect((await pages.at(sensor, above, "/")).status).toBe(403);
  expect((await pages.at(sensor, own, "/")).status).toBe(200);
  expect((await world.trail(sensor.id)).find(({ action }) => action === "endRemoteAccess")).toMatchObject({
    after: { account: owner.id, why: "consent" },
  });
  expect((await world.call(customer, "GET", `/api/sensor/${sensor.id}`)).at("vpn.connect")).toBe(false);
  moved.close();
});
