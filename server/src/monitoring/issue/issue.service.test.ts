// Tests the issue log, the list of problems, and acknowledging over HTTP (MO-04, MO-05, DB-02).
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requestDeviceChecks } from "../../device/device-check.store.ts";
import { saveDeadLetters } from "../../device/record/dead-letter.store.ts";
import type { Person } from "../../testing/world.ts";
import {
  configWith,
  createMonitoringScene,
  type MonitoringScene,
  quarterMs,
  createHealthSlice,
} from "../../testing/scenes/monitoring-scene.ts";

let scene: MonitoringScene;
let customer: Person;
let viewer: Person;
let now = Date.parse("2027-03-01T11:00:00.000Z");
let serial = 0;
let unit = 0;

beforeAll(async () => {
  scene = await createMonitoringScene();
  await scene.pass(now);
});
afterAll(() => scene.stop());
beforeEach(async () => {
  customer = await scene.world.account(`Harbour Stores ${(serial += 1)}`, scene.world.root, fullPermissions);
  const near = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  viewer = await scene.world.account(`Viewer ${serial}`, customer, { ownable: { sensor: near, measurement: near } });
});

async function pass(ms: number) {
  now += ms;
  await scene.pass(now, customer, viewer);
}
type Entry = {
  id: string;
  sens: string;
  owner: { _id: string } | null;
  data: { issueType: string; issueStatus: string; acknowledgedAt: string | null };
};
async function list(who: Person, query: string): Promise<Entry[]> {
  const { body } = await scene.must(who, "GET", `/api/v2/issue?${query}`);
  return (body as { objects: Entry[] }).objects;
}
const acknowledge = (who: Person, body: object) =>
  scene.world.call(who, "PUT", "/api/datapoints", {
    body: { changes: { data: { acknowledgedAt: "2020-01-01T00:00:00.000Z" } }, ...body },
  });

/** The first sensor is obstructed; the second rebooted and was reset. */
async function withIssues() {
  const place = await scene.location(customer, "Harbour Shop", configWith(), [52.52, 13.4]);
  const ids = [0, 1].map(() => toMac(0x0200_0000_0300 + (unit += 1)));
  const [one = "", two = ""] = ids;
  for (const id of ids) await scene.sensor(customer, id, place);
  await scene.deliver(one, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 0, to: 1 }]);
  const s = Math.floor(now / quarterMs) * quarterMs - 2 * quarterMs;
  await scene.deliver(two, [createHealthSlice(s, { reboots: { crash: 5 }, wd: 1 })]);
  await pass(60_000);
  return { place, one, two };
}

test("MO-04 the log is filtered, sorted by severity and paged; strangers see nothing", async () => {
  const { place, one, two } = await withIssues();
  const all = await list(customer, `measID=${place}&sortBy=-issueStatus`);
  expect(all.map(({ sens, data }) => [sens, data.issueType, data.issueStatus])).toEqual([
    [two, "reboot", "Error"],
    [expect.anything(), expect.anything(), "Warning"],
    [expect.anything(), expect.anything(), "Warning"],
  ]);
  const types = async (query: string) =>
    (await list(customer, `measID=${place}&${query}`)).map(({ data }) => data.issueType);
  expect(await types("issueStatus=Warning&sortBy=issueType")).toEqual(["osd", "watchdog"]);
  expect(await types("issueType=osd&issueType=reboot&sortBy=-issueType")).toEqual(["reboot", "osd"]);
  expect(await types(`sensorIDs=${one}`)).toEqual(["osd"]);
  expect(await types("acknowledged=true")).toEqual([]);
  expect(await types(`to=${encodeURIComponent(new Date(now - 60_000).toISOString())}`)).toEqual([]);
  const page = await scene.must(customer, "GET", `/api/v2/issue?measID=${place}&limit=1&skip=1&includeTotals=true`);
  expect(page.body).toMatchObject({ total: 3, objects: [{}] });
  const other = await scene.world.account(`Stranger ${serial}`, scene.world.root, fullPermissions);
  expect(await list(other, `measID=${place}`)).toEqual([]);
  const entry = all[0]?.id ?? "";
  expect((await scene.world.call(other, "GET", `/api/v2/issue/${entry}`)).status).toBe(404);
  for (const bad of ["issueStatus=ok", "sortBy=data", "limit=0", "acknowledged=1", "color=red"])
    expect((await scene.world.call(customer, "GET", `/api/v2/issue?${bad}`)).status, bad).toBe(400);
});

test("MO-05 only warnings and errors are acknowledged, by the server's time, for good", async () => {
  const { place, one } = await withIssues();
  const [entry] = await list(customer, `sensorIDs=${one}`);
  const done = await acknowledge(customer, { ids: [entry?.id, entry?.id?.toUpperCase()] });
  expect([done.status, done.body]).toEqual([200, { success: 1, fail: [] }]);
  const [after] = await list(customer, `sensorIDs=${one}`);
  expect(after?.data.acknowledgedAt).toBe(new Date(now).toISOString());
  await pass(60_000);
  expect((await acknowledge(customer, { ids: [entry?.id] })).body).toEqual({ success: 1, fail: [] });
  expect((await list(customer, `sensorIDs=${one}`))[0]?.data.acknowledgedAt).toBe(after?.data.acknowledgedAt);
  for (const changes of [{ data: { acknowledgedAt: null } }, { data: {} }, { data: { issueStatus: "Ok" } }, {}])
    expect((await acknowledge(customer, { ids: [entry?.id], changes })).status).toBe(400);
  await scene.deliver(one, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 1, to: 0 }]);
  await pass(60_000);
  const [recovery] = await list(customer, `sensorIDs=${one}&issueStatus=Ok`);
  const refused = await acknowledge(customer, { ids: [recovery?.id, "01a400bf-4780-761d-acf0-ccdff29cf9f8"] });
  expect(refused.body).toMatchObject({
    success: 0,
    fail: [{ id: recovery?.id, errMessage: "An invalid argument was given." }, { errMessage: "Not found." }],
  });
  const trail = await scene.must(customer, "GET", `/api/v2/audit?limit=100`);
  expect(
    (trail.body as { objects: { action: string }[] }).objects.filter(({ action }) => action === "acknowledge"),
  ).toHaveLength(1);
  expect(place).not.toBe("");
});

test("MO-05 by query: filters minus exclusions; without edit rights refused", async () => {
  const { place, two } = await withIssues();
  expect((await acknowledge(customer, { query: {} })).status).toBe(400);
  expect((await acknowledge(customer, { ids: [], query: { measID: place } })).status).toBe(400);
  const seen = await acknowledge(viewer, { query: { measID: place } });
  expect(seen.body).toMatchObject({ success: 0, fail: [{}, {}, {}] });
  expect((seen.body as { fail: { errMessage: string }[] }).fail[0]?.errMessage).toBe(
    "No permission to edit the given entity.",
  );
  const [reboot] = await list(customer, `sensorIDs=${two}&issueType=reboot`);
  const wrong = await acknowledge(customer, { query: { measID: place }, expectedCount: 7 });
  expect([wrong.status, wrong.at("details.count")]).toEqual([409, 3]);
  const done = await acknowledge(customer, {
    query: { measID: place, issueStatus: ["Warning", "Error"], acknowledged: false, exclude: [reboot?.id] },
    expectedCount: 2,
  });
  expect(done.body).toEqual({ success: 2, fail: [] });
  expect((await list(customer, `measID=${place}&acknowledged=false`)).map(({ id }) => id)).toEqual([reboot?.id]);
});

test("MO-05 problems are open issues; one or all can be marked solved", async () => {
  const { place, one, two } = await withIssues();
  const problems = async (who: Person) =>
    (await scene.must(who, "GET", "/api/error")).body as (Entry & { measurement: unknown })[];
  const open = await problems(customer);
  expect(open.map(({ sens, data }) => `${sens} ${data.issueType}`).toSorted()).toEqual([
    `${one} osd`,
    `${two} reboot`,
    `${two} watchdog`,
  ]);
  expect(open[0]?.measurement).toEqual({ _id: place, name: "Harbour Shop" });
  const osd = open.find(({ data }) => data.issueType === "osd")?.id;
  expect((await scene.world.call(viewer, "PUT", `/api/error/${osd}`)).at("code")).toBe(305);
  const solved = await scene.must(customer, "PUT", `/api/error/${osd}`);
  expect(solved.body).toMatchObject({ id: osd, data: { acknowledgedAt: new Date(now).toISOString() } });
  expect(await problems(customer)).toHaveLength(3);
  expect((await scene.must(customer, "PUT", "/api/error")).body).toEqual({ success: 2, fail: [] });
  expect((await problems(customer)).every(({ data }) => data.acknowledgedAt !== null)).toBe(true);
  await scene.deliver(one, [{ t: "event", kind: "osd", s: now, e: now, at: now, from: 1, to: 0 }]);
  await pass(60_000);
  expect((await problems(customer)).map(({ sens }) => sens)).toEqual([two, two]);
  expect((await scene.world.call(customer, "PUT", "/api/error/01a400bf-4780-761d-acf0-ccdff29cf9f8")).status).toBe(404);
});

test("DB-02 sensors with issues, most first; acknowledged ones on request", async () => {
  const { one, two } = await withIssues();
  type Row = { sens: string; issues: { issueType: string; issueStatus: string }[] };
  const rows = async (query = "") =>
    (await scene.must(customer, "GET", `/api/v2/issue/by-sensor?includeTotals=true${query}`)).body as {
      objects: Row[];
      total: number;
      totalByStatus: object;
    };
  const first = await rows();
  expect(first).toMatchObject({ total: 2, totalByStatus: { Warning: 2, Error: 1 } });
  expect(
    first.objects.map(({ sens, issues }) => [
      sens,
      issues.map(({ issueType, issueStatus }) => `${issueType} ${issueStatus}`),
    ]),
  ).toEqual([
    [two, ["reboot Error", "watchdog Warning"]],
    [one, ["osd Warning"]],
  ]);
  await acknowledge(customer, { query: { sensorIDs: two } });
  expect((await rows()).objects.map(({ sens }) => sens)).toEqual([one]);
  expect((await rows("&acknowledged=true")).total).toBe(2);
  expect(await rows("&skip=5")).toMatchObject({ total: 1, totalByStatus: { Warning: 1, Error: 0 } });
});

test("DB-02 MO-04 dashboard and sensor list count the same sensors with open issues", async () => {
  const { place, one, two } = await withIssues();
  const below = await scene.world.account(`Branch ${serial}`, customer, fullPermissions);
  const inBranch = await scene.location(below, "Branch Shop", configWith());
  const ids = [0, 1, 2, 3].map(() => toMac(0x0200_0000_0500 + (unit += 1)));
  const [branch = "", unlicensed = "", moved = "", healthy = ""] = ids;
  await scene.sensor(below, branch, inBranch);
  await scene.sensor(customer, unlicensed, place);
  await scene.sensor(below, moved, place);
  await scene.sensor(customer, healthy, place);
  const covered = { t: "event", kind: "osd", s: now, e: now, at: now, from: 0, to: 1 } as const;
  for (const id of [branch, unlicensed, moved]) await scene.deliver(id, [covered]);
  await pass(60_000);
  await scene.must(scene.world.root, "PUT", `/api/sensor/${unlicensed}/licenses`, { body: { monitoring: false } });
  await pass(60_000);
  // The sensor stays at the customer's location, so the customer may still read its issues there.
  await scene.must(scene.world.root, "PUT", `/api/sensor/${moved}`, { body: { owner: customer.id, measID: place } });
  const [watchdog] = await list(customer, `sensorIDs=${two}&issueType=watchdog`);
  await acknowledge(customer, { ids: [watchdog?.id] });
  const blind = await scene.world.account(`Blind ${serial}`, customer, {
    ownable: { sensor: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  const keeper = await scene.world.account(`Keeper ${serial}`, customer, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  type Row = { _id: string; sens: string; openIssues: { issueType: string; isAcknowledged: boolean }[] };
  const rows = async (who: Person, path: string) =>
    (await scene.must(who, "GET", `${path}includeTotals=true&limit=100`)).body as {
      objects: Row[];
      total: number;
      totalByStatus?: Record<"Warning" | "Error", number>;
    };
  const both = async (who: Person, isWithAcknowledged: boolean) => {
    const tile = await rows(who, `/api/v2/issue/by-sensor?${isWithAcknowledged ? "acknowledged=true&" : ""}`);
    const found = await rows(
      who,
      `/api/v2/sensor?issueStatus=Warning&issueStatus=Error&${isWithAcknowledged ? "" : "acknowledged=false&"}`,
    );
    const ids = found.objects.map(({ _id }) => _id);
    expect([tile.total, tile.objects.map(({ sens }) => sens).toSorted()]).toEqual([found.total, ids]);
    for (const status of ["Warning", "Error"] as const) {
      const some = await rows(
        who,
        `/api/v2/sensor?issueStatus=${status}&${isWithAcknowledged ? "" : "acknowledged=false&"}`,
      );
      expect(tile.totalByStatus?.[status]).toBe(some.total);
    }
    for (const { openIssues } of found.objects)
      expect(openIssues.some(({ isAcknowledged }) => isWithAcknowledged || !isAcknowledged)).toBe(true);
    return ids;
  };
  for (const who of [customer, below, viewer, blind, keeper, scene.world.root])
    for (const isWithAcknowledged of [false, true]) await both(who, isWithAcknowledged);
  expect(await both(customer, false)).toEqual([one, two, branch, moved].toSorted());
  expect(await both(keeper, false)).toEqual([]);
  expect(await both(blind, false)).toEqual([one, two]);
  await acknowledge(customer, { query: { sensorIDs: two } });
  expect(await both(customer, false)).toEqual([one, branch, moved].toSorted());
  expect(await both(customer, true)).toContain(two);
  const acknowledged = await rows(customer, "/api/v2/sensor?acknowledged=true&");
  expect(acknowledged.objects.map(({ _id, openIssues }) => [_id, openIssues])).toEqual([
    [
      two,
      [
        { issueType: "reboot", issueStatus: "Error", isAcknowledged: true },
        { issueType: "watchdog", issueStatus: "Warning", isAcknowledged: true },
      ],
    ],
  ]);
});

test("DB-03 MO-04 lists show and filter the worst open issue; maps get the locations", async () => {
  const { place, one, two } = await withIssues();
  const ids = async (query: string) =>
    ((await scene.must(customer, "GET", `/api/v2/sensor?${query}`)).body as { objects: { _id: string }[] }).objects.map(
      ({ _id }) => _id,
    );
  expect(await ids("issueStatus=Error")).toEqual([two]);
  expect(await ids("issueStatus=Warning&issueStatus=Error")).toEqual([one, two]);
  expect((await scene.world.call(customer, "GET", "/api/v2/sensor?issueStatus=Ok")).status).toBe(400);
  expect((await scene.must(customer, "GET", `/api/sensor/${one}`)).body).toMatchObject({ issueStatus: "Warning" });
  const [location] = (await scene.must(customer, "GET", "/api/v2/measurement")).list;
  expect(location).toMatchObject({ _id: place, issueStatus: "Error" });
  expect((await scene.must(customer, "GET", "/api/v2/issue/by-location")).body).toEqual([
    { _id: place, issueStatus: "Error" },
  ]);
  await pass(25 * 3_600_000);
  expect((await scene.must(customer, "GET", `/api/measurement/${place}`)).body).toMatchObject({
    issueStatus: "Warning",
  });
  const stranger = await scene.world.account(`Outsider ${serial}`, scene.world.root, fullPermissions);
  expect((await scene.must(stranger, "GET", "/api/v2/issue/by-location")).body).toEqual([]);
});

test("MO-04 rejected data without license is an issue without mails, shown to editors", async () => {
  const place = await scene.location(customer, "Back Door", null);
  const id = toMac(0x0200_0000_0400 + (unit += 1));
  await scene.must(scene.world.root, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type: "APS" } });
  await scene.must(scene.world.root, "PUT", `/api/sensor/${id}`, { body: { measID: place } });
  const sensor = { id, num: await scene.numOf(id) };
  const record = { q: 1, t: "count", lines: "none" };
  const letters = [1, 2, 3].map((q) => ({
    sensor,
    ep: "e",
    q,
    reason: "lines: expected array",
    record: { ...record, q },
  }));
  await scene.world.ctx.db.transaction().execute(async (tx) => {
    await saveDeadLetters(tx, now, letters);
    await requestDeviceChecks(tx, [sensor.num], new Date(now));
  });
  await pass(60_000);
  expect(await list(customer, `sensorIDs=${id}`)).toMatchObject([
    { data: { issueType: "data", issueStatus: "Warning", issueMessage: "3 records rejected in 24 hours" } },
  ]);
  expect((await scene.must(customer, "GET", `/api/sensor/${id}`)).body).toMatchObject({ issueStatus: "Warning" });
  expect((await scene.mailbox.take()).filter(({ text }) => text?.includes(id))).toEqual([]);
  const problems = (who: Person, query: string) =>
    scene.world.call(who, "GET", `/api/v2/data-problem?${query}`).then(({ body }) => body);
  const at = new Date(now - 60_000).toISOString();
  const problem = (example: unknown) => [
    {
      sens: id,
      rejected: {
        count: 3,
        since: at,
        reasons: [{ reason: "lines: expected array", count: 3 }],
        last: { at, reason: "lines: expected array", record: example },
      },
      clockOffMs: null,
      restartedAt: null,
      identity: null,
    },
  ];
  expect(await problems(customer, `sens=${id}`)).toEqual(problem({ ...record, q: 3 }));
  expect(await problems(customer, `measID=${place}`)).toEqual(problem({ ...record, q: 3 }));
  expect(await problems(viewer, `measID=${place}`)).toEqual(problem(null));
  const stranger = await scene.world.account(`Neighbor ${serial}`, scene.world.root, fullPermissions);
  for (const query of [`sens=${id}`, `measID=${place}`]) expect(await problems(stranger, query)).toEqual([]);
  for (const query of ["", `sens=${id}&measID=${place}`, "sens=x", "all=true"])
    expect((await scene.world.call(customer, "GET", `/api/v2/data-problem?${query}`)).status, query).toBe(400);
});

test("the log of a location hides the present owner of a sensor that the caller may not view", async () => {
  const { place, one } = await withIssues();
  const next = await scene.world.account(`Branch ${serial}`, customer, fullPermissions);
  const own = { canViewObject: { me: true } };
  const permissions = { owner: fullPermissions.owner, ownable: { sensor: own, measurement: own } };
  await scene.must(scene.world.root, "PUT", `/api/role/${customer.roleId}`, { body: { permissions } });
  const owner = async () => (await list(customer, `sensorIDs=${one}`))[0]?.owner;
  expect(await owner()).toMatchObject({ _id: customer.id });
  await scene.must(scene.world.root, "PUT", `/api/sensor/${one}`, { body: { owner: next.id } });
  expect((await scene.must(customer, "GET", `/api/account/${next.id}`)).status).toBe(200);
  expect(await owner()).toBeNull();
  const [entry] = await list(customer, `measID=${place}&sensorIDs=${one}`);
  expect((await scene.must(customer, "GET", `/api/v2/issue/${entry?.id}`)).at("owner")).toBeNull();
  const found = await scene.must(customer, "GET", `/api/v2/issue?ownerID=${next.id}&includeTotals=true`);
  expect(found.body).toEqual({ objects: [], total: 0 });
  const changed = await acknowledge(customer, { query: { ownerID: next.id }, expectedCount: 0 });
  expect(changed.body).toEqual({ success: 0, fail: [] });
});
