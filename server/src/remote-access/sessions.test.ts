// Tests sessions on device pages: audit log, duration, the owner's consent, and what ends them (PC-01).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { createPagedWorld, echo, type PagedSensor, type PagedWorld } from "../testing/requests/paged-world.ts";
import { visit } from "../testing/requests/page-browser.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { openTunnel } from "../testing/devices/tunnel-device.ts";
import type { Person, World } from "../testing/world.ts";

let pages: PagedWorld;
let world: World;
let owner: Person;
let viewer: Person;
beforeAll(async () => {
  pages = await createPagedWorld();
  ({ world, owner, viewer } = pages);
});
afterAll(() => world.stop());

const numOf = async ({ id }: PagedSensor) =>
  (await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow()).num;
const rpc = (method: string, extra: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {}, ...extra });

test("PC-01 the audit log shows who, why, when, and where was written", async () => {
  const sensor = await pages.pagedSensor();
  const cookie = await pages.enter(owner, sensor, { reason: "New line" });
  await pages.at(sensor, cookie, "/config?secret=1", { method: "PUT", body: "password" });
  await pages.at(sensor, cookie, "/config", { method: "PUT", body: "x" });
  await pages.at(sensor, cookie, "/rpc", { method: "POST", body: rpc("config.set") });
  await pages.at(sensor, cookie, "/only-read");
  const [row] = (await pages.sessions(owner, sensor)).list;
  await world.call(owner, "DELETE", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`);
  const ended = (await world.trail(sensor.id)).find((entry) => entry.action === "endRemoteAccess");
  expect(ended).toMatchObject({
    account_id: owner.id,
    after: { account: owner.id, why: "ended", writes: ["PUT /config (2)", "POST /rpc config.set"] },
  });
});

test("PC-01 a session ends at once with its login, right or sensor", async () => {
  type Case = [string, (sensor: PagedSensor, who: Person) => Promise<unknown>, string];
  const cases: Case[] = [
    ["logout", (_, who) => pages.logOut(who), "logout"],
    [
      "role",
      (_, who) =>
        world
          .call(world.root, "PUT", `/api/role/${who.roleId}`, {
            body: { permissions: { ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } } } },
          })
          .then((reply) => expect(reply.status).toBe(200)),
      "rights",
    ],
    [
      "owner",
      (sensor) => world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { owner: viewer.id } }),
      "rights",
    ],
    ["deletion", (sensor) => world.call(owner, "DELETE", `/api/sensor/${sensor.id}`), "rights"],
  ];
  for (const [name, lose, why] of cases) {
    const sensor = await pages.pagedSensor();
    const who = await world.account(`Technician ${name}`, owner, {
      ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 }, canEditObject: { relativeAncestorLevel: 1 } } },
    });
    const cookie = await pages.enter(who, sensor);
    expect((await pages.at(sensor, cookie, "/")).status).toBe(200);
    await lose(sensor, who);
    await until(`${name} ends it`, async () => {
      const { rows } = {
        rows: await world.ctx.db.selectFrom("remote_session").selectAll().where("account_id", "=", who.id).execute(),
      };
      return rows[0]?.ended_why === why;
    });
    expect((await pages.at(sensor, cookie, "/")).status).toBe(403);
  }
});

test("PC-01 a session lasts as requested unless extended", async () => {
  const sensor = await pages.pagedSensor();
  const cookie = await pages.enter(owner, sensor, { minutes: 15 });
  const [row] = (await pages.sessions(owner, sensor)).list;
  const extend = (who: Person, minutes: number) =>
    world.call(who, "PUT", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`, { body: { minutes } });
  expect(await extend(viewer, 60)).toMatchObject({ status: 403, code: 306 });
  expect((await extend(owner, 600)).status).toBe(400);
  expect((await extend(owner, 60)).status).toBe(200);
  const pass = (minutes: number) =>
    world.call(world.root, "PUT", "/dev/clock", { body: { now: world.ctx.clock.now() + minutes * 60_000 } });
  await pass(20);
  expect((await pages.at(sensor, cookie, "/")).status).toBe(200);
  await pass(45);
  expect((await pages.at(sensor, cookie, "/")).status).toBe(403);
  expect((await pages.sessions(owner, sensor)).list).toEqual([]);
});

test("PC-01 a session ends at its time, before the job runs", async () => {
  const sensor = await pages.pagedSensor();
  const cookie = await pages.enter(owner, sensor, { minutes: 15 });
  expect((await pages.at(sensor, cookie, "/")).status).toBe(200);
  await world.ctx.db.transaction().execute(async (tx) => {
    const rows = tx
      .selectFrom("remote_session")
      .select("ended_at")
      .where("sensor_num", "=", await numOf(sensor));
    await rows.forUpdate().execute();
    world.ctx.clock.moveTo(world.ctx.clock.now() + 15 * 60_000);
    expect((await pages.at(sensor, cookie, "/")).status).toBe(403);
    expect((await pages.sessions(owner, sensor)).list).toEqual([]);
    expect(await rows.execute()).toEqual([{ ended_at: null }]);
  });
});

test("PC-01 of two concurrent uses of a token one opens a session", async () => {
  const sensor = await pages.pagedSensor();
  const link = `/?token=${String((await pages.ask(owner, sensor.id)).at("result"))}`;
  const both = await world.ctx.db.transaction().execute(async (tx) => {
    const num = await numOf(sensor);
    await tx.selectFrom("remote_session").select("id").where("sensor_num", "=", num).forUpdate().execute();
    const uses = [visit(world.url, sensor.host, link), visit(world.url, sensor.host, link)];
    await untilSomebodyWaits(world.ctx.db, 2);
    return { uses };
  });
  const replies = await Promise.all(both.uses);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 403]);
  const cookies = replies.flatMap(({ headers }) => headers["set-cookie"] ?? []);
  expect(cookies.filter((cookie) => /^psp_remote=[\w-]+;/.test(cookie))).toHaveLength(1);
  expect((await pages.sessions(owner, sensor)).list).toHaveLength(1);
});

test("PC-01 T-23 a viewer has five sessions of a sensor, all viewers forty, its owner one more", async () => {
  const sensor = await pages.pagedSensor();
  const ask = async (who: Person) => (await pages.ask(who, sensor.id)).status;
  for (let n = 0; n < 5; n += 1) expect(await ask(viewer)).toBe(200);
  expect(await ask(viewer)).toBe(429);
  const rights = { ownable: { sensor: { canViewObject: { relativeAncestorLevel: 1 } } } };
  for (let n = 0; n < 7; n += 1) {
    const other = await world.account(`Office ${n}`, owner, rights);
    for (let session = 0; session < 5; session += 1) expect(await ask(other)).toBe(200);
  }
  const late = await pages.ask(await world.account("Late Office", owner, rights), sensor.id);
  expect([late.status, late.code, late.headers.get("retry-after")]).toEqual([429, 306, "60"]);
  const first = await pages.enter(owner, sensor);
  for (let n = 0; n < 10; n += 1) expect(await ask(owner)).toBe(200);
  expect((await pages.at(sensor, first, "/")).status).toBe(403);
  const left = await world.ctx.db
    .selectFrom("remote_session")
    .select("account_id")
    .where("sensor_num", "=", await numOf(sensor))
    .where("ended_at", "is", null)
    .execute();
  expect(left.filter((row) => row.account_id === owner.id)).toHaveLength(10);
  expect(left).toHaveLength(50);
  // Overdue sessions take no slot, even before the job ends them.
  world.ctx.clock.moveTo(world.ctx.clock.now() + 61_000);
  expect(await ask(viewer)).toBe(200);
});

test("PC-01 a lost tunnel keeps the session; a newer one serves it", async () => {
  const sensor = await pages.pagedSensor();
  const cookie = await pages.enter(owner, sensor);
  sensor.tunnel.close();
  await sensor.tunnel.closed;
  await until("lost", async () => (await pages.at(sensor, cookie, "/")).status === 502);
  await openTunnel(world.url, sensor, echo);
  await until("back", async () => (await pages.at(sensor, cookie, "/")).status === 200);
});

async function mails(sensorId: string): Promise<[string, string][]> {
  const rows = await world.ctx.db
    .selectFrom("mail_outbox")
    .select(["recipient", "subject"])
    .where("subject", "like", `%${sensorId}%`)
    .orderBy("id")
    .execute();
  return rows.map(({ recipient, subject }) => [recipient, subject]);
}

test("PC-01 callers who can't consent can't require it, but can always end it", async () => {
  const looker = await world.account("Looking Customer", owner, {
    owner: { canEditOwner: { me: true } },
    ownable: { sensor: { canViewObject: { me: true } } },
  });
  const demand = (required: boolean) => world.call(looker, "PUT", "/api/auth/remote-consent", { body: { required } });
  expect(await demand(true)).toMatchObject({ status: 403, code: 305 });
  expect((await world.call(looker, "GET", "/api/auth/remote-consent")).at("required")).toBe(false);
  expect((await demand(false)).status).toBe(200);
});

test("PC-01 at most twenty mails a day about one account's requests; all are shown", async () => {
  const customer = await world.account("Patient Customer", owner, fullPermissions);
  await world.call(customer, "PUT", "/api/auth/remote-consent", { body: { required: true } });
  const sensor = await pages.enrol();
  await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { owner: customer.id } });
  for (let n = 1; n <= 22; n += 1) {
    expect((await pages.ask(owner, sensor.id, { reason: `Question ${n}` })).at("result")).toBeNull();
    const [row] = (await pages.sessions(customer, sensor)).list;
    expect(row).toMatchObject({ reason: `Question ${n}`, state: "waiting" });
    await world.call(customer, "DELETE", `/api/sensor/${sensor.id}/remote-session/${String(row?.["_id"])}`);
  }
  expect((await mails(sensor.id)).filter(([to]) => to === customer.email)).toHaveLength(20);
});

test("PC-01 accounts above wait for the owner's consent if the owner requires it", async () => {
  const customer = await world.account("Careful Customer", owner, fullPermissions);
  const sensor = await pages.pagedSensor();
  expect((await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { owner: customer.id } })).status).toBe(
    200,
  );
  // The hand-over closes the old tunnel. Until that is stored, the old tunnel's status could be mistaken for the new one's.
  await sensor.tunnel.closed;
  await pages.becomes(customer, sensor, "disconnected");
  const moved = await openTunnel(world.url, sensor, echo);
  await pages.becomes(customer, sensor, "connected");
  expect((await world.call(customer, "PUT", "/api/auth/remote-consent", { body: { required: true } })).status).toBe(
    200,
  );
  expect(await pages.ask(owner, sensor.id)).toMatchObject({ status: 400, code: 104 });
  const asked = await pages.ask(owner, sensor.id, { reason: "Firmware" });
  expect(asked.at("result")).toBeNull();
  expect((await pages.ask(owner, sensor.id, { reason: "Again" })).at("result")).toBeNull();
  expect(await mails(sensor.id)).toEqual([[customer.email, expect.stringMatching(/^Harbour Stores requests access/)]]);
  await pages.enter(customer, sensor);
  const waiting = (await pages.sessions(customer, sensor)).list.filter((one) => one["state"] === "waiting");
  // The customer, who owns the sensor now, sees who asks, although it can't view parent accounts.
  const account = { _id: owner.id, name: "Harbour Stores" };
  expect(waiting).toMatchObject([{ account, reason: "Firmware", mayConsent: true, isOwn: false }]);
  const answer = (who: Person, consent: boolean) =>
    world.call(who, "PUT", `/api/sensor/${sensor.id}/remote-session/${String(waiting[0]?.["_id"])}`, {
      body: { consent },
    });
  expect(await answer(owner, true)).toMatchObject({ status: 403, code: 305 });
  expect((await answer(customer, true)).status).toBe(200);
  expect((await pages.sessions(owner, sensor)).list).toContainEqual(
    expect.objectContaining({ state: "granted", isOwn: true }),
  );
  await pages.enter(owner, sensor, { reason: "Firmware" });
  expect((await pages.ask(owner, sensor.id, { reason: "More" })).at("result")).toBeNull();
  const second = (await pages.sessions(customer, sensor)).list.find((one) => one["state"] === "waiting");
  await world.call(customer, "PUT", `/api/sensor/${sensor.id}/remote-session/${String(second?.["_id"])}`, {
    body: { consent: false },
  });
  expect((await pages.sessions(customer, sensor)).list.some((one) => one["state"] === "waiting")).toBe(false);
  const subjects = ["was allowed", "requests access", "was refused"].map((words) => expect.stringContaining(words));
  expect((await mails(sensor.id)).slice(1)).toEqual([
    [owner.email, subjects[0]],
    [customer.email, subjects[1]],
    [owner.email, subjects[2]],
  ]);
  expect((await world.trail(sensor.id)).map((one) => one.action)).toEqual(
    expect.arrayContaining(["askRemoteAccess", "answerRemoteAccess", "remoteAccess"]),
  );
  moved.close();
});
