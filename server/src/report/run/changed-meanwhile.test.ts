// Tests that a run sends nothing that was computed before a change of its report, and that deleting waits for no run.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createReportScene, type ReportScene } from "../../testing/scenes/report-scene.ts";
import type { JsonObject, Person } from "../../testing/world.ts";
import { createSharedReports, type SharedReports } from "./report-data.service.ts";
import { makeNextRun } from "./run.service.ts";
import * as store from "./run.store.ts";

let scene: ReportScene;
let customer: Person;
let editor: Person;
const dueAt = new Date("2027-03-05T05:00:00Z");

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  customer = await scene.world.account("Harbour Stores", scene.world.root, fullPermissions);
  editor = await scene.world.account("Editor", customer, {
    owner: {
      canViewOwner: { me: true, relativeAncestorLevel: 1 },
      canEditOwner: { me: true, relativeAncestorLevel: 1 },
    },
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  await scene.location(customer, "Harbour Shop", "Berlin");
});
beforeEach(async () => {
  await sql`delete from report`.execute(scene.world.ctx.db);
  await sql`delete from mail_outbox`.execute(scene.world.ctx.db);
});
afterAll(() => scene.stop());

async function due(more: JsonObject = {}): Promise<string> {
  const body = {
    name: "Numbers",
    owner: customer.id,
    range: "yesterday",
    recipients: [customer.email],
    formats: [],
    schedule: { every: "day", at: "07:00", zone: "Europe/Berlin" },
    ...more,
  };
  const reply = await scene.world.call(customer, "POST", "/api/report", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  await addRun(reply.id);
  return reply.id;
}

const addRun = (id: string) =>
  sql`insert into report_run (id, report_id, due_at, check_at, share_key)
    values (gen_random_uuid(), ${id}, ${dueAt}, ${dueAt}, '')`.execute(scene.world.ctx.db);

/** Makes the run; `meanwhile` happens after the counts were read. */
async function makeWhile(meanwhile: () => Promise<unknown>): Promise<void> {
  const { ctx } = scene.world;
  const read = createSharedReports(ctx);
  const shared: SharedReports = async (...asked) => {
    const data = await read(...asked);
    await meanwhile();
    return data;
  };
  expect(await makeNextRun(ctx, shared)).toBe(true);
}

const makeAgain = () => makeNextRun(scene.world.ctx, createSharedReports(scene.world.ctx));

async function mailed(): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    select recipient from mail_outbox where subject like 'Numbers%' or subject like 'Weekly%'`.execute(
    scene.world.ctx.db,
  );
  return rows.map(({ recipient }) => recipient);
}

async function stateOf(id: string) {
  return scene.world.ctx.db
    .selectFrom("report_run")
    .select(["id", "state", "reason"])
    .where("report_id", "=", id)
    .executeTakeFirst();
}

test("recipients that an editor adds meanwhile get only what that editor may see", async () => {
  const id = await due();
  await makeWhile(async () => {
    const reply = await scene.world.call(editor, "PUT", `/api/report/${id}`, { body: { recipients: [editor.email] } });
    expect(reply.status).toBe(200);
  });
  expect(await mailed()).toEqual([]);
  expect(await stateOf(id)).toMatchObject({ state: "due" });
  expect(await makeAgain()).toBe(true);
  expect(await mailed()).toEqual([editor.email]);
});

test("a report that is turned off meanwhile sends nothing", async () => {
  const id = await due();
  await makeWhile(() => scene.world.call(customer, "PUT", `/api/report/${id}`, { body: { enabled: false } }));
  expect(await makeAgain()).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state: "skipped" });
  expect(await mailed()).toEqual([]);
});

test("a weekly report whose switch is turned off meanwhile sends nothing", async () => {
  const { db } = scene.world.ctx;
  await scene.turn(customer, true);
  const { id } = await db.selectFrom("report").select("id").executeTakeFirstOrThrow();
  await addRun(id);
  await makeWhile(() => scene.turn(customer, false));
  expect(await mailed()).toEqual([]);
  expect(await makeAgain()).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state: "skipped" });
});

test("a report that stops meanwhile sends nothing", async () => {
  const id = await due();
  const { db } = scene.world.ctx;
  await makeWhile(() => db.updateTable("report").set({ stopped: "Rights are gone" }).where("id", "=", id).execute());
  expect(await mailed()).toEqual([]);
  expect(await makeAgain()).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state: "skipped" });
});

test("a failed attempt does not change a run that another lane has finished", async () => {
  const id = await due();
  expect(await makeAgain()).toBe(true);
  const run = await stateOf(id);
  const { db, clock } = scene.world.ctx;
  const late = { id: run?.id ?? "", reportId: id, dueAt, isManual: false };
  const failed = {
    state: "failed",
    reason: "Late",
    days: null,
    locationIds: [],
    soldLocationIds: [],
    sensorIds: [],
    missing: null,
  } as const;
  await db.transaction().execute(async (tx) => {
    expect(await store.claimAgain(tx, late.id)).toBe(false);
    expect(await store.finishRun(tx, late, failed, clock.date())).toBe(false);
  });
  expect(await stateOf(id)).toMatchObject({ state: "done", reason: null });
  const report = await scene.world.call(customer, "GET", `/api/report/${id}`);
  expect(report.at("lastRun.state")).toBe("done");
});

test("a report can be deleted while it is made, and the run ends as skipped", async () => {
  const id = await due();
  await makeWhile(async () => {
    expect((await scene.world.call(customer, "DELETE", `/api/report/${id}`)).status).toBe(200);
  });
  expect(await makeAgain()).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state: "skipped" });
  expect(await mailed()).toEqual([]);
});

test("a weekly report with other recipients stops when its creator may no longer edit it", async () => {
  const { world } = scene;
  const { db } = world.ctx;
  const viewer = await world.account("Viewer", customer, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  await scene.turn(viewer, true);
  const { id } = await db.selectFrom("report").select("id").executeTakeFirstOrThrow();
  await addRun(id);
  expect(await makeAgain()).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state: "done" });
  await db.deleteFrom("report_run").execute();
  await sql`insert into report_recipient (report_id, email, position) values (${id}, ${customer.email}, 1)`.execute(db);
  await addRun(id);
  expect(await makeAgain()).toBe(true);
  expect(await stateOf(id)).toMatchObject({ state: "failed", reason: expect.stringContaining("no longer edit") });
});

test("runs beyond the last 50 are deleted with their files, except files of mails that wait", async () => {
  const { db, clock } = scene.world.ctx;
  const id = await due();
  await sql`
    insert into report_run (id, report_id, due_at, check_at, share_key, state)
    select gen_random_uuid(), ${id}, ${dueAt}::timestamptz - n * interval '1 day', ${dueAt}, '', 'done'
    from generate_series(1, 51) n`.execute(db);
  const { rows: oldest } = await sql<{ id: string }>`
    select id from report_run where report_id = ${id} order by due_at limit 2`.execute(db);
  await sql`
    with file as (
      insert into mail_attachment (id, name, content_type, content, created_at)
      select id, 'old', 'text/csv', 'x', ${clock.date()} from report_run where id = any(${oldest.map((one) => one.id)}::uuid[])
      returning id
    )
    select from file`.execute(db);
  await sql`
    insert into report_file (run_id, format, attachment_id)
    select id, 'csv', id from mail_attachment where name = 'old'`.execute(db);
  const waiting = oldest[0]?.id ?? "";
  await sql`insert into report_delivery (run_id, email, mail_id) values (${waiting}, 'a@example.com', ${waiting})`.execute(
    db,
  );
  expect(await makeAgain()).toBe(true);
  const { rows } = await sql<{ id: string }>`select id from mail_attachment where name = 'old'`.execute(db);
  expect(rows).toEqual([{ id: waiting }]);
  const left = await db.selectFrom("report_run").select("id").where("report_id", "=", id).execute();
  expect(left).toHaveLength(50);
});
