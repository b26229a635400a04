// Tests runs of reports: once each, after the counts have arrived, and what happens when rights, locations or recipients are gone.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createReportScene, type ReportScene } from "../../testing/scenes/report-scene.ts";
import type { JsonObject, Person } from "../../testing/world.ts";
import { deliveryJob, reportJob } from "../report.job.ts";
import { createSharedReports } from "./report-data.service.ts";
import { makeNextRun } from "./run.service.ts";

let scene: ReportScene;
let customer: Person;
let shop: string;
const sensor = "02:00:00:00:00:01";
const berlin = (every: string, at = "07:00", on?: unknown) => ({
  every,
  at,
  zone: "Europe/Berlin",
  ...(on === undefined ? {} : { on }),
});

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  customer = await scene.world.account("Harbour Stores", scene.world.root, fullPermissions);
  shop = await scene.location(customer, "Harbour Shop", "Berlin");
});
beforeEach(async () => {
  await sql`delete from report`.execute(scene.world.ctx.db);
  await scene.mailbox.take();
});
afterAll(() => scene.stop());

async function made(more: JsonObject = {}, who = customer): Promise<string> {
  const body = {
    name: "Numbers",
    owner: customer.id,
    range: "yesterday",
    recipients: [customer.email],
    schedule: berlin("day"),
    ...more,
  };
  const reply = await scene.world.call(who, "POST", "/api/report", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}
const subjects = async () => (await scene.mailbox.take()).map(({ subject }) => subject ?? "");
const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1));
const runsOf = async (id: string) =>
  (await scene.world.call(customer, "GET", `/api/report/${id}/runs`)).at("objects") as (JsonObject & {
    _id: string;
    deliveries: JsonObject[];
    files: JsonObject[];
  })[];
const connect = (is: boolean) =>
  scene.world.ctx.db.updateTable("sensor").set({ is_connected: is }).where("id", "=", sensor).execute();

test("a day, a week and a month are sent at their local times; a missed time is sent once", async () => {
  const daily = await made();
  await made({ name: "Weekly", range: "lastWeek", schedule: berlin("week", "08:00", "we") });
  await made({ name: "Monthly", range: "lastMonth", schedule: berlin("month", "07:00", 31) });
  await scene.pass("2027-03-06T05:59:59Z", customer);
  expect(await subjects()).toEqual([]);
  await scene.pass("2027-03-06T06:00:00Z", customer);
  expect(await subjects()).toEqual(["Numbers 5 Mar 2027"]);
  await scene.pass("2027-03-10T07:00:00Z", customer);
  expect(sorted(await subjects())).toEqual(["Numbers 9 Mar 2027", "Weekly 1 – 7 Mar 2027"]);
  // The clock changed on 28 March.
  await scene.pass("2027-03-31T05:00:00Z", customer);
  expect(sorted(await subjects())).toEqual([
    "Monthly 1 – 28 Feb 2027",
    "Numbers 30 Mar 2027",
    "Weekly 15 – 21 Mar 2027",
  ]);
  expect((await runsOf(daily)).map(({ at }) => at)).toEqual([
    "2027-03-31T05:00:00.000Z",
    "2027-03-10T06:00:00.000Z",
    "2027-03-06T06:00:00.000Z",
  ]);
});

test("it waits for counts of connected sensors, at most 6 hours, and then says what is missing", async () => {
  await scene.pass("2027-04-05T04:00:00Z", customer);
  await scene.sensor(customer, sensor, shop);
  await scene.count(sensor, "2027-04-03T22:00:00Z", 20, 5);
  await connect(true);
  const id = await made();
  await scene.pass("2027-04-05T05:00:00Z", customer);
  expect(await subjects()).toEqual([]);
  expect((await runsOf(id))[0]).toMatchObject({
    state: "due",
    reason: expect.stringContaining("Waiting for the counts of 1 sensor,"),
  });
  await scene.count(sensor, "2027-04-04T18:00:00Z", 4, 5);
  await scene.pass("2027-04-05T05:10:00Z", customer);
  expect(await subjects()).toEqual(["Numbers 4 Apr 2027"]);
  expect((await runsOf(id))[0]).toMatchObject({ state: "done", missing: 0, locations: 1, first: "2027-04-04" });

  await scene.pass("2027-04-06T10:59:00Z", customer);
  expect(await subjects()).toEqual([]);
  await scene.pass("2027-04-06T11:00:00Z", customer);
  const [late] = await scene.mailbox.take();
  expect(late?.text).toContain("1 connected sensor has not sent all counts yet.");
  expect((await runsOf(id))[0]).toMatchObject({ state: "done", missing: 1 });

  // A sensor without contact is not waited for.
  await connect(false);
  await scene.pass("2027-04-07T05:00:00Z", customer);
  expect(await subjects()).toEqual(["Numbers 6 Apr 2027"]);
});

test("two processes and a crash between them make each run once", async () => {
  const { ctx } = scene.world;
  await scene.pass("2027-04-10T12:00:00Z", customer);
  const names = Array.from({ length: 12 }, (_, n) => `Report ${n}`);
  for (const name of names) await made({ name, formats: [] });
  await sql`alter table mail_outbox add constraint closed check (false) not valid`.execute(ctx.db);
  // The crash: the mails are not stored, so the runs stay due.
  await scene.pass("2027-04-11T05:00:00Z", customer);
  await sql`alter table mail_outbox drop constraint closed`.execute(ctx.db);
  expect(await subjects()).toEqual([]);
  await sql`update report_run set check_at = ${ctx.clock.date()} where state = 'due'`.execute(ctx.db);
  await Promise.all([1, 2, 3].map(() => reportJob(ctx).run()));
  await scene.pass("2027-04-11T05:00:30Z", customer);
  expect(sorted(await subjects())).toEqual(sorted(names.map((name) => `${name} 10 Apr 2027`)));
  // Another process that has not seen the runs yet can't add them again.
  await sql`update report set check_at = ${ctx.clock.date()}, handled_to = '2027-04-10T12:00:00Z'`.execute(ctx.db);
  await Promise.all([1, 2].map(() => reportJob(ctx).run()));
  await scene.pass("2027-04-11T05:01:00Z", customer);
  expect(await subjects()).toEqual([]);
});

test("a claimed run is not made by another process, and is free again after a crash", async () => {
  const { ctx } = scene.world;
  await scene.pass("2027-04-12T12:00:00Z", customer);
  await made({ formats: [] });
  await sql`insert into report_run (id, report_id, due_at, check_at, share_key)
    select gen_random_uuid(), id, '2027-04-12T05:00:00Z', '2027-04-12T05:00:00Z', '' from report`.execute(ctx.db);
  const crash = new Error("crash");
  const held = ctx.db.transaction().execute(async (tx) => {
    await sql`select from report_run where state = 'due' for update`.execute(tx);
    expect(await makeNextRun(ctx, createSharedReports(ctx))).toBe(false);
    throw crash;
  });
  await expect(held).rejects.toBe(crash);
  expect(await makeNextRun(ctx, createSharedReports(ctx))).toBe(true);
  expect(await makeNextRun(ctx, createSharedReports(ctx))).toBe(false);
});

test("without its creator's rights a report stops and tells the owner's logins, until someone saves it", async () => {
  const { world } = scene;
  await scene.pass("2027-04-20T12:00:00Z", customer);
  const maker = await world.account("Maker", customer, {
    owner: { canViewOwner: { me: true, relativeAncestorLevel: 1 } },
    ownable: {
      measurement: {
        canViewObject: { me: true, relativeAncestorLevel: 1 },
        canEditObject: { me: true, relativeAncestorLevel: 1 },
      },
    },
  });
  const id = await made({ filters: { ids: [shop] } });
  expect((await world.call(maker, "PUT", `/api/report/${id}`, { body: { name: "Numbers" } })).status).toBe(200);
  await world.ctx.db.updateTable("account").set({ role_id: null }).where("id", "=", maker.id).execute();
  await scene.pass("2027-04-21T05:00:00Z", customer);
  const mails = (await scene.mailbox.take()).filter(({ subject }) => subject?.includes("has stopped"));
  expect(mails.map((mail) => [mail.subject, mail.to?.[0]?.address])).toEqual([
    ['The report "Numbers" has stopped', customer.email],
  ]);
  const report = await world.call(customer, "GET", `/api/report/${id}`);
  expect(report.body).toMatchObject({ nextAt: null, stopped: expect.stringContaining("has no rights") });
  expect((await runsOf(id))[0]).toMatchObject({ state: "failed" });
  await scene.pass("2027-04-22T05:00:00Z", customer);
  expect(await subjects()).toEqual([]);
  const saved = await world.call(customer, "PUT", `/api/report/${id}`, { body: { name: "Ours" } });
  expect(saved.body).toMatchObject({ stopped: null, nextAt: "2027-04-23T05:00:00.000Z" });
  await world.call(customer, "PUT", `/api/report/${id}`, { body: { recipients: [customer.email] } });
  await scene.pass("2027-04-23T05:00:00Z", customer);
  expect(await subjects()).toEqual(["Ours 22 Apr 2027"]);
});

test("no location left, no recipient, and a refused address each have their state", async () => {
  const { world } = scene;
  await scene.pass("2027-05-02T12:00:00Z", customer);
  const gone = await scene.location(customer, "Gone", "Berlin");
  const empty = await made({ name: "Empty", filters: { ids: [gone] } });
  await world.call(customer, "DELETE", `/api/measurement/${gone}`);
  const alone = await made({ name: "Alone", recipients: ["never@example.org"] });
  const bounced = await made({ name: "Bounced", formats: [] });
  scene.mailbox.refuse(customer.email);
  await scene.pass("2027-05-03T05:00:00Z", customer);
  expect((await runsOf(empty))[0]).toMatchObject({ state: "skipped", reason: expect.stringContaining("No location") });
  expect((await runsOf(alone))[0]).toMatchObject({ state: "skipped", reason: expect.stringContaining("No recipient") });
  await scene.pass("2027-05-03T05:02:00Z", customer);
  await deliveryJob(world.ctx).run();
  const [run] = await runsOf(bounced);
  expect(run?.deliveries).toMatchObject([
    { email: customer.email, state: "refused", reason: expect.stringContaining("no such mailbox") },
  ]);
  const report = await world.call(customer, "GET", `/api/report/${bounced}`);
  expect(report.at("recipients")).toEqual([{ email: customer.email, status: "refused" }]);
  await scene.pass("2027-05-04T05:00:00Z", customer);
  expect((await runsOf(bounced))[0]).toMatchObject({ state: "skipped" });
});

test("files are kept 30 days, and given only to those who may view all their locations", async () => {
  const { world } = scene;
  const reader = await world.account("Reader", world.root, fullPermissions);
  await scene.pass("2027-06-01T12:00:00Z", customer, reader);
  const branch = await world.account("Branch", reader, null);
  const own = await scene.location(branch, "Branch Shop", "Berlin");
  const body = {
    name: "Files",
    owner: reader.id,
    range: "yesterday",
    recipients: [reader.email],
    formats: ["pdf", "xlsx", "csv"],
    schedule: berlin("day"),
  };
  const id = (await world.call(reader, "POST", "/api/report", { body })).id;
  const sent = await world.call(reader, "POST", `/api/report/${id}/send`);
  expect((await world.call(reader, "POST", `/api/report/${id}/send`)).status).toBe(409);
  await scene.pass("2027-06-01T12:00:05Z", customer, reader);
  const path = `/api/report/${id}/runs/${sent.id}/files/pdf`;
  const read = async (at: string) => {
    const response = await fetch(world.url + at, { headers: { authorization: `Bearer ${reader.token}` } });
    return { status: response.status, text: Buffer.from(await response.arrayBuffer()).toString("latin1") };
  };
  expect((await read(path)).text).toMatch(/^%PDF-1\.7/);
  expect((await read(path.replace("/pdf", "/xlsx"))).text).toMatch(/^PK/);
  expect((await read(path.replace("/pdf", "/csv"))).text).toContain("Branch Shop");
  const [mail] = await scene.mailbox.take();
  expect(mail?.attachments.map(({ filename }) => filename)).toEqual(
    ["pdf", "xlsx", "csv"].map((format) => `Files_2027-05-31.${format}`),
  );
  expect((await read(`/api/report/${id}/preview`)).text).toMatch(/^%PDF-1\.7/);
  expect((await world.call(customer, "GET", path)).code).toBe(105);
  // The location was handed over to someone else.
  await world.call(world.root, "PUT", `/api/measurement/${own}`, { body: { owner: customer.id } });
  const refused = await read(path);
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, 310]);
  await world.call(world.root, "PUT", `/api/measurement/${own}`, { body: { owner: branch.id } });
  expect((await read(path)).status).toBe(200);
  // The PDF names a sensor of someone else.
  await sql`update report_run set sensor_ids = ${["02:00:00:00:00:77"]} where id = ${sent.id}`.execute(world.ctx.db);
  await world.call(world.root, "POST", "/api/sensor", {
    body: { _id: "02:00:00:00:00:77", owner: customer.id, type: "APS" },
  });
  const naming = await read(path);
  expect([naming.status, JSON.parse(naming.text).code]).toEqual([403, 310]);
  expect((await read(path.replace("/pdf", "/csv"))).status).toBe(200);
  await sql`update report_run set sensor_ids = '{}' where id = ${sent.id}`.execute(world.ctx.db);
  await scene.pass("2027-07-02T13:00:00Z", reader, customer);
  expect((await read(path)).status).toBe(404);
});
