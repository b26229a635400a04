// What each account of a tree finds on the pages Customers, Issues and Vehicles, by API and live, compared with the oracle.
import { customerSorts } from "@psp/contract/customer/trouble.ts";
import { errorCode, errorEntry } from "@psp/contract/errors.ts";
import { everyNth, rounds } from "@psp/contract/kit/rounds.testing.ts";
import { mayDo } from "@psp/contract/permission/oracle.testing.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { customerTotalsJob } from "../customer/totals.job.ts";
import { forEachAtOnce } from "../testing/at-once.ts";
import { type Live, listen } from "../testing/live-socket.ts";
import {
  createViewerScene,
  editsSensors,
  hiddenTexts,
  isShown,
  type Issue,
  type Member,
  sharedVehicle,
  viewsAccount,
  viewsLocations,
  type ViewerScene,
  viewsSensors,
} from "../testing/scenes/viewer-scene.ts";
import type { CallOptions, JsonObject, Reply } from "../testing/world.ts";

let scene: ViewerScene;
let members: Member[];
beforeAll(async () => {
  scene = await createViewerScene();
  ({ members } = scene);
});
afterAll(() => scene.stop());

type Page = "vehicle" | "other";

/** Fails if the text contains anything of hidden objects, except what the request's body contained. */
function expectNothingHidden(text: string, asker: Member, page: Page, { summary, asked = "" }: Record<string, string>) {
  const shown = hiddenTexts(members, asker, page).filter((hidden) => text.includes(hidden) && !asked.includes(hidden));
  expect(shown, summary).toEqual([]);
}

/** Makes the call; fails if the response contains anything of hidden objects. */
async function ask(asker: Member, path: string, options: CallOptions & { method?: string } = {}): Promise<Reply> {
  const { method = "GET", ...call } = options;
  const page: Page = path.startsWith("/api/v2/vehicle") ? "vehicle" : "other";
  const reply = await scene.world.call(asker.who, method, path, call);
  const summary = `${method} ${path} for ${asker.who.name}: ${JSON.stringify(reply.body)}`;
  // Failures of a batch are listed by the ids of the request.
  expectNothingHidden(JSON.stringify(reply.body), asker, page, { summary, asked: JSON.stringify(call.body ?? "") });
  return reply;
}

const encode = encodeURIComponent;
const perMember = (filter: (one: Member) => string) => members.map((one) => [filter(one), one] as const);

type Case = { query: string; expected: readonly string[] };

/** Adds a sort key to each query, so that all keys occur in both directions. */
function sortedBy(keys: readonly string[], cases: readonly Case[]): Case[] {
  const sorts = keys.flatMap((key) => [key, `-${key}`]);
  return cases.map(({ query, expected }, n) => ({ query: `${query}&sortBy=${sorts[n % sorts.length]}`, expected }));
}

/** Every third row in `npm test`, beginning with another one for each asker. */
function someFor<T>(asker: Member, table: readonly T[]): readonly T[] {
  const turn = members.indexOf(asker) % 3;
  return everyNth(3, [...table.slice(turn), ...table.slice(0, turn)]);
}

/** Asks for lists with totals; returns how many rows were found. */
async function expectLists(asker: Member, path: string, idField: string, cases: readonly Case[]): Promise<number> {
  let found = 0;
  await forEachAtOnce(someFor(asker, cases), async ({ query, expected }) => {
    const reply = await ask(asker, `${path}includeTotals=true&${query}`);
    const summary = `${path}${query} for ${asker.who.name}: ${JSON.stringify(reply.body)}`;
    expect(reply.status, summary).toBe(200);
    expect(reply.list.map((row) => String(row[idField])).toSorted(), summary).toEqual(expected.toSorted());
    expect(reply.at("total"), summary).toBe(expected.length);
    found += expected.length;
  });
  return found;
}

function descendants(top: Member): Member[] {
  const below = members.filter(({ node }) => node.parent === top.node);
  return [top, ...below.flatMap(descendants)];
}
const childrenOf = (asker: Member, parent: Member) =>
  members.filter((one) => one.node.parent === parent.node && viewsAccount(asker, one));
const customersOf = (asker: Member, parent: Member) => (viewsAccount(asker, parent) ? childrenOf(asker, parent) : []);
const idOf = ({ who }: Member) => who.id;

/** The numbers of a customer, from what the asker may view. */
function expectedCustomer(asker: Member, top: Member): JsonObject {
  const tree = descendants(top);
  const counted = tree.filter((one) => viewsSensors(asker, one));
  const withIssue = (status: Issue["status"]) => counted.filter(({ issue }) => issue.status === status).length;
  const seen = tree.filter((one) => viewsAccount(asker, one)).map(({ seenAt }) => seenAt);
  return {
    _id: top.who.id,
    name: top.who.name,
    children: childrenOf(asker, top).length,
    sensors: counted.reduce((sum, { coaches }) => sum + 1 + coaches.length, 0),
    offline: 0,
    errors: withIssue("Error"),
    warnings: withIssue("Warning"),
    outdated: 0,
    completeness: null,
    lastSignInAt: seen.toSorted().at(-1) ?? null,
  };
}

test("PE-01 a viewer of one sub-account finds no other customers: list, totals, filters", async () => {
  let found = 0;
  for (const asker of members) {
    const all = customersOf(asker, asker);
    const withErrors = (one: Member) => Number(expectedCustomer(asker, one)["errors"]) > 0;
    const withIssues = (one: Member) => descendants(one).some((below) => viewsSensors(asker, below));
    found += await expectLists(asker, "/api/v2/customer?", "_id", [
      { query: "", expected: all.map(idOf) },
      { query: "trouble=errors", expected: all.filter(withErrors).map(idOf) },
      ...sortedBy(customerSorts, [
        ...perMember(({ who }) => `name=${encode(who.name)}`).map(([query, one]) => ({
          query,
          expected: all.filter((row) => row === one).map(idOf),
        })),
        ...perMember(({ who }) => `parentID=${who.id}&trouble=errors&trouble=warnings`).map(([query, one]) => ({
          query,
          expected: customersOf(asker, one).filter(withIssues).map(idOf),
        })),
      ]),
    ]);
  }
  const checkNumbers = async (asker: Member) =>
    forEachAtOnce(someFor(asker, members), async (parent) => {
      const reply = await ask(asker, `/api/v2/customer?parentID=${parent.who.id}`);
      const expected = customersOf(asker, parent).map((one) => expectedCustomer(asker, one));
      const byId = (rows: JsonObject[]) => rows.toSorted((a, b) => (String(a["_id"]) < String(b["_id"]) ? -1 : 1));
      expect(byId(reply.list), `children of ${parent.who.name} for ${asker.who.name}`).toEqual(byId(expected));
    });
  // Before and after the totals have followed.
  for (const asker of members) await checkNumbers(asker);
  await customerTotalsJob(scene.world.ctx).run();
  for (const asker of members) await checkNumbers(asker);
  expect(found).toBeGreaterThan(rounds(8, 20));
});

const viewsLogin = (asker: Member, login: Member, { owner }: Issue) =>
  isShown(asker, login) && viewsSensors(login, owner);

/** Filters of open issues by every account's ids, and the issues that they match for the asker. */
function issueFilters(asker: Member): { filter: JsonObject; fits: (issue: Issue) => boolean }[] {
  return members.flatMap((one) => [
    { filter: { ownerID: one.who.id }, fits: ({ owner }: Issue) => owner === one },
    { filter: { sensorIDs: one.issue.sensor }, fits: (issue: Issue) => issue === one.issue },
    { filter: { measID: one.location.id }, fits: ({ at }: Issue) => at === one && viewsLocations(asker, one) },
    { filter: { tag: one.location.tag }, fits: ({ at }: Issue) => at === one && viewsLocations(asker, one) },
    {
      filter: { assigneeID: one.login },
      fits: (issue: Issue) => issue.assignee === one && viewsLogin(asker, one, issue),
    },
  ]);
}
const issuesOf = (asker: Member) => members.map(({ issue }) => issue).filter(({ owner }) => viewsSensors(asker, owner));
const idsOf = (issues: readonly Issue[]) => issues.map(({ id }) => id);
const toQuery = (filter: JsonObject) =>
  Object.entries(filter)
    .map(([key, value]) => `${key}=${encode(String(value))}`)
    .join("&");
const both = "snoozed=true&snoozed=false";

function assigneesFor(asker: Member, issues: readonly Issue[]): string[] {
  const seen = issues.filter(({ owner }) => viewsSensors(asker, owner));
  const mayWork = (login: Member) => seen.every(({ owner }) => viewsSensors(login, owner));
  const possible = members.filter((one) => one.node.role?.permissions.ownable?.sensor?.canViewObject !== undefined);
  return possible.filter((one) => isShown(asker, one) && mayWork(one)).map(({ login }) => login);
}

test("PE-01 a viewer of one sub-account finds no other issues: list, count, assignees", async () => {
  let found = 0;
  for (const asker of members) {
    const seen = issuesOf(asker);
    const [snoozed = [], open = []] = [true, false].map((is) => seen.filter(({ isSnoozed }) => isSnoozed === is));
    const byStatus = (status: string) => open.filter((issue) => issue.status === status);
    found += await expectLists(asker, "/api/v2/issue?open=true&", "id", [
      { query: "", expected: idsOf(open) },
      { query: "snoozed=true", expected: idsOf(snoozed) },
      {
        query: `assigneeID=none&${both}`,
        expected: idsOf(seen.filter(({ assignee }) => assignee === null || !isShown(asker, assignee))),
      },
      {
        query: `assigneeID=me&${both}`,
        expected: idsOf(seen.filter((issue) => issue.assignee === asker && viewsLogin(asker, asker, issue))),
      },
      ...["Error", "Warning"].map((status) => ({
        query: `issueStatus=${status}`,
        expected: idsOf(byStatus(status)),
      })),
      ...sortedBy(
        ["severity", "since", "startUTC", "issueType", "sens", "acknowledged", "issueStatus"],
        issueFilters(asker).map(({ filter, fits }) => ({
          query: `${toQuery(filter)}&${both}`,
          expected: idsOf(seen.filter(fits)),
        })),
      ),
    ]);
    expect((await ask(asker, "/api/v2/issue/count")).body).toEqual({
      errors: byStatus("Error").length,
      warnings: byStatus("Warning").length,
      snoozed: snoozed.length,
      changesAt: snoozed.length > 0 ? new Date(scene.world.ctx.clock.now() + 3_600_000).toISOString() : null,
    });
    const asked = members.flatMap((one, n) => [
      { query: `ids=${one.issue.id}`, expected: assigneesFor(asker, [one.issue]) },
      {
        query: `search=${encode(n % 2 === 0 ? one.who.name : one.who.email)}`,
        expected: assigneesFor(asker, []).filter((login) => login === one.login),
      },
    ]);
    await forEachAtOnce(
      someFor(asker, [{ query: "", expected: assigneesFor(asker, []) }, ...asked]),
      async ({ query, expected }) => {
        const { list } = await ask(asker, `/api/v2/issue/assignees?${query}`);
        expect(list.map(({ _id }) => String(_id)).toSorted(), `${query} for ${asker.who.name}`).toEqual(
          expected.toSorted(),
        );
        found += list.length;
      },
    );
  }
  expect(found).toBeGreaterThan(rounds(70, 200));
});

const marker = "Looked at";

test("PE-01 changing issues by ids and by query changes and tells nothing of others", async () => {
  const written: string[] = [];
  for (const asker of members) {
    const change = (target: JsonObject, changes: JsonObject = { note: marker }) =>
      ask(asker, "/api/v2/issue", { method: "PUT", body: { ...target, changes } });
    const seen = issuesOf(asker);
    const edited = seen.filter(({ owner }) => editsSensors(asker, owner));
    const others = members.map(({ issue }) => issue).filter((issue) => !seen.includes(issue));
    const refused = (issues: Issue[], code: 105 | 305) => issues.map(({ id }) => `${id} ${errorEntry(code).message}`);
    const expectChanged = (reply: Reply, missing: Issue[]) => {
      expect(reply.at("success"), asker.who.name).toBe(edited.length);
      const fail = reply.at("fail") as { id: string; errMessage: string }[];
      // The log of a location shows its issues to those who may not view the sensor.
      const { logged = [], hidden = [] } = Object.groupBy(missing, ({ at }) =>
        viewsLocations(asker, at) ? "logged" : "hidden",
      );
      const locked = seen.filter((issue) => !edited.includes(issue));
      expect(fail.map(({ id, errMessage }) => `${id} ${errMessage}`).toSorted(), asker.who.name).toEqual(
        [...refused([...locked, ...logged], errorCode.noEdit), ...refused(hidden, errorCode.notFound)].toSorted(),
      );
      for (const { id } of edited) written.push(`${asker.who.name} ${id}`);
    };
    const all = idsOf(members.map(({ issue }) => issue));
    expectChanged(await change({ ids: all }), others);
    expectChanged(await change({ query: { open: true, snoozed: [true, false] }, all: true }), []);
    // A wrong number is refused, with the number of matches.
    await forEachAtOnce(someFor(asker, issueFilters(asker)), async ({ filter, fits }) => {
      const reply = await change({ query: { ...filter, snoozed: [true, false] }, expectedCount: 99 });
      const summary = `${JSON.stringify(filter)} for ${asker.who.name}: ${JSON.stringify(reply.body)}`;
      expect([reply.status, reply.at("details.count")], summary).toEqual([409, seen.filter(fits).length]);
    });
    for (const one of members.filter((other) => !isShown(asker, other))) {
      const reply = await change({ ids: all }, { assigneeID: one.login });
      expect([reply.status, reply.code], `${one.who.name} for ${asker.who.name}`).toEqual([400, 102]);
    }
  }
  const { rows } = await sql<{ line: string }>`select a.name || ' ' || n.issue_id as line
    from issue_note n join account a on a.id = n.account_id where n.text = ${marker}`.execute(scene.world.ctx.db);
  expect(rows.map(({ line }) => line).toSorted()).toEqual(written.toSorted());
  expect(written.length).toBeGreaterThan(40);
});

test("PE-01 a viewer of one sub-account finds no other vehicles: list, one, day", async () => {
  const all = members.flatMap((owner) => owner.coaches.map((coach) => ({ ...coach, owner })));
  const keys = (coaches: typeof all) => coaches.map(({ key }) => key);
  const date = scene.world.ctx.clock.date().toISOString().slice(0, 10);
  let found = 0;
  for (const asker of members) {
    const seen = all.filter(({ owner }) => viewsSensors(asker, owner));
    const where = (query: string, fits: (coach: (typeof all)[number]) => boolean) => ({
      query,
      expected: keys(seen.filter(fits)),
    });
    found += await expectLists(asker, "/api/v2/vehicle?", "_id", [
      ...["", "state=occupied", "vehicleID=a", "line=l-"].map((query) => where(query, () => true)),
      where("state=unknown&state=empty&state=outOfService", () => false),
      where(`vehicleID=${sharedVehicle}`, ({ vehicleId }) => vehicleId === sharedVehicle),
      ...sortedBy(
        ["vehicleId", "line", "state", "percent", "at"],
        [
          ...perMember(({ who }) => `ownerID=${who.id}`).map(([query, one]) =>
            where(query, ({ owner }) => owner === one),
          ),
          ...all.map(({ vehicleId, line }, n) =>
            n % 2 === 0
              ? where(`vehicleID=${encode(vehicleId)}`, (one) => one.vehicleId === vehicleId)
              : where(`line=${encode(line)}`, (one) => one.line === line),
          ),
        ],
      ),
    ]);
    await forEachAtOnce(someFor(asker, all), async ({ key, owner, sensor }) => {
      const [one, day] = [
        await ask(asker, `/api/v2/vehicle/${encode(key)}`),
        await ask(asker, `/api/v2/vehicle/${encode(key)}/day?date=${date}`),
      ];
      const status = viewsSensors(asker, owner) ? 200 : 404;
      expect([one.status, day.status], `${key} for ${asker.who.name}`).toEqual([status, status]);
      if (status === 200) expect(one.at("coaches")).toMatchObject([{ sensorIDs: [sensor], load: { persons: 3 } }]);
    });
  }
  expect(found).toBeGreaterThan(rounds(70, 200));
});

/** Waits until the server has read everything that was sent, and everything sent by the server has arrived. */
const settled = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    socket.once("pong", () => resolve());
    socket.ping();
  });

async function openPage(asker: Member): Promise<{ asker: Member; socket: WebSocket; live: Live }> {
  const socket = new WebSocket(`${scene.world.url.replace("http", "ws")}/live?token=${asker.who.token}&counts=watched`);
  const live = await listen(socket as unknown as globalThis.WebSocket);
  socket.send(JSON.stringify({ watch: { measIDs: [], sensorIDs: [], any: false, vehicles: true } }));
  await settled(socket);
  return { asker, socket, live };
}

test("PE-01 open pages get changed issues and levels of exactly what they may view", async () => {
  const { world } = scene;
  const pages = await Promise.all(members.map(openPage));
  const ids = members.map(({ issue }) => issue.id);
  const body = { ids, changes: { note: "Live words" } };
  expect((await world.call(world.root, "PUT", "/api/v2/issue", { body })).at("success")).toBe(ids.length);
  for (const { sensor } of members.flatMap(({ coaches }) => coaches))
    world.ctx.bus.emit({
      name: "liveLevel",
      event: { sensorId: sensor, level: { t: "occ", at: 0, zones: [{ id: "s1", n: 7 }] } },
    });
  const expected = (asker: Member) => ({
    issue: idsOf(issuesOf(asker)),
    vehicle: members.filter((one) => viewsSensors(asker, one)).flatMap(({ coaches }) => coaches.map(({ key }) => key)),
  });
  for (const { asker, live } of pages)
    for (const [type, all] of Object.entries(expected(asker)))
      for (const id of all) await live.heard(type, "update", id);
  // A message goes to all its receivers at once, so those of others would have been sent by now.
  for (const { asker, socket, live } of pages) {
    await settled(socket);
    const got = (type: string) =>
      live.frames.flatMap((frame) => (frame.type === type ? [String(frame.obj?.["_id"])] : []));
    for (const [type, all] of Object.entries(expected(asker)))
      expect([...new Set(got(type))].toSorted(), `${type} for ${asker.who.name}`).toEqual(all.toSorted());
    // Accounts name all accounts above them.
    for (const frame of live.frames.filter(({ type }) => type !== "account")) {
      const summary = `to ${asker.who.name}: ${JSON.stringify(frame)}`;
      expectNothingHidden(JSON.stringify(frame), asker, frame.type === "vehicle" ? "vehicle" : "other", { summary });
      expect(JSON.stringify(frame)).not.toContain("Live words");
    }
    if (!members.some((one) => mayDo(asker.node, "view", "sensor", one.node)))
      expect(live.frames.map(({ type }) => type)).toEqual(["hello"]);
    socket.close();
  }
});
