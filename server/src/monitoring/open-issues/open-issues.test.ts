// Tests the list of open issues, and assigning, notes and snoozing over HTTP, with a stopped clock.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import type { Person } from "../../testing/world.ts";
import { monitoringJob } from "../monitoring.job.ts";
import { createIssueScene, type IssueScene, readsParent } from "./open-issues.scene.testing.ts";

const minute = 60_000;
const day = 86_400_000;
let scene: IssueScene;
let customer: Person;
let viewer: Person;
let stranger: Person;
let serial = 0;

beforeAll(async () => {
  scene = await createIssueScene();
});
afterAll(() => scene.stop());

async function renew() {
  serial += 1;
  customer = await scene.account(`Harbour ${serial}`, scene.world.root);
  viewer = await scene.account(`Helper ${serial}`, customer, readsParent);
  stranger = await scene.account(`Stranger ${serial}`, scene.world.root);
}
async function covered(owner: Person, tags: string[] = []) {
  const place = await scene.place(owner, tags);
  await scene.cover(place.id);
  await scene.later(minute);
  const [issue] = (await scene.open(owner, `sensorIDs=${place.id}`)).objects;
  if (!issue) throw new Error("No issue");
  return { ...place, issue: issue.id };
}
/** Subjects of the mails since the last call. */
const mailed = async (who: Person) =>
  (await scene.mailbox.take())
    .filter(({ to }) => to?.some(({ address }) => address === who.email))
    .map(({ subject }) => subject);
const audited = async (who: Person, id: string) =>
  (await scene.must(who, "GET", `/api/v2/audit?objectID=${id}&limit=100`)).list.map(({ action }) => action);

test("open issues come worst first, with all filters, and only to those who may view the sensor", async () => {
  await renew();
  const branch = await scene.account("Branch", customer);
  const old = await covered(customer, ["Flagship"]);
  await scene.later(3 * day + minute);
  const seen = await covered(customer);
  const fresh = await covered(branch, ["flagship", "North"]);
  await scene.must(customer, "PUT", `/api/error/${seen.issue}`);
  expect(await scene.sensors(customer)).toEqual([old.id, fresh.id, seen.id]);
  const [first] = (await scene.open(customer)).objects;
  expect(first).toMatchObject({
    owner: { _id: customer.id, name: customer.name },
    location: { _id: old.location },
    since: new Date(scene.now() - 3 * day - 4 * minute).toISOString(),
    data: { issueStatus: "Error" },
    assignee: null,
    note: null,
    notesCount: 0,
    snoozedUntil: null,
  });
  for (const [query, found] of [
    ["sortBy=-severity", [seen, fresh, old]],
    ["sortBy=since", [old, seen, fresh]],
    ["sortBy=-since", [fresh, seen, old]],
    ["sortBy=sens", [old, seen, fresh]],
    ["sortBy=-issueStatus&sortBy=startUTC", [old, seen, fresh]],
    ["issueStatus=Warning", [fresh, seen]],
    ["issueType=reboot", []],
    ["acknowledged=false", [old, fresh]],
    [`ownerID=${branch.id}`, [fresh]],
    ["tag=FLAGSHIP", [old, fresh]],
    ["tag=flagship&tag=north", [fresh]],
    ["olderThan=24h", [old]],
    ["olderThan=7d", []],
    [`measID=${seen.location}`, [seen]],
    ["assigneeID=none", [old, fresh, seen]],
    ["assigneeID=me", []],
    ["snoozed=true", []],
    ["limit=1&skip=1", [fresh]],
  ] as const) {
    const { body } = await scene.must(customer, "GET", `/api/v2/issue?open=true&${query}`);
    expect(
      (body as { objects: { sens: string }[] }).objects.map(({ sens }) => sens),
      query,
    ).toEqual(found.map(({ id }) => id));
  }
  expect(await scene.count(customer)).toEqual({ errors: 1, warnings: 2, snoozed: 0, changesAt: null });
  expect(await scene.sensors(branch)).toEqual([fresh.id]);
  expect(await scene.sensors(viewer)).toEqual([old.id, seen.id]);
  expect((await scene.open(viewer)).objects[0]?.owner).toBeNull();
  for (const query of ["", `ownerID=${customer.id}`, "tag=flagship", `measID=${old.location}`, `sensorIDs=${old.id}`])
    expect((await scene.open(stranger, query)).total, query).toBe(0);
  expect(await scene.count(stranger)).toEqual({ errors: 0, warnings: 0, snoozed: 0, changesAt: null });
  for (const bad of [
    "open=true&sortBy=issueMessage",
    "assigneeID=me",
    "snoozed=false",
    "open=true&olderThan=2h",
    "open=1",
  ])
    expect((await scene.world.call(customer, "GET", `/api/v2/issue?${bad}`)).status, bad).toBe(400);
  const log = await scene.must(
    customer,
    "GET",
    `/api/v2/issue?ownerID=${branch.id}&tag=north&olderThan=1h&includeTotals=true`,
  );
  expect(log.body).toEqual({ objects: [], total: 0 });
});

test("assigning requires the right to edit the sensor, and a login that may view it", async () => {
  await renew();
  const { id, issue } = await covered(customer);
  const login = await scene.loginOf(viewer);
  const refused = await scene.change(viewer, { ids: [issue] }, { assigneeID: login });
  expect(refused.body).toMatchObject({
    success: 0,
    fail: [
      {
        id: issue,
        errMessage: "No permission to edit the given entity.",
        details: { reason: "You can't edit this sensor." },
      },
    ],
  });
  const hidden = await scene.change(stranger, { ids: [issue] }, { note: "?" });
  expect(hidden.body).toMatchObject({ success: 0, fail: [{ id: issue, errMessage: "Not found." }] });
  const foreign = await scene.loginOf(stranger);
  for (const assigneeID of [foreign, "01a400bf-4780-761d-acf0-ccdff29cf9f8"]) {
    const reply = await scene.change(customer, { ids: [issue] }, { assigneeID });
    expect([reply.status, reply.at("details.reason")]).toEqual([
      400,
      "This login doesn't exist, or you can't view its account.",
    ]);
  }
  const blind = await scene.account("Blind", customer, { owner: { canViewOwner: { me: true } } });
  const cannot = await scene.change(customer, { ids: [issue] }, { assigneeID: await scene.loginOf(blind) });
  expect(cannot.at("fail.0.details.reason")).toBe(`${blind.email} can't view this sensor.`);
  const offered = await scene.must(customer, "GET", `/api/v2/issue/assignees?ids=${issue}`);
  expect((offered.body as { objects: { email: string }[] }).objects.map(({ email }) => email)).toEqual([
    customer.email,
    viewer.email,
  ]);
  const some = await scene.must(customer, "GET", `/api/v2/issue/assignees?ids=${issue}&search=helper`);
  expect(some.body).toMatchObject({ objects: [{ _id: login, account: { _id: viewer.id } }], hasMore: false });

  await scene.mailbox.take();
  const done = await scene.change(customer, { ids: [issue] }, { assigneeID: login, note: "Please look" });
  expect(done.body).toMatchObject({ success: 1, fail: [] });
  await scene.change(customer, { ids: [issue] }, { assigneeID: login });
  await scene.later(minute);
  expect((await scene.open(customer, `assigneeID=${login}`)).objects).toMatchObject([
    { assignee: { _id: login, email: viewer.email, account: { _id: viewer.id } }, note: { text: "Please look" } },
  ]);
  expect(await scene.sensors(viewer, "assigneeID=me")).toEqual([id]);
  expect(await scene.sensors(customer, "assigneeID=none")).toEqual([]);
  expect(await audited(customer, id)).toEqual(expect.arrayContaining(["assignIssue", "addIssueNote"]));
  expect(await mailed(viewer)).toEqual([`${customer.name} assigned you an issue`]);
  await scene.change(customer, { ids: [issue] }, { assigneeID: null });
  expect((await scene.open(customer)).objects[0]?.assignee).toBeNull();
});

test("a snooze hides the issue until its instant, and ends when the issue gets worse", async () => {
  await renew();
  const { id, issue } = await covered(customer);
  for (const [until, reason] of [
    [0, "Choose a time in the future."],
    [366 * day + 1, "An issue can be snoozed for at most one year."],
  ] as const) {
    const snoozedUntil = new Date(scene.now() + until).toISOString();
    expect((await scene.change(customer, { ids: [issue] }, { snoozedUntil })).at("details.reason")).toBe(reason);
  }
  const snoozedUntil = new Date(scene.now() + day).toISOString();
  await scene.change(customer, { ids: [issue] }, { snoozedUntil });
  expect(await scene.open(customer)).toEqual({ objects: [], total: 0, changesAt: snoozedUntil });
  expect((await scene.open(customer, "snoozed=true")).objects).toMatchObject([
    { snoozedUntil, data: { acknowledgedAt: null } },
  ]);
  expect(await scene.sensors(customer, "snoozed=true&snoozed=false")).toEqual([id]);
  expect(await scene.count(customer)).toEqual({ errors: 0, warnings: 0, snoozed: 1, changesAt: snoozedUntil });
  await scene.later(day - 1);
  expect(await scene.sensors(customer)).toEqual([]);
  await scene.later(1);
  expect(await scene.sensors(customer)).toEqual([id]);
  expect(await scene.count(customer)).toMatchObject({ warnings: 1, snoozed: 0, changesAt: null });

  const login = await scene.loginOf(viewer);
  const again = new Date(scene.now() + 30 * day).toISOString();
  await scene.change(customer, { ids: [issue] }, { snoozedUntil: again, assigneeID: login, note: "Ladder ordered" });
  expect(await scene.sensors(customer)).toEqual([]);
  await scene.later(2 * day);
  const [worse] = (await scene.open(customer)).objects;
  expect(worse).toMatchObject({
    data: { issueStatus: "Error" },
    snoozedUntil: null,
    assignee: { _id: login },
    note: { text: "Ladder ordered", by: { _id: customer.id, email: customer.email } },
  });
  await scene.change(customer, { ids: [worse?.id] }, { snoozedUntil: again });
  await scene.cover(id, 0);
  await scene.later(minute);
  expect(await scene.sensors(customer, "snoozed=true&snoozed=false")).toEqual([]);
  const log = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}`);
  expect(log.body).toMatchObject({
    objects: [
      { data: { issueStatus: "Ok" }, note: { text: "Ladder ordered" }, assignee: null, since: null },
      { data: { issueStatus: "Error" }, notesCount: 1 },
      { data: { issueStatus: "Warning" }, notesCount: 1 },
    ],
  });
  await scene.cover(id);
  await scene.later(minute);
  expect((await scene.open(customer)).objects).toMatchObject([{ assignee: null, note: null, snoozedUntil: null }]);
});

test("an entry of a log that is no open issue is refused with the reason, without revealing hidden sensors", async () => {
  await renew();
  const { id, issue } = await covered(customer);
  const snoozedUntil = new Date(scene.now() + 30 * day).toISOString();
  const reasonFor = async (who: Person, entry: string) => {
    const { body } = await scene.change(who, { ids: [entry] }, { snoozedUntil });
    const [fail] = (body as { fail: { errMessage: string; details?: { reason: string } }[] }).fail;
    return fail && (fail.details?.reason ?? fail.errMessage);
  };
  const hidden = "You can't view this sensor.";
  const passerBy = await scene.account("Passer-by", customer, {
    ownable: { measurement: { canViewObject: { relativeAncestorLevel: 1 } } },
  });
  expect(await reasonFor(passerBy, issue)).toBe(hidden);
  await scene.later(3 * day);
  expect(await reasonFor(customer, issue)).toBe("This issue has changed since. Try again with its latest entry.");
  const [worse] = (await scene.open(customer)).objects;
  await scene.cover(id, 0);
  await scene.later(minute);
  const log = await scene.must(customer, "GET", `/api/v2/issue?sensorIDs=${id}`);
  const ids = (log.body as { objects: { id: string }[] }).objects.map((entry) => entry.id);
  expect(ids).toHaveLength(3);
  for (const entry of ids) {
    expect(await reasonFor(customer, entry)).toBe("This issue is no longer open.");
    expect(await reasonFor(passerBy, entry)).toBe(hidden);
    expect(await reasonFor(stranger, entry)).toBe("Not found.");
  }
  expect(await reasonFor(customer, crypto.randomUUID())).toBe("Not found.");
  expect(await reasonFor(customer, "no id")).toBe("Not found.");
  await scene.cover(id);
  await scene.later(minute);
  const [last] = (await scene.open(customer)).objects;
  const next = await scene.account("Next owner", customer);
  await scene.later(minute);
  await scene.must(customer, "PUT", `/api/sensor/${id}`, { body: { owner: next.id } });
  for (const evaluated of [false, true]) {
    if (evaluated) await scene.later(minute);
    for (const entry of [last?.id, worse?.id]) {
      expect(await reasonFor(customer, entry ?? "")).toBe("This issue is from before the sensor changed its owner.");
      expect(await reasonFor(passerBy, entry ?? "")).toBe(hidden);
      expect(await reasonFor(next, entry ?? "")).toBe("Not found.");
    }
  }
});

test("a batch by query changes what it matches, names failures, and can be undone", async () => {
  await renew();
  const [one, two, three] = [await covered(customer), await covered(customer), await covered(customer)];
  const login = await scene.loginOf(viewer);
  const before = new Date(scene.now() + day).toISOString();
  await scene.change(customer, { ids: [one.issue] }, { snoozedUntil: before });
  expect((await scene.change(customer, { query: { open: true } }, { note: "x" })).status).toBe(400);
  for (const changes of [{}, { note: "" }, { note: "x".repeat(2001) }, { assigneeID: "x" }, { color: 1 }])
    expect((await scene.change(customer, { ids: [one.issue] }, changes)).status, JSON.stringify(changes)).toBe(400);
  const query = { snoozed: [true, false], exclude: [three.issue] };
  const wrong = await scene.change(customer, { query, expectedCount: 3 }, { assigneeID: login });
  expect([wrong.status, wrong.at("details.count")]).toEqual([409, 2]);
  await scene.mailbox.take();
  const snoozedUntil = new Date(scene.now() + 7 * day).toISOString();
  const changes = { assigneeID: login, note: "Both", snoozedUntil };
  const headers = { "idempotency-key": `batch ${serial}` };
  const body = { query, expectedCount: 2, changes };
  const done = await scene.world.call(customer, "PUT", "/api/v2/issue", { body, headers });
  expect(done.body).toMatchObject({ success: 2, fail: [] });
  expect((await scene.world.call(customer, "PUT", "/api/v2/issue", { body, headers })).body).toEqual(done.body);
  expect((await scene.open(customer, "snoozed=true")).objects).toMatchObject([
    { sens: one.id, snoozedUntil, notesCount: 1 },
    { sens: two.id, snoozedUntil, notesCount: 1 },
  ]);
  const later = new Date(scene.now() + 9 * day).toISOString();
  await scene.change(customer, { ids: [two.issue] }, { snoozedUntil: later });
  const undo = (who: Person) =>
    scene.world.call(who, "PUT", "/api/v2/issue/undo", { body: { undoIDs: [done.at("undoID")] } });
  expect((await undo(stranger)).body).toEqual({ success: 0, fail: [] });
  expect((await undo(customer)).body).toEqual({
    success: 1,
    fail: [{ id: two.issue, errMessage: "Changed meanwhile." }],
  });
  expect((await scene.open(customer, "snoozed=true")).objects).toMatchObject([
    { sens: one.id, snoozedUntil: before, assignee: null, notesCount: 0 },
    { sens: two.id, snoozedUntil: later, assignee: { _id: login } },
  ]);
  await scene.later(minute);
  expect(await mailed(viewer)).toEqual([`${customer.name} assigned you 2 issues`]);
});

test("acknowledging by the filters of open issues changes only those", async () => {
  await renew();
  const [one, two] = [await covered(customer), await covered(customer)];
  await scene.change(customer, { ids: [one.issue] }, { snoozedUntil: new Date(scene.now() + day).toISOString() });
  const done = await scene.world.call(customer, "PUT", "/api/datapoints", {
    body: {
      query: { open: true, ownerID: customer.id },
      expectedCount: 1,
      changes: { data: { acknowledgedAt: new Date().toISOString() } },
    },
  });
  expect(done.body).toEqual({ success: 1, fail: [] });
  expect(await scene.sensors(customer, "acknowledged=true&snoozed=true&snoozed=false")).toEqual([two.id]);
});

test("a new owner gets nothing of the former owner's work", async () => {
  await renew();
  const next = await scene.account("Next", scene.world.root);
  const { id, issue, location } = await covered(customer);
  const login = await scene.loginOf(viewer);
  const snoozedUntil = new Date(scene.now() + day).toISOString();
  await scene.change(customer, { ids: [issue] }, { assigneeID: login, note: "Internal", snoozedUntil });
  await scene.must(scene.world.root, "PUT", `/api/measurement/${location}`, { body: { owner: next.id } });
  await scene.must(scene.world.root, "PUT", `/api/sensor/${id}`, { body: { owner: next.id } });
  expect((await scene.open(next, "snoozed=true&snoozed=false")).total).toBe(0);
  expect((await scene.open(customer, "snoozed=true&snoozed=false")).total).toBe(0);
  // The location's log still shows the entry, but not what the former owner wrote.
  const log = await scene.must(next, "GET", `/api/v2/issue?measID=${location}`);
  expect(log.body).toMatchObject({ objects: [{ note: null, notesCount: 0, assignee: null, snoozedUntil: null }] });
  expect((await scene.must(next, "GET", `/api/v2/issue/${issue}`)).body).toMatchObject({ notes: [], note: null });
  expect(JSON.stringify((await scene.must(next, "GET", `/api/v2/audit?objectID=${id}`)).body)).not.toContain("Issue");
  await scene.later(minute);
  await scene.cover(id);
  await scene.later(4 * day);
  expect((await scene.open(next)).objects).toMatchObject([{ sens: id, assignee: null, note: null }]);
});

test("an assignment ends with the login, and with its right to view the sensor", async () => {
  await renew();
  const helper = await scene.account("Second helper", customer, readsParent);
  const [one, two] = [await covered(customer), await covered(customer)];
  await scene.change(customer, { ids: [one.issue] }, { assigneeID: await scene.loginOf(viewer) });
  await scene.change(customer, { ids: [two.issue] }, { assigneeID: await scene.loginOf(helper) });
  scene.forget(viewer);
  const { db } = scene.world.ctx;
  await db.updateTable("credential").set({ is_deleted: true }).where("account_id", "=", viewer.id).execute();
  expect(await scene.sensors(customer, "assigneeID=none")).toEqual([one.id]);
  const permissions = { owner: { canViewOwner: { me: true } } };
  await scene.must(scene.world.root, "PUT", `/api/role/${helper.roleId}`, { body: { permissions } });
  const login = await scene.loginOf(helper);
  expect((await scene.open(customer, `sensorIDs=${two.id}`)).objects[0]?.assignee).toBeNull();
  expect(await scene.sensors(customer, `assigneeID=${login}`)).toEqual([]);
  await scene.later(minute);
  expect(await scene.sensors(customer, "assigneeID=none")).toEqual([one.id, two.id]);
});

test("viewers' open pages are notified of work on an issue; strangers' pages are not", async () => {
  await renew();
  const { issue } = await covered(customer);
  const [seen, unseen] = [await scene.world.live(viewer), await scene.world.live(stranger)];
  await scene.change(customer, { ids: [issue] }, { note: "Secret words" });
  const heard = await seen.heard("issue", "update", issue);
  expect(JSON.stringify(heard)).not.toContain("Secret words");
  const own = await scene.must(stranger, "POST", "/api/measurement", { body: { name: "Own", owner: stranger.id } });
  await unseen.heard("measurement", "create", own.id);
  expect(unseen.frames.filter(({ type }) => type === "issue")).toEqual([]);
});

const deleteLogin = (login: string, db = scene.world.ctx.db) =>
  db.updateTable("credential").set({ is_deleted: true }).where("id", "=", login).execute();
/** The stored assignee, also one that is not shown. */
async function assigneeOf(id: string): Promise<string | null> {
  const { rows } = await sql<{ assignee: string | null }>`
    select assignee_id as assignee from sensor_issue where sensor_id = ${id}`.execute(scene.world.ctx.db);
  return rows[0]?.assignee ?? null;
}

test("to callers who may not see the assignee, an issue is assigned to no one", async () => {
  await renew();
  const { id, issue } = await covered(customer);
  await scene.change(customer, { ids: [issue] }, { assigneeID: await scene.loginOf(customer) });
  expect((await scene.open(viewer)).objects[0]?.assignee).toBeNull();
  expect(await scene.sensors(viewer, "assigneeID=none")).toEqual([id]);
  expect(await scene.sensors(customer, "assigneeID=none")).toEqual([]);
});

test("undo does not assign to a login that was deleted or lost the right to view the sensor", async () => {
  await renew();
  const helper = await scene.account("Third helper", customer, readsParent);
  const [one, two] = [await covered(customer), await covered(customer)];
  const [first, second] = [await scene.loginOf(viewer), await scene.loginOf(helper)];
  await scene.change(customer, { ids: [one.issue] }, { assigneeID: first });
  await scene.change(customer, { ids: [two.issue] }, { assigneeID: second });
  const own = await scene.loginOf(customer);
  const done = await scene.change(customer, { ids: [one.issue, two.issue] }, { assigneeID: own });
  scene.forget(viewer);
  await deleteLogin(first);
  const permissions = { owner: { canViewOwner: { me: true } } };
  await scene.must(scene.world.root, "PUT", `/api/role/${helper.roleId}`, { body: { permissions } });
  const undone = await scene.world.call(customer, "PUT", "/api/v2/issue/undo", {
    body: { undoIDs: [done.at("undoID")] },
  });
  expect(undone.body).toEqual({ success: 2, fail: [] });
  expect([await assigneeOf(one.id), await assigneeOf(two.id)]).toEqual([null, null]);
});

test("assigning waits for the deletion of the login, and is then refused", async () => {
  await renew();
  const { id, issue } = await covered(customer);
  const login = await scene.loginOf(viewer);
  scene.forget(viewer);
  const { db } = scene.world.ctx;
  const { reply } = await db.transaction().execute(async (tx) => {
    await deleteLogin(login, tx);
    const change = scene.change(customer, { ids: [issue] }, { assigneeID: login });
    await Promise.race([untilSomebodyWaits(db), change]);
    return { reply: change };
  });
  expect((await reply).status).toBe(400);
  expect(await assigneeOf(id)).toBeNull();
});

test("the check of assignments is repeated after a failure, and every hour", async () => {
  await renew();
  const { id } = await covered(customer);
  const login = await scene.loginOf(viewer);
  scene.forget(viewer);
  await deleteLogin(login);
  const { ctx } = scene.world;
  const job = monitoringJob(ctx);
  const run = () => job.run(new AbortController().signal);
  const assign = () => sql`update sensor_issue set assignee_id = ${login} where sensor_id = ${id}`.execute(ctx.db);
  await assign();
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(
    ctx.db,
  );
  await sql`create trigger refuse before update of assignee_id on sensor_issue for each row execute function refuse()`.execute(
    ctx.db,
  );
  await expect(run()).rejects.toThrow("refused");
  await sql`drop function refuse cascade`.execute(ctx.db);
  await run();
  expect(await assigneeOf(id)).toBeNull();
  await assign();
  ctx.clock.moveTo(ctx.clock.now() + 60 * minute - 1);
  await run();
  expect(await assigneeOf(id)).toBe(login);
  ctx.clock.moveTo(ctx.clock.now() + 1);
  await run();
  expect(await assigneeOf(id)).toBeNull();
  await scene.later(61 * minute);
});

test("a note is added to at most 1,000 issues at once", async () => {
  await renew();
  const { id, issue } = await covered(customer);
  const ids = [issue, ...Array.from({ length: 1000 }, () => crypto.randomUUID())];
  const refused = await scene.change(customer, { ids }, { note: "Everywhere" });
  expect([refused.status, refused.at("details.reason")]).toEqual([
    400,
    "You can add a note to at most 1000 issues at once.",
  ]);
  expect((await scene.open(customer, `sensorIDs=${id}`)).objects[0]?.notesCount).toBe(0);
  expect((await scene.change(customer, { ids: ids.slice(0, 1000) }, { note: "Here" })).at("success")).toBe(1);
  expect((await scene.change(customer, { ids }, { assigneeID: null })).at("success")).toBe(1);
});
