// Tests files over many locations: the same numbers as the pages, each location in its zone, limits, rights and formats.
import type { Counts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { readSheet } from "read-excel-file/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packOldMonths } from "../../count/pack.store.ts";
import { type ApiResponse, countRecord, createSite, type Person, type Site } from "../../datapoint/site.testing.ts";
import { createChance } from "../../testing/chance.ts";

let site: Site;
const ids: string[] = [];
const hour = 3_600_000;
/** Both clock changes of Europe and Lord Howe lie in these ranges; the island's clock changes by half an hour. */
const zones = ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", null];
const spring = "2025-03-20,2025-04-07";
const autumn = "2025-10-04,2025-10-27";

beforeAll(async () => {
  site = await createSite();
  const chance = createChance(7);
  for (const [n, zone] of zones.entries()) {
    const id = await site.location(zone);
    ids.push(id);
    await site.ctx.db
      .updateTable("location")
      .set({ name: `Shop ${n}`, tags: n === 4 ? [] : ["chain", `row ${n % 2}`], country: n < 2 ? "Germany" : null })
      .where("id", "=", id)
      .execute();
    for (let s = 0; s < 2; s += 1) {
      const sensor = await site.sensor({ locationId: id, since: Date.UTC(2024, 0, 1) });
      const records: CountRecord[] = [];
      for (const from of [Date.UTC(2025, 1, 20), Date.UTC(2025, 8, 10)])
        for (let at = from; at < from + 50 * 24 * hour; at += hour / 2)
          // One shop has a gap in most hours.
          if (chance.below(10) > (n === 2 ? 6 : 0))
            records.push(
              countRecord(
                at,
                1800,
                { door: [chance.below(9), chance.below(9)], gate: [chance.below(3), 0] },
                { upS: 1700 },
              ),
            );
      await site.store(sensor, records, { via: "fill" });
      // Autumn is packed before some of its counts are corrected, and others arrive late.
      await packOldMonths(site.ctx.db, Date.UTC(2025, 3, 20));
      if (s === 0)
        await site.store(
          sensor,
          records.slice(300, 304).map((record) => ({ ...record, cor: true, lines: [{ id: "door", in: 77, out: 0 }] })),
          { via: "fill" },
        );
    }
  }
});
afterAll(() => site.stop());

const code = ({ status, body }: ApiResponse) => [status, (body as { code?: number }).code];
const path = (query: string) => `/data/v2/counts/file?${query}`;

type Line = Record<string, string>;

async function csv(query: string, who: Person = site.root): Promise<Line[]> {
  const answer = await site.call(who, path(query));
  expect(answer.status, answer.text).toBe(200);
  const [head = "", ...lines] = answer.text.trimEnd().split("\n");
  const names = head.split(",");
  return lines.map((line) => {
    // The comma in front lets the expression match an empty first cell.
    const cells = [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted ?? plain,
    );
    expect(cells).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  });
}

async function pageOf(id: string, query: string): Promise<Counts> {
  const answer = await site.call(site.root, `/api/v2/counts?filter=meas:${id}&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Counts;
}

const text = (value: number | null | undefined) => String(value ?? "");

test.each(["hour", "day", "week", "month"] as const)(
  "a file by %s has the rows of each location's page, across clock changes",
  async (by: BucketSize) => {
    for (const range of [spring, autumn]) {
      const lines = await csv(`range=${range}&by=${by}&compare=previous`);
      for (const [n, id] of ids.entries()) {
        const page = await pageOf(id, `range=${range}&by=${by}&compare=previous`);
        const own = lines.filter((line) => line["id"] === id);
        expect(own.map((line) => [line["start"], line["end"], line["in"], line["out"], line["completeness"]])).toEqual(
          page.rows.map((row) => [row.start, row.end, text(row.in), text(row.out), text(row.completeness)]),
        );
        expect(own.map((line) => line["earlier"])).toEqual(page.earlier.rows.map((row) => text(row.in)));
        expect(own[0]).toMatchObject({
          name: `Shop ${n}`,
          tags: n === 4 ? "" : `chain, row ${n % 2}`,
          owner: site.root.name,
          country: n < 2 ? "Germany" : "",
          zone: zones[n] ?? "UTC",
          closed: "",
        });
      }
      expect(lines.reduce((sum, line) => sum + Number(line["in"]), 0)).toBeGreaterThan(10_000);
    }
  },
);

test("a change follows the rules of comparing locations; without a comparison it is empty", async () => {
  const query = "range=2025-03-10,2025-03-10&compare=previous";
  const lines = await csv(`${query}&by=day`);
  const answer = await site.call(site.root, `/api/v2/counts/locations?${query}`);
  const { objects } = answer.body as { objects: LocationCounts[] };
  expect(objects.filter(({ change }) => change.in !== null).length).toBeGreaterThan(2);
  for (const { _id, in: people, change } of objects)
    expect(lines.find((line) => line["id"] === _id)).toMatchObject({ in: text(people), change: text(change.in) });
  for (const line of await csv("range=2025-03-10,2025-03-10"))
    expect([line["earlier"], line["change"]]).toEqual(["", ""]);
});

test("the current bucket is the last one, and is compared with the same part of the earlier one", async () => {
  const id = await site.location("Pacific/Auckland");
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2025, 0, 1) });
  const now = site.ctx.clock.now();
  const start = Math.floor(now / hour) * hour;
  const week = 7 * 24 * hour;
  await site.store(sensor, [
    countRecord(start - hour, 3600, { door: [5, 1] }),
    countRecord(start - week - hour, 3600, { door: [4, 1] }),
    countRecord(start - week + 2 * hour, 3600, { door: [90, 1] }),
  ]);
  const lines = await csv(`ids=${id}&range=today&by=day&compare=previous`);
  const page = await pageOf(id, "range=today&by=day");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ in: text(page.total.in), earlier: text(page.earlier.total.in) });
  const hours = await csv(`ids=${id}&range=today&by=hour`);
  const { rows } = await pageOf(id, "range=today&by=hour");
  expect(hours.length).toBe(rows.filter((row) => Date.parse(row.startUTC) <= now).length);
  await site.ctx.db.deleteFrom("sensor_location").where("location_id", "=", id).execute();
  await site.ctx.db.updateTable("location").set({ is_deleted: true }).where("id", "=", id).execute();
});

test("a wide file has a row per location and a column per local bucket, with the sums of the long one", async () => {
  for (const by of ["hour", "day", "week", "month"] as const) {
    const long = await csv(`range=${autumn}&by=${by}`);
    const wide = await csv(`range=${autumn}&by=${by}&layout=wide`);
    const length = { hour: 16, day: 10, week: 10, month: 7 }[by];
    expect(wide.map((line) => line["name"])).toEqual(zones.map((_, n) => `Shop ${n}`));
    for (const line of wide) {
      const sums = new Map<string, number>();
      for (const { id, start = "", in: people } of long) {
        if (id !== line["id"] || people === "") continue;
        // A clock change by half an hour splits an hour.
        const label = `${start.slice(0, 13)}:00`.replace("T", " ").slice(0, length);
        sums.set(label, (sums.get(label) ?? 0) + Number(people));
      }
      const { id: _id, name: _name, tags: _tags, owner: _owner, country: _country, zone: _zone, ...buckets } = line;
      expect(
        new Map(Object.entries(buckets).flatMap(([label, people]) => (people ? [[label, Number(people)]] : []))),
      ).toEqual(sums);
    }
  }
});

test("groups add up their locations by local time; a location with two tags is in both", async () => {
  for (const by of ["hour", "day"] as const) {
    const long = await csv(`range=${autumn}&by=${by}`);
    const members: Record<string, (line: Line) => boolean> = {
      chain: ({ tags }) => tags?.includes("chain") ?? false,
      "row 0": ({ tags }) => tags?.includes("row 0") ?? false,
      "row 1": ({ tags }) => tags?.includes("row 1") ?? false,
      "": ({ tags }) => tags === "",
    };
    const groups = await csv(`range=${autumn}&by=${by}&groupBy=tag`);
    expect([...new Set(groups.map((line) => line["group"]))]).toEqual(["chain", "row 0", "row 1", ""]);
    for (const [name, isIn] of Object.entries(members)) {
      const sums = new Map<string, { in: number; out: number }>();
      for (const line of long.filter(isIn)) {
        const key = by === "hour" ? `${line["start"]?.slice(0, 13)}:00:00.000` : (line["start"]?.slice(0, 23) ?? "");
        const sum = sums.get(key) ?? { in: 0, out: 0 };
        sums.set(key, { in: sum.in + Number(line["in"]), out: sum.out + Number(line["out"]) });
      }
      const own = groups.filter((line) => line["group"] === name);
      expect(own.map(({ start = "", in: ins, out }) => [start, Number(ins), Number(out)])).toEqual(
        [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, sum]) => [key, sum.in, sum.out]),
      );
      expect(own[0]?.["locations"]).toBe(String({ chain: 4, "row 0": 2, "row 1": 2, "": 1 }[name]));
    }
  }
  const [wide] = await csv(`range=${autumn}&by=month&groupBy=owner&layout=wide`);
  const total = (await csv(`range=${autumn}&by=month`)).reduce((sum, line) => sum + Number(line["in"]), 0);
  expect(wide).toMatchObject({ group: site.root.name, locations: "5", "2025-10": String(total) });
});

test("the change of a group counts only locations that are complete in both periods", async () => {
  const query = "range=2025-03-10,2025-03-10&compare=previous&groupBy=country";
  const lines = await csv(`${query}&by=day`);
  const answer = await site.call(site.root, `/api/v2/counts/locations?${query}`);
  const { groups } = answer.body as { groups: { name: string | null; in: number; change: { in: number | null } }[] };
  expect(groups.some(({ change }) => change.in !== null)).toBe(true);
  for (const { name, in: people, change } of groups)
    expect(lines.find((line) => line["group"] === (name ?? ""))).toMatchObject({
      in: text(people),
      change: text(change.in),
    });
});

test("a workbook read by another library has dates, numbers and the sums of the pages", async () => {
  const query = `range=${autumn}&by=hour&compare=previous`;
  const { bytes, type, disposition } = await site.call(site.root, path(`${query}&format=xlsx`));
  expect(type).toBe("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
  expect(disposition).toBe(`attachment; filename="5 locations_2025-10-04_2025-10-27_hour.xlsx"`);
  const [head, ...rows] = await readSheet(Buffer.from(bytes));
  expect(head).toEqual(
    [
      "ID",
      "Name",
      "Tags",
      "Owner",
      "Country",
      "Time zone",
      "Start",
      "End",
      "In",
      "Out",
      "Completeness",
      "Closed",
    ].concat(["In before", "Change in %"]),
  );
  for (const id of ids) {
    const page = await pageOf(id, query);
    const own = rows.filter((row) => row[0] === id);
    const local = (iso: string) => new Date(`${iso.slice(0, 23)}Z`);
    // Workbooks store fractions of days, which are not exact to the millisecond.
    const rounded = (cell: unknown) =>
      cell instanceof Date ? new Date(Math.round(cell.getTime() / 1000) * 1000) : cell;
    expect(own.map((row) => row.slice(6, 11).map(rounded))).toEqual(
      page.rows.map((row) => [local(row.start), local(row.end), row.in, row.out, row.completeness]),
    );
    expect(own.reduce((sum, row) => sum + Number(row[8] ?? 0), 0)).toBe(page.total.in);
  }
  const wide = await site.call(site.root, path(`range=${autumn}&by=day&format=xlsx&layout=wide&groupBy=tag`));
  const [labels, ...groups] = await readSheet(Buffer.from(wide.bytes));
  expect(labels?.slice(0, 3)).toEqual(["Group", "Locations", "2025-10-04"]);
  expect(groups.map((row) => row[0])).toEqual(["chain", "row 0", "row 1", "None"]);
});

test("files for people have a byte order mark, decimal commas and no formula", async () => {
  const [id = ""] = ids;
  await site.ctx.db.updateTable("location").set({ name: "=Shop; 0" }).where("id", "=", id).execute();
  const answer = await site.call(
    site.root,
    path(`ids=${id}&range=2025-03-10,2025-03-10&by=day&style=people&separator=semicolon`),
  );
  await site.ctx.db.updateTable("location").set({ name: "Shop 0" }).where("id", "=", id).execute();
  const [head, line] = Buffer.from(answer.bytes).toString().split("\n");
  expect(head).toBe(
    "\ufeffID;Name;Tags;Owner;Country;Time zone;Start;End;In;Out;Completeness;Closed;In before;Change in %",
  );
  expect(line).toMatch(
    new RegExp(
      `^${id};"'=Shop; 0";"?chain, row 0"?;[^;]+;Germany;Europe/Berlin;2025-03-10 00:00:00;2025-03-11 00:00:00;\\d+;\\d+;0,\\d+;;;$`,
    ),
  );
});

test("nothing known is an empty cell; no match is a file without rows", async () => {
  const [line] = await csv(`ids=${ids[0]}&range=2023-05-01,2023-05-01&by=day&compare=year`);
  expect(line).toMatchObject({ in: "", out: "", completeness: "", earlier: "", change: "" });
  expect(await csv("name=nothing-like-this&range=last7days")).toEqual([]);
  expect(await csv("name=nothing-like-this&range=last7days&layout=wide&groupBy=tag")).toEqual([]);
});

test("filters are those of the location list; only visible locations are in the file", async () => {
  const names = async (query: string, who?: Person) =>
    // The rows are in the order of the names.
    [...new Set((await csv(`range=2025-03-10,2025-03-10&by=day&${query}`, who)).map((line) => line["name"]))];
  expect(await names("tag=ROW%201")).toEqual(["Shop 1", "Shop 3"]);
  expect(await names("tag=row%201&country=germany")).toEqual(["Shop 1"]);
  expect(await names("name=shop%204")).toEqual(["Shop 4"]);
  expect(await names("tagAny=row%200&tagAny=row%201&open=true")).toEqual(["Shop 0", "Shop 1", "Shop 2", "Shop 3"]);
  const own: Permissions = { ownable: { measurement: { canViewObject: { me: true } } } };
  const reader = await site.person(own);
  const mine = await site.location("Europe/Berlin", reader);
  expect(await names("", reader)).toEqual(["A place"]);
  expect(await names(`ids=${mine}&ids=${ids[0]}`, reader)).toEqual(["A place"]);
  await site.ctx.db.updateTable("location").set({ is_deleted: true }).where("id", "=", mine).execute();
  expect(await names("", reader)).toEqual([]);
  expect(await names("", await site.person(null))).toEqual([]);
  expect(code(await site.call(null, path("range=today")))).toEqual([401, 106]);
  expect((await site.call(null, path(`range=today&token=${reader.token}`))).status).toBe(200);
  expect(code(await site.call(null, path(`range=today&token=${reader.token}x`)))).toEqual([401, 106]);
});

test.each([
  ["rows as XLSX", "format=xlsx&by=hour&range=2000-01-01,2019-12-31", 46, { field: "by", limit: 1_048_575 }, "rows"],
  ["rows as CSV", "format=csv&by=hour&range=2000-01-01,2019-12-31", 60, { field: "by", limit: 10_000_000 }, "rows"],
  [
    "rows of groups as XLSX",
    "format=xlsx&by=hour&groupBy=tag&range=2000-01-01,2019-12-31",
    46,
    { field: "by", limit: 1_048_575 },
    "rows",
  ],
  [
    "columns",
    "layout=wide&by=hour&range=2018-01-01,2019-12-31",
    1,
    { field: "by", limit: 16_384, asked: 17_526 },
    "columns",
  ],
])(
  "too many %s are refused before the first byte, with the limit and the number",
  async (_, query, n, details, what) => {
    const owner = await site.person({ ownable: { measurement: { canViewObject: { me: true } } } });
    for (let place = 0; place < n; place += 1) {
      const id = await site.location("UTC", owner);
      await site.ctx.db
        .updateTable("location")
        .set({ tags: [`tag ${place}`] })
        .where("id", "=", id)
        .execute();
    }
    const answer = await site.call(owner, path(query));
    expect(code(answer)).toEqual([400, 102]);
    const found = (answer.body as { details: { reason: string; limit: number; asked: number } }).details;
    expect(found).toMatchObject(details);
    const number = (value: number) => value.toLocaleString("en");
    expect(found.reason).toContain(`${number(found.asked)} ${what}, but a file has at most ${number(found.limit)}.`);
  },
);

test.each([
  "format=pdf",
  "layout=high",
  "by=year",
  "groupBy=zone",
  "open=yes",
  "compare=never",
  "skip=1",
  "separator=;",
])("the parameter %s is refused", async (query) => {
  expect(code(await site.call(site.root, path(query)))).toEqual([400, 102]);
});
