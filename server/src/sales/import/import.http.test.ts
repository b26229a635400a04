// The CSV import of sales over HTTP: columns, separators, local times, names of locations, dry run, all or nothing, rights.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { captureSnapshot } from "../../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../../testing/world.ts";

let world: World;
let owner: Person;
let berlin: string;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  owner = await world.account("Owner", world.root, fullPermissions);
  berlin = await shop("Berlin City", { externalID: "0815" });
});

async function shop(name: string, more: JsonObject = {}, timezone = "Europe/Berlin", by = owner): Promise<string> {
  const { id } = await world.call(by, "POST", "/api/measurement", { body: { name, owner: by.id, ...more } });
  await world.ctx.db.updateTable("location").set({ timezone }).where("id", "=", id).execute();
  return id;
}

type Options = {
  query?: string;
  who?: Person | null;
  name?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

async function send(content: string | Uint8Array<ArrayBuffer>, options: Options = {}) {
  const { query = "", who = owner, name = "sales.csv", headers = {}, signal = null } = options;
  const form = new FormData();
  form.append("file", new Blob([content]), name);
  const response = await fetch(`${world.url}/api/v2/sales/import?${query}`, {
    method: "POST",
    headers: { ...(who ? { authorization: `Bearer ${who.token}` } : {}), ...headers },
    body: form,
    signal,
  });
  const body = (await response.json()) as JsonObject;
  return { status: response.status, body, code: body["code"], details: body["details"] as JsonObject | undefined };
}
const list = async (id: string, who = owner) => (await world.call(who, "GET", `/api/measurement/${id}/sales`)).list;
const head = "location;start;transactions;revenue;currency";
const dry = { query: "dryRun=true" };
const reasons = (body: JsonObject) =>
  (body["problems"] as { row: number; kind: string; reason: string }[]).map(({ row, kind, reason }) => [
    row,
    kind,
    reason,
  ]);

describe("files", () => {
  test.each([
    ["semicolons", ";", "1.234,50", "7,5"],
    ["commas and quotes", ",", '"1,234.50"', "7.5"],
    ["tabs", "\t", "1234.5", "7.50"],
    ["apostrophes", ";", "1'234.50", "7.5"],
  ])("%s, with headings in any order and case", async (_, separator, revenue, hours) => {
    const headings = ["CURRENCY", "staff hours", "Revenue", "Note", "Location", "START", "Transactions"];
    const row = ["eur", hours, revenue, "x", "berlin  CITY", "2026-05-04", "120"];
    const file = `${headings.join(separator)}\r\n${row.join(separator)}\r\n`;
    const { status, body } = await send(file);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      rows: 1,
      stored: 1,
      replaced: 0,
      unchanged: 0,
      invalid: 0,
      locations: 1,
      unusedColumns: ["Note"],
      problems: [],
    });
    expect(await list(berlin)).toEqual([
      {
        start: "2026-05-03T22:00:00.000Z",
        end: "2026-05-04T22:00:00.000Z",
        period: "day",
        transactions: 120,
        revenue: 1234.5,
        currency: "EUR",
        staffHours: 7.5,
      },
    ]);
    expect((await world.trail(berlin)).at(-1)).toMatchObject({ action: "storeSales", after: { stored: 1 } });
  });

  test("a location is found by its id, its external id or its name, in this order", async () => {
    const other = await shop("0815");
    const third = await shop("Köln", {});
    const rows = [berlin, "0815", "koln", other.toUpperCase()].map((key, n) => `${key};2026-05-0${n + 1};1;1;EUR`);
    const { body } = await send([head, ...rows].join("\n"));
    expect(body).toMatchObject({ stored: 4, locations: 3 });
    expect([await list(berlin), await list(other), await list(third)].map(({ length }) => length)).toEqual([2, 1, 1]);
  });

  test("hours of both clock changes: skipped is refused, repeated is two rows", async () => {
    const rows = [
      "Berlin City;2026-03-29 01:00;1;1;EUR",
      "Berlin City;2026-03-29 02:00;1;1;EUR",
      "Berlin City;2026-10-25T02:00;1;1;EUR",
      "Berlin City;2026-10-25 02:00:00;2;1;EUR",
      "Berlin City;2026-10-25 02:00;3;1;EUR",
      "Berlin City;2026-10-25 03:00+01:00;4;1;EUR",
    ];
    const { body } = await send([head, ...rows].join("\n"), { query: "skipInvalid=true" });
    expect(body).toMatchObject({ stored: 4, invalid: 2, problemCounts: { wrongTime: 1, duplicate: 1 } });
    expect(reasons(body).map(([row, kind]) => [row, kind])).toEqual([
      [3, "wrongTime"],
      [6, "duplicate"],
    ]);
    expect((await list(berlin)).map(({ start, transactions }) => [start, transactions])).toEqual([
      ["2026-10-25T02:00:00.000Z", 4],
      ["2026-10-25T01:00:00.000Z", 2],
      ["2026-10-25T00:00:00.000Z", 1],
      ["2026-03-29T00:00:00.000Z", 1],
    ]);
  });

  test.each([
    ["2026-10-25", "", "", "day"],
    ["2026-10-25", "2026-10-26", "", "day"],
    ["2026-10-25", "2026-10-25", "", "day"],
    ["2026-10-25 00:00", "2026-10-26 00:00", "", "day"],
    ["2026-10-25 00:00", "2026-10-25 24:00", "", "day"],
    ["2026-10-25T00:00", "", "Day", "day"],
    ["2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "", "day"],
    ["2026-10-25 00:00", "", "", "hour"],
    ["2026-10-25 02:00", "2026-10-25 03:00", "", "hour"],
    ["2026-10-25 04:00", "2026-10-25 05:00", "hour", "hour"],
    ["2026-10-25 00:00", "2026-10-25 02:00", "", null],
    ["2026-10-25 00:30", "", "", null],
    ["2026-10-25", "2026-10-27", "", null],
    ["2026-10-25", "", "hour", null],
    ["2026-10-25 01:00", "", "day", null],
    ["2026-10-25", "", "week", null],
    ["2026-02-30", "", "", null],
    ["25.10.2026", "", "", null],
    ["", "", "", null],
    ["1999-10-25", "", "", null],
    ["2126-10-25", "", "", null],
  ])("start %j, end %j and period %j is %j", async (start, end, period, expected) => {
    const file = `${head};end;period\nBerlin City;${start};1;1;EUR;${end};${period}`;
    const { body } = await send(file, { query: "dryRun=true" });
    expect(body["problemCounts"]).toEqual(expected === null ? { wrongTime: 1 } : {});
    const [shown] = body["preview"] as { start: string; end: string }[];
    const hours = shown ? (Date.parse(shown.end) - Date.parse(shown.start)) / 3_600_000 : null;
    expect(hours).toBe(expected === null ? null : expected === "day" ? 25 : 1);
  });

  test.each([
    ["1234", "EUR", 1234],
    ["-12,50", "EUR", -12.5],
    ["1.234.567,89", "EUR", 1_234_567.89],
    ["1,234,567", "EUR", 1_234_567],
    ["1 234,5", "EUR", 1234.5],
    ["0.125", "EUR", 0.125],
    ["12.345", "KWD", 12.345],
    ["12.345", "EUR", null],
    ["1,234", "EUR", null],
    ["1.2.3", "EUR", null],
    ["1.234,567,89", "EUR", null],
    ["1e3", "EUR", null],
    ["0x10", "EUR", null],
    ["", "EUR", null],
    ["€ 5", "EUR", null],
    ["1234.5678", "EUR", null],
    ["1000000000", "EUR", null],
  ])("revenue %j in %s is %j", async (text, currency, expected) => {
    const { body } = await send(`${head}\nBerlin City;2026-05-04;1;"${text}";${currency}`, dry);
    const shown = (body["preview"] as { revenue: number }[]).map(({ revenue }) => revenue);
    expect(shown).toEqual(expected === null ? [] : [expected]);
    expect(body["problemCounts"]).toEqual(expected === null ? { wrongNumber: 1 } : {});
  });

  test("every kind of wrong row is reported with its number, and the kinds are counted", async () => {
    await shop("Twin");
    await shop("Twin");
    await shop("One", { externalID: "77" });
    await shop("Two", { externalID: "77" });
    const stranger = await world.account("Stranger", world.root, fullPermissions);
    await shop("Foreign", {}, "UTC", stranger);
    const rows = [
      "Berlin City;2026-05-04;1;1;EUR",
      "Nowhere;2026-05-04;1;1;EUR",
      "Foreign;2026-05-04;1;1;EUR",
      "Twin;2026-05-04;1;1;EUR",
      "77;2026-05-04;1;1;EUR",
      "Berlin City;2026-05-04;2;1;EUR",
      "Berlin City;2026-05-04 10:00;2;1;EUR",
      "Berlin City;2026-05-05;1,5;1;EUR",
      "Berlin City;2026-05-05;1;1;Euro",
      "Berlin City;2026-05-05;1;1;EUR;more",
      ";2026-05-05;1;1;EUR",
      '"Berlin"x;2026-05-05;1;1;EUR',
      `${"x".repeat(300)};2026-05-05;1;1;EUR`,
    ];
    const { status, body } = await send([head, ...rows].join("\n"), dry);
    expect(status).toBe(200);
    expect(reasons(body).map(([row, kind]) => [row, kind])).toEqual([
      [3, "unknownLocation"],
      [4, "unknownLocation"],
      [5, "ambiguousLocation"],
      [6, "ambiguousLocation"],
      [7, "duplicate"],
      [8, "overlap"],
      [9, "wrongNumber"],
      [10, "wrongCurrency"],
      [11, "unreadable"],
      [12, "unknownLocation"],
      [13, "unreadable"],
      [14, "unreadable"],
    ]);
    expect(reasons(body)[2]?.[2]).toBe("Several locations have the name or ID Twin");
    expect(body).toMatchObject({ rows: 13, stored: 1, invalid: 12, dryRun: true });
  });
});

describe("runs", () => {
  test("a dry run stores nothing, and says what the real run does", async () => {
    await send(`${head}\n0815;2026-05-01;1;1;EUR\n0815;2026-05-02;1;1;EUR`);
    const file = `${head}\n0815;2026-05-01;1;1;EUR\n0815;2026-05-02;2;1;EUR\n0815;2026-05-03;1;1;EUR`;
    const before = await captureSnapshot(world.ctx.db);
    const tried = await send(file, dry);
    expect(await captureSnapshot(world.ctx.db)).toEqual(before);
    expect(tried.body).toMatchObject({ stored: 1, replaced: 1, unchanged: 1 });
    expect((tried.body["preview"] as JsonObject[]).map(({ outcome }) => outcome)).toEqual([
      "unchanged",
      "replaced",
      "stored",
    ]);
    expect((await send(file)).body).toEqual({ ...tried.body, dryRun: false });
    expect((await send(file)).body).toMatchObject({ stored: 0, replaced: 0, unchanged: 3 });
  });

  test("one wrong row stores nothing; skipInvalid stores the others", async () => {
    await send(`${head}\n0815;2026-05-10;1;1;EUR`);
    const file = `${head}\n0815;2026-05-01;1;1;EUR\n0815;2026-05-10 10:00;1;1;EUR\nx;2026-05-03;1;1;EUR`;
    const before = await captureSnapshot(world.ctx.db);
    const refused = await send(file);
    expect([refused.status, refused.code]).toEqual([400, 102]);
    expect(refused.details).toMatchObject({
      field: "file",
      reason: "2 of 3 rows can't be imported, so nothing was stored",
      problemCounts: { unknownLocation: 1, overlap: 1 },
    });
    expect(await captureSnapshot(world.ctx.db)).toEqual(before);
    const { status, body } = await send(file, { query: "skipInvalid=true" });
    expect([status, body["stored"], body["invalid"]]).toEqual([200, 1, 2]);
    expect(await list(berlin)).toHaveLength(2);
  });

  test("rows that skipInvalid accepts never clash: an hour twice and its day store one hour", async () => {
    const file = `${head}\n0815;2026-05-01 10:00+02:00;1;1;EUR\n0815;2026-05-01 10:00+02:00;2;1;EUR\n0815;2026-05-01;3;1;EUR`;
    const tried = await send(file, dry);
    expect(reasons(tried.body)).toEqual([
      [3, "duplicate", "Row 2 has the same location and start"],
      [4, "overlap", "Overlaps row 2"],
    ]);
    const { status, body } = await send(file, { query: "skipInvalid=true" });
    expect([status, body]).toEqual([200, { ...tried.body, dryRun: false }]);
    expect((await list(berlin)).map(({ transactions }) => transactions)).toEqual([1]);
  });

  test("many locations get one audit row each", async () => {
    const names = ["Shop A", "Shop B", "Shop C"];
    const ids = await Promise.all(names.map((name) => shop(name)));
    const rows = names.flatMap((name) => [1, 2, 3].map((day) => `${name};2026-05-0${day};1;1;EUR`));
    expect((await send([head, ...rows].join("\n"))).body).toMatchObject({ stored: 9, locations: 3 });
    for (const id of ids)
      expect((await world.trail(id)).slice(1)).toMatchObject([
        { action: "storeSales", account_id: owner.id, after: { stored: 3, replaced: 0, unchanged: 0 } },
      ]);
  });

  test("a key with another file is refused; the same file is answered without storing twice", async () => {
    const headers = { "idempotency-key": "night" };
    const first = await send(`${head}\n0815;2026-05-01;1;1;EUR`, { headers });
    expect((await send(`${head}\n0815;2026-05-01;1;1;EUR`, { headers })).body).toEqual(first.body);
    expect((await send(`${head}\n0815;2026-05-01;2;1;EUR`, { headers })).status).toBe(409);
  });

  test("only visible and editable locations are written", async () => {
    const view = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
    const own = { me: true };
    const branch = await world.account("Branch", owner, {
      ownable: { measurement: { ...view, canEditObject: own, canCreateObjectFor: own } },
    });
    const mine = await shop("Mine", {}, "UTC", branch);
    const file = `${head}\nMine;2026-05-01;1;1;EUR\nBerlin City;2026-05-01;1;1;EUR`;
    const tried = await send(file, { ...dry, who: branch });
    expect(reasons(tried.body)).toEqual([[3, "noRight", "You can't edit the location Berlin City"]]);
    expect((await send(file, { query: "skipInvalid=true", who: branch })).body).toMatchObject({ stored: 1 });
    expect([await list(mine, branch), await list(berlin)].map(({ length }) => length)).toEqual([1, 0]);
    const viewer = await world.account("Viewer", owner, { ownable: { measurement: view } });
    expect((await send(file, { who: viewer })).code).toBe(305);
    expect((await send(file, { who: null })).code).toBe(106);
  });

  test.each([
    ["no file of this kind", "sales.xlsx", `${head}\n`, "The name of the file must end with .csv"],
    [
      "missing columns",
      "sales.csv",
      "location;start\n",
      "The first row has no columns Transactions, Revenue, Currency",
    ],
    ["an empty file", "sales.csv", "", "The first row has no columns"],
  ])("%s is refused", async (_, name, content, reason) => {
    const refused = await send(content, { name });
    expect([refused.status, refused.code]).toEqual([400, 102]);
    expect(refused.details?.["reason"]).toContain(reason);
  });

  test("100,000 rows are read; one more is refused, and so is a file over 10 MB", async () => {
    const rows = Array.from({ length: 100_001 }, () => "x;2026-05-01;1;1;EUR");
    const full = await send([head, ...rows.slice(1)].join("\n"), dry);
    expect(full.body).toMatchObject({ rows: 100_000, invalid: 100_000, problemCounts: { unknownLocation: 100_000 } });
    expect(full.body["problems"]).toHaveLength(200);
    const more = await send([head, ...rows].join("\n"), dry);
    expect([more.status, more.code, more.details?.["reason"]]).toEqual([
      400,
      102,
      "The file has more than 100,000 rows",
    ]);
    expect((await send("x".repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
  });

  test("an import ends with its client, and stores nothing", async () => {
    const waiting = async () => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`.execute(world.ctx.db);
      return rows[0]?.n;
    };
    const leaving = new AbortController();
    await world.ctx.db.transaction().execute(async (tx) => {
      await tx.selectFrom("location").select("id").where("id", "=", berlin).forUpdate().execute();
      const sent = send(`${head}\n0815;2026-05-01;1;1;EUR`, { signal: leaving.signal }).catch(() => "left");
      await expect.poll(waiting).toBe(1);
      leaving.abort();
      expect(await sent).toBe("left");
      await expect.poll(waiting).toBe(0);
    });
    expect((await send(`${head}\n0815;2026-05-02;1;1;EUR`)).body).toMatchObject({ stored: 1 });
    expect(await list(berlin)).toHaveLength(1);
  });

  test("unknown parameters and fields are refused", async () => {
    expect((await send(`${head}\n`, { query: "planet=Mars" })).code).toBe(102);
    expect((await send(`${head}\n`, { query: "dryRun=maybe" })).code).toBe(102);
  });
});
