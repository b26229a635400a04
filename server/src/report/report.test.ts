// Tests the weekly report by e-mail: when it is sent, what it contains, and that it is sent only once (DB-03,
// docs/rules/reports.md#weekly-report).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Person } from "../testing/world.ts";
import { reportJob } from "./report.job.ts";
import { createReportScene, type ReportScene } from "../testing/scenes/report-scene.ts";

let scene: ReportScene;
let customer: Person;
beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  customer = await scene.world.account("Harbour Stores", scene.world.root, fullPermissions);
});
beforeEach(async () => {
  await sql`delete from report`.execute(scene.world.ctx.db);
  await scene.mailbox.take();
});
afterAll(() => scene.stop());

const [north, south, gap] = ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"] as const;
const subjects = async () => (await scene.mailbox.take()).map(({ subject }) => subject);
const [march8, march15, march22] = ["2027-03-07T23:00:00Z", "2027-03-14T23:00:00Z", "2027-03-21T23:00:00Z"];

test("Mondays at 7:00: totals, change, best and worst, link; gaps and DST are handled", async () => {
  const shop = await scene.location(customer, "Harbour <Shop>".replaceAll(/[<>]/g, "&"), "Berlin");
  await scene.sensor(customer, north, shop);
  await scene.sensor(customer, south, await scene.location(customer, "South Gate", "Berlin"));
  expect(await scene.turn(customer, true)).toEqual({
    enabled: true,
    nextAt: "2027-03-08T06:00:00.000Z",
    timezone: "Europe/Berlin",
  });
  await scene.pass("2027-03-08T06:00:00Z", customer);
  const [none] = await scene.mailbox.take();
  expect(none?.subject).toBe("Weekly report 1 – 7 Mar 2027");
  expect(none?.text).toContain("In: –\n");
  expect(none?.text).toContain("No data yet.");

  await scene.pass("2027-03-15T05:59:59Z", customer);
  await scene.count(north, march8, 168, 8);
  await scene.count(south, march8, 168, 5);
  expect(await subjects()).toEqual([]);
  await scene.pass("2027-03-15T06:00:00Z", customer);
  expect(await subjects()).toEqual(["Weekly report 8 – 14 Mar 2027"]);

  await scene.pass("2027-03-22T05:00:00Z", customer);
  await scene.count(north, march15, 168, 10);
  await scene.count(south, march15, 168, 5);
  await scene.pass("2027-03-22T06:00:00Z", customer);
  const [mail] = await scene.mailbox.take();
  expect(mail?.to?.[0]?.address).toBe(customer.email);
  expect(mail?.subject).toBe("Weekly report 15 – 21 Mar 2027");
  expect(mail?.text).toContain('2 locations of "Harbour Stores"');
  expect(mail?.text).toContain("In: 2,520 (+15 % from the week before)");
  expect(mail?.text).toContain("Out: 2,520 (+15 % from the week before)");
  expect(mail?.text).toContain("Completeness: 100 %");
  expect(mail?.text).toContain("Best location: Harbour &Shop&, In: 1,680 (+25 % from the week before)");
  expect(mail?.html).toContain("Harbour &#38;Shop&#38;");
  expect(mail?.text).toContain("Worst location: South Gate, In: 840 (±0 % from the week before)");
  expect(mail?.text).toContain("All sensors were counting.");
  expect(mail?.text).toContain("https://console.example.com/location/counts?range=2027-03-15,2027-03-21");

  // The week of the clock change has 167 hours, and its next Monday is an hour earlier in UTC.
  await scene.sensor(customer, gap, await scene.location(customer, "Dark Corner", "Berlin"));
  await scene.pass("2027-03-29T04:59:59Z", customer);
  await scene.count(north, march22, 167, 12);
  await scene.count(south, march22, 167, 5);
  await scene.count(gap, march22, 24, 1);
  expect(await subjects()).toEqual([]);
  await scene.pass("2027-03-29T05:00:00Z", customer);
  const [summer] = await scene.mailbox.take();
  expect(summer?.subject).toBe("Weekly report 22 – 28 Mar 2027");
  // 2,004 + 835 + 24 people. One of three sensors counted only a seventh of the week, so no change is shown.
  expect(summer?.text).toContain("In: 2,863\n");
  expect(summer?.text).toContain("Worst location: South Gate, In: 835");
  expect(summer?.text).toContain("1 sensor did not count for more than a fifth of the week:");
  expect(summer?.text).toMatch(/02:00:00:00:00:03 at Dark Corner: 1\d % complete/);
  const page = await scene.world.call(customer, "GET", "/api/v2/counts/total?range=2027-03-22,2027-03-28");
  expect(page.at("in")).toBe(2863);
});

test("only what the login's account may see at that moment", async () => {
  const below = { me: true, relativeAncestorLevel: 1 };
  const viewer = await scene.world.account("Viewer", customer, { ownable: { measurement: { canViewObject: below } } });
  const stranger = await scene.world.account("Stranger", scene.world.root, fullPermissions);
  await scene.location(stranger, "Elsewhere", "Berlin");
  for (const who of [viewer, stranger]) await scene.turn(who, true);
  await scene.pass("2027-04-05T05:00:00Z", customer);
  const mails = await scene.mailbox.take();
  const to = (who: Person) => mails.find((mail) => mail.to?.[0]?.address === who.email)?.text ?? "";
  expect(mails).toHaveLength(2);
  expect(to(viewer)).toContain("3 locations");
  expect(to(viewer)).not.toContain("02:00:00");
  expect(to(stranger)).toContain('1 location of "Stranger"');
  expect(to(stranger)).not.toMatch(/Harbour|South Gate|02:00:00/);
});

test("no report without a location, a right, a complete registration or an active login", async () => {
  const { world } = scene;
  const names = ["Nowhere", "Powerless", "Incomplete", "Gone", "Removed", "Content"] as const;
  const people = new Map<string, Person>();
  for (const name of names) {
    const person = await world.account(name, world.root, fullPermissions);
    people.set(name, person);
    if (name !== "Nowhere") await scene.location(person, `Shop of ${name}`, "Berlin");
    await scene.turn(person, true);
  }
  const id = (name: (typeof names)[number]) => people.get(name)?.id ?? "";
  await world.ctx.db.updateTable("account").set({ role_id: null }).where("id", "=", id("Powerless")).execute();
  await world.ctx.db.updateTable("credential").set({ step: 1 }).where("account_id", "=", id("Incomplete")).execute();
  expect((await world.call(world.root, "DELETE", `/api/account/${id("Gone")}`)).status).toBe(200);
  await world.ctx.db
    .updateTable("credential")
    .set({ is_deleted: true, deleted_at: world.ctx.clock.date() })
    .where("account_id", "=", id("Removed"))
    .execute();
  await scene.pass("2027-04-12T05:00:00Z");
  const mails = await scene.mailbox.take();
  expect(mails.map((mail) => mail.to?.[0]?.address)).toEqual([people.get("Content")?.email]);
  await scene.pass("2027-04-12T07:00:00Z");
  expect(await subjects()).toEqual([]);
  // This week has been processed, so the first report is that of the next week.
  await world.ctx.db.updateTable("credential").set({ step: 2 }).where("account_id", "=", id("Incomplete")).execute();
  await scene.pass("2027-04-12T20:00:00Z");
  expect(await subjects()).toEqual([]);
});

test("the zone of the oldest visible location, else UTC", async () => {
  const { world } = scene;
  const people: Person[] = [];
  for (const place of ["Tokyo", "LosAngeles", null] as const) {
    const who = await world.account(`Of ${place}`, world.root, fullPermissions);
    people.push(who);
    await scene.location(who, "First", place);
    await scene.location(who, "Second", "Berlin");
    await scene.turn(who, true);
  }
  const arrived = async () => (await scene.mailbox.take()).map((mail) => mail.to?.[0]?.address);
  for (const [n, at] of ["2027-04-18T22:00:00Z", "2027-04-19T14:00:00Z", "2027-04-19T07:00:00Z"].entries())
    people.splice(n, 1, { ...(people[n] as Person), name: at });
  for (const who of people.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    await scene.pass(new Date(Date.parse(who.name) - 1000).toISOString());
    expect(await arrived()).toEqual([]);
    await scene.pass(who.name);
    expect(await arrived()).toEqual([who.email]);
  }
});

test("enabled on Monday 7:00 or later it waits a week; an outage sends the last week once", async () => {
  await scene.pass("2027-04-26T05:00:00Z", customer);
  expect(await scene.turn(customer, true)).toMatchObject({ nextAt: "2027-05-03T05:00:00.000Z" });
  await scene.turn(customer, true);
  await scene.pass("2027-04-26T23:00:00Z", customer);
  expect(await subjects()).toEqual([]);
  await scene.pass("2027-05-19T09:00:00Z", customer);
  expect(await subjects()).toEqual(["Weekly report 10 – 16 May 2027"]);
  await scene.turn(customer, false);
  expect(await scene.turn(customer, true)).toMatchObject({ nextAt: "2027-05-24T05:00:00.000Z" });
  await scene.pass("2027-05-24T05:00:00Z", customer);
  expect(await subjects()).toEqual(["Weekly report 17 – 23 May 2027"]);
  await scene.turn(customer, false);
  await scene.pass("2027-05-31T05:00:00Z", customer);
  expect(await subjects()).toEqual([]);
});

test(
  "hundreds of logins and three processes: each gets one report, also after a crash",
  { tags: "prove" },
  async () => {
    const { ctx } = scene.world;
    const logins = 230;
    await sql`insert into credential (id, account_id, email, step)
    select gen_random_uuid(), ${customer.id}, 'login-' || n || '@example.com', 2 from generate_series(1, ${logins}) n`.execute(
      ctx.db,
    );
    await sql`insert into report (id, owner_id, owner_path, name, creator_id, is_weekly, query, schedule, handled_to, check_at)
    select gen_random_uuid(), a.id, a.path, 'Weekly report', c.id, true,
      '{"filters": {}, "range": "lastWeek", "by": null, "open": false, "compare": "previous", "content": ["summary"], "formats": []}',
      '{"every": "week", "on": "mo", "at": "07:00", "zone": "Europe/Berlin"}', '2027-06-06T00:00:00Z', '2027-06-07T05:00:00Z'
    from credential c join account a on a.id = c.account_id where email like 'login-%'`.execute(ctx.db);
    await sql`insert into report_recipient (report_id, email, position)
    select r.id, c.email, 0 from report r join credential c on c.id = r.creator_id`.execute(ctx.db);
    // The outbox rejects the mail, so the subscription's new state must not be stored either.
    await sql`alter table mail_outbox add constraint closed check (false) not valid`.execute(ctx.db);
    await scene.pass("2027-06-07T05:00:00Z");
    const done = async () =>
      (await sql<{ n: number }>`select count(*) as n from report_run where state = 'done'`.execute(ctx.db)).rows[0]?.n;
    expect(await done()).toBe(0);
    await sql`alter table mail_outbox drop constraint closed`.execute(ctx.db);
    await sql`update report_run set check_at = ${ctx.clock.date()}`.execute(ctx.db);
    const jobs = [1, 2, 3].map(() => reportJob(ctx));
    await Promise.all(jobs.map((job) => job.run()));
    expect(await done()).toBe(logins);
    const { rows } = await sql<{ n: number; different: number }>`
    select count(*) as n, count(distinct recipient) as different from mail_outbox where recipient like 'login-%'`.execute(
      ctx.db,
    );
    expect(rows).toEqual([{ n: logins, different: logins }]);
  },
);
