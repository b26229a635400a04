// Tests that the purge of an account erases who got its reports, and what their mail servers said (AC-12).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReportScene, type ReportScene } from "../../testing/scenes/report-scene.ts";

let scene: ReportScene;

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
});
afterAll(() => scene.stop());

test("AC-12 a purged account leaves no recipients, addresses, deliveries and reasons", async () => {
  const { world } = scene;
  const { db, config } = world.ctx;
  const people = [];
  for (const name of ["Leaving", "Staying"]) {
    const owner = await world.account(name, world.root, fullPermissions);
    people.push(owner);
    await scene.location(owner, "Shop", "Berlin");
    const schedule = { every: "month", on: 28, at: "07:00", zone: "Europe/Berlin" };
    const about = { name: "Numbers", owner: owner.id, range: "yesterday", formats: [], schedule };
    const body = { ...about, recipients: [owner.email, `boss-${name.toLowerCase()}@example.org`] };
    const report = await world.call(owner, "POST", "/api/report", { body });
    expect((await world.call(owner, "POST", `/api/report/${report.id}/send`)).status).toBe(200);
  }
  const [leaving] = people;
  await scene.pass("2027-03-05T12:01:00Z", ...people);
  await sql`update report_run set reason = 'no mailbox of ' || id`.execute(db);
  const left = async () => {
    const { rows } = await sql<{ name: string; recipients: number; addresses: number; sent: number; reasons: number }>`
      select a.name,
        (select count(*) from report_recipient x join report r on r.id = x.report_id where r.owner_id = a.id) as recipients,
        (select count(*) from report_address x where x.account_id = a.id) as addresses,
        (select count(*) from report_delivery x join report_run n on n.id = x.run_id join report r on r.id = n.report_id
          where r.owner_id = a.id) as sent,
        (select count(n.reason) from report_run n join report r on r.id = n.report_id where r.owner_id = a.id) as reasons
      from account a where a.id in (select owner_id from report) order by a.name`.execute(db);
    return rows;
  };
  const all = { recipients: 2, addresses: 1, sent: 1, reasons: 1 };
  expect(await left()).toEqual([
    { name: "Leaving", ...all },
    { name: "Staying", ...all },
  ]);
  expect((await world.call(world.root, "DELETE", `/api/account/${leaving?.id}`)).status).toBe(200);
  await db.updateTable("report").set({ check_at: null }).execute();
  await scene.pass(new Date(world.ctx.clock.now() + (config.purgeAfterDays + 1) * 86_400_000).toISOString());
  expect(await left()).toEqual([
    { name: "Deleted account", recipients: 0, addresses: 0, sent: 0, reasons: 0 },
    { name: "Staying", ...all },
  ]);
});
