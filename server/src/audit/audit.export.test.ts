// Tests audit log exports as CSV: complete, filtered, within the rights, and safe in a spreadsheet.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClock } from "../kit/clock.ts";
import { createCsvReader } from "../kit/csv/csv-reader.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let stranger: Person;
const clock = createClock();

beforeAll(async () => {
  world = await createWorld({ clock });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  stranger = await world.account("Other Customer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const address = (id: string, more = "") => `/api/v2/audit/csv?objectType=measurement&objectID=${id}${more}`;
const columns = ["at", "who", "whoID", "requestID", "action", "objectType", "objectID", "field", "old", "new"];

async function exported(who: Person, id: string, more = ""): Promise<Record<string, string>[]> {
  const reply = await world.call(who, "GET", address(id, more));
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const reader = createCsvReader(",");
  const [head, ...rows] = [...reader.push(String(reply.body)), ...reader.end()];
  expect(head?.cells).toEqual(columns);
  expect(rows.filter(({ fault }) => fault !== null)).toEqual([]);
  return rows.map(({ cells }) => Object.fromEntries(columns.map((name, n) => [name, cells[n] ?? ""])));
}
async function location(owner: Person, name = "Shop"): Promise<string> {
  return (await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
}
const rename = (who: Person, id: string, name: string) =>
  world.call(who, "PUT", `/api/measurement/${id}`, { body: { name } });

/** Inserts audit rows, several of which share one time. */
const age = (id: string, rows: number) =>
  sql`insert into audit (id, at, account_id, request_id, action, object_type, object_id, owner_id, owner_path, before, after)
    select gen_random_uuid(), timestamptz '2020-01-01' + n / 7 * interval '1 hour', a.id, 'r' || n, 'update', 'measurement',
      ${id}, a.id, a.path, jsonb_build_object('name', 'n' || n, 'note', repeat('x', 900)),
      jsonb_build_object('name', 'n' || n + 1, 'note', repeat('y', 900))
    from account a, generate_series(1, ${rows}) n where a.id = ${customer.id}`.execute(world.ctx.db);

test("T-30 a line has UTC time, user, request, action, field, old and new value", async () => {
  const id = await location(customer);
  clock.moveTo(clock.now() + 60_000);
  const put = await world.call(customer, "PUT", `/api/measurement/${id}`, {
    body: { name: "Renamed, with a comma", location: { timezone: "Europe/Vienna" }, tags: ["a", "b"] },
  });
  const lines = (await exported(customer, id)).filter(({ action }) => action === "update");
  const shown = await world.call(customer, "GET", `/api/v2/audit?objectID=${id}&limit=1`);
  for (const line of lines) {
    expect(line).toMatchObject({
      at: shown.at("objects.0.at"),
      who: "Harbour Stores",
      whoID: customer.id,
      requestID: put.headers.get("x-request-id"),
      objectType: "measurement",
      objectID: id,
    });
    expect(line["at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  const of = (field: string) =>
    lines.filter((line) => line["field"] === field).map((line) => [line["old"], line["new"]]);
  expect(of("name")).toEqual([["Shop", "Renamed, with a comma"]]);
  expect(of("location.timezone").map(([, next]) => next)).toEqual(["Europe/Vienna"]);
  expect(of("tags")).toEqual([["[]", '["a","b"]']]);
  expect(of("owner")).toEqual([]);
});

test("T-30 no value becomes a formula in a spreadsheet", async () => {
  const id = await location(customer);
  const names = ["=HYPERLINK(1)", "+49 30 1", "-1+2", "@SUM(A1)"];
  for (const name of names) {
    clock.moveTo(clock.now() + 1000);
    const { status, body } = await rename(customer, id, name);
    expect(status, JSON.stringify([name, body])).toBe(200);
  }
  const values = (await exported(customer, id))
    .filter(({ action, field }) => action === "update" && field === "name")
    .flatMap((line) => [line["old"], line["new"]]);
  expect(values).toContain("'=HYPERLINK(1)");
  for (const name of names) {
    expect(values).toContain(`'${name}`);
    expect(values).not.toContain(name);
  }
});

test("T-30 a file for people has a title and real times; every file has a name", async () => {
  const id = await location(customer);
  clock.moveTo(clock.now() + 60_000);
  const before = clock.now();
  await rename(customer, id, "Hall; =1");
  const after = clock.now();
  const reply = await world.call(customer, "GET", address(id, "&style=people&separator=semicolon"));
  expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="history_measurement_${id}.csv"`);
  const [title, head, ...lines] = String(reply.body).trimEnd().split("\n");
  expect(title?.replace("\ufeff", "")).toBe(`History of measurement ${id};All entries;UTC`);
  expect(head).toBe("Time (UTC);Who;ID;Action;Field;Old;New;Request");
  const [time = "", ...values] = lines[0]?.split(";") ?? [];
  expect(values.join(";")).toMatch(new RegExp(`^Harbour Stores;${customer.id};update;name;Shop;"Hall; =1";`));
  expect(Date.parse(`${time}Z`)).toBeGreaterThan(before - 1000);
  expect(Date.parse(`${time}Z`)).toBeLessThanOrEqual(after);
  expect((await exported(customer, id))[0]).toMatchObject({ new: "Hall;' =1" });
});

test("T-30 the file has all entries in the order of the history, in any number of parts", async () => {
  const id = await location(customer);
  await age(id, 1203);
  const lines = await exported(customer, id);
  const requests = lines.filter(({ field }) => field === "name").map(({ requestID }) => requestID);
  expect(new Set(requests).size).toBe(requests.length);
  expect(requests).toHaveLength(1204);
  const times = lines.map(({ at }) => at ?? "");
  expect(times).toEqual(times.toSorted().toReversed());
  const listed: string[] = [];
  for (let skip = 0; skip < 1204; skip += 500) {
    const { list } = await world.call(customer, "GET", `/api/v2/audit?objectID=${id}&limit=500&skip=${skip}`);
    listed.push(...list.map((row) => String(row["requestId"])));
  }
  expect(requests).toEqual(listed);
});

test("T-30 kind, person and time filter the file like the list", async () => {
  const id = await location(customer);
  const viewer = await world.account("Viewer", customer, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  const made = clock.date().toISOString();
  clock.moveTo(clock.now() + 3_600_000);
  const later = clock.date().toISOString();
  await rename(customer, id, "By the customer");
  clock.moveTo(clock.now() + 3_600_000);
  await rename(world.root, id, "By the root");
  expect((await rename(viewer, id, "Without a right")).code).toBe(305);
  const actions = async (more: string) => [
    ...new Set((await exported(customer, id, more)).map(({ action }) => action)),
  ];
  expect(await actions("")).toEqual(["write-refused", "update", "create"]);
  expect(await actions("&withoutRefused=true")).toEqual(["update", "create"]);
  expect(await actions("&kind=refusal")).toEqual(["write-refused"]);
  expect(await actions(`&to=${later}`)).toEqual(["create"]);
  expect(await actions(`&from=${later}&kind=change`)).toEqual(["update"]);
  const names = (await exported(customer, id, `&who=${world.root.id}&kind=change`)).map((line) => line["new"]);
  expect(names).toEqual(["By the root"]);
  expect(await actions(`&from=${made}&to=${made}`)).toEqual([]);
  const bad = ["limit=5", "kind=everything", "from=yesterday", "planet=Mars"];
  for (const more of bad) expect((await world.call(customer, "GET", address(id, `&${more}`))).code, more).toBe(102);
  expect((await world.call(customer, "GET", "/api/v2/audit/csv?objectType=measurement")).code).toBe(104);
});

test("T-30 T-02 the file holds only readable rows: none of others, refusals only with the right to edit", async () => {
  const id = await location(customer);
  const viewer = await world.account("Onlooker", customer, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  clock.moveTo(clock.now() + 60_000);
  expect((await rename(world.root, id, "Again")).status).toBe(200);
  expect((await rename(viewer, id, "Mine")).code).toBe(305);
  const seen = async (who: Person) => new Set((await exported(who, id)).map(({ action }) => action));
  expect(await seen(stranger)).toEqual(new Set());
  expect(await seen(customer)).toEqual(new Set(["create", "update", "write-refused"]));
  const other = await world.account("Other onlooker", customer, {
    ownable: { measurement: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
  });
  expect(await seen(other)).toEqual(new Set(["create", "update"]));
  expect((await world.call(null, "GET", address(id))).code).toBe(106);
});

test("T-30 the export is audited with its filters", async () => {
  const id = await location(customer);
  clock.moveTo(clock.now() + 60_000);
  const from = clock.date().toISOString();
  await exported(customer, id, "&kind=change");
  const { list } = await world.call(customer, "GET", `/api/v2/audit?from=${from}&kind=use`);
  expect(list).toMatchObject([
    {
      action: "export",
      object: { type: "account", _id: customer.id },
      after: { call: "exportAudit", objectType: "measurement", objectID: id },
    },
  ]);
});

test("T-30 T-02 a running export ends when its reader's rights change, not when others' do", async () => {
  const id = await location(customer);
  await age(id, 8000);
  const [reader, calm] = [await begin(customer), await begin(world.root)];
  const role = `/api/role/${customer.roleId}`;
  const without = { ...fullPermissions, ownable: { ...fullPermissions.ownable, measurement: {} } };
  expect((await world.call(world.root, "PUT", role, { body: { permissions: without } })).status).toBe(200);
  expect([await reader.isWhole(), await calm.isWhole()]).toEqual([false, true]);

  /** Reads only the response head, so that the rest of the export stays in transit. */
  async function begin(who: Person) {
    const asked = request(world.url + address(id), {
      headers: { authorization: `Bearer ${who.token}` },
      agent: false,
    }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.on("error", () => undefined);
    return {
      async isWhole() {
        response.resume();
        if (!response.closed) await new Promise((resolve) => void response.once("close", resolve));
        return response.complete;
      },
    };
  }
});
