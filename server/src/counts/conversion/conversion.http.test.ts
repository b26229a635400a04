// Conversion over HTTP at every boundary: open time, closed days, parts of days, gaps, currencies, rights (docs/rules/sales.md#conversion).
import { type Counts, listLocationCounts, type LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { type OpeningHours, openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { readSheet } from "read-excel-file/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { putSales } from "../../sales/sales.service.ts";
import { countRecord, createSite, type Person, type Site } from "../../datapoint/site.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const zone = zoneOf("Europe/Berlin");
const dayOf = (date: string) => Date.parse(date) / 86_400_000;
const at = (date: string, clock: number) => new Date(zone.dayStart(dayOf(date)) + clock * hour).toISOString();
const range = [{ from: "09:00", to: "20:00" }];
const hours: OpeningHours = openingHoursInput.parse({
  week: { mo: range, tu: range, we: range, th: range, fr: range, sa: range },
});

/** In each hour of the local days, as many people come in as the clock shows: 276 a day, 154 while open. */
async function openShop(dates: readonly string[], { isCounted = (clock: number) => clock >= 0, opening = true } = {}) {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id });
  if (opening) await site.setHours(id, hours);
  const records = dates.flatMap((date) =>
    Array.from({ length: 24 }, (_, clock) => clock)
      .filter(isCounted)
      .map((clock) => countRecord(Date.parse(at(date, clock)), 3600, { L1: [clock, 1] })),
  );
  await site.store(sensor, records, { via: "fill" });
  return id;
}

type Entry = { start: string; end: string; transactions: number; revenue?: number; currency?: string };

async function sell(id: string, entries: readonly Entry[]): Promise<void> {
  const sales = entries.map((entry) => ({ revenue: 100, currency: "EUR", ...entry }));
  await putSales(site.ctx, site.root, id, sales);
}
const daySale = (date: string, transactions: number, more: object = {}): Entry => ({
  start: at(date, 0),
  end: at(date, 24),
  transactions,
  ...more,
});
const hourSale = (date: string, clock: number, transactions: number): Entry => ({
  start: at(date, clock),
  end: at(date, clock + 1),
  transactions,
});

async function salesOf(id: string, query: string, who: Person = site.root): Promise<Counts["sales"]> {
  const answer = await site.call(who, `/api/v2/counts?filter=meas:${id}&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as Counts).sales;
}

async function compared(query: string) {
  const answer = await site.call(site.root, `/api/v2/counts/locations?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return listLocationCounts.reply.parse(answer.body);
}

// 2026-03-02 is a Monday.
const monday = "range=2026-03-02,2026-03-02";

test("a day's sales are compared with the people of its open time, or of all day without open=true", async () => {
  const id = await openShop(["2026-03-02"]);
  await sell(id, [daySale("2026-03-02", 77, { revenue: 308 })]);
  expect((await salesOf(id, `${monday}&open=true`))?.total).toEqual({
    transactions: 77,
    revenue: [{ currency: "EUR", amount: 308, perVisitor: 2 }],
    staffHours: null,
    visitors: 154,
    conversion: 0.5,
    days: 1,
    comparedDays: 1,
  });
  expect((await salesOf(id, monday))?.total).toMatchObject({ visitors: 276, conversion: 0.279 });
});

test("hours are compared with exactly their people; hours outside opening hours are left out", async () => {
  const id = await openShop(["2026-03-02"]);
  await sell(
    id,
    [9, 10, 19, 20].map((clock) => hourSale("2026-03-02", clock, 2)),
  );
  expect((await salesOf(id, `${monday}&open=true`))?.total).toMatchObject({ transactions: 6, visitors: 9 + 10 + 19 });
  expect((await salesOf(id, monday))?.total).toMatchObject({ transactions: 8, visitors: 9 + 10 + 19 + 20 });
  const byHour = await salesOf(id, `${monday}&by=hour&open=true`);
  expect(byHour?.rows.map((row) => row && row.visitors)).toEqual(
    Array.from({ length: 24 }, (_, clock) => ([9, 10, 19].includes(clock) ? clock : null)),
  );
  expect(byHour?.rows[10]).toMatchObject({ transactions: 2, conversion: 0.2 });
});

test("hours that cover all open time give the same as their day", async () => {
  const open = Array.from({ length: 11 }, (_, n) => 9 + n);
  const id = await openShop(["2026-03-02"]);
  await sell(
    id,
    open.map((clock) => hourSale("2026-03-02", clock, 7)),
  );
  expect((await salesOf(id, `${monday}&open=true`))?.total).toMatchObject({ visitors: 154, conversion: 0.5 });
});

test("a day of a former zone that is a part of a longer day is compared with its own people", async () => {
  // With 25 hours, the day in Berlin starts an hour before that in Tunis, and ends with it.
  const date = "2026-10-25";
  const id = await openShop([date], { opening: false });
  await site.setZone(id, "Africa/Tunis");
  const start = Temporal.PlainDate.from(date).toZonedDateTime("Africa/Tunis");
  const [from, to] = [start, start.add({ days: 1 })].map((one) => one.toInstant().toString());
  if (from === undefined || to === undefined) throw new Error("No day");
  await sell(id, [{ start: from, end: to, transactions: 46 }]);
  await site.setZone(id, "Europe/Berlin");
  // The sensor counted from 0:00 in Berlin on, 24 hours; no one came in the first one.
  const sales = await salesOf(id, `range=${date},${date}&by=day`);
  expect(sales?.total).toMatchObject({ days: 1, comparedDays: 1, transactions: 46, visitors: 276 });
});

test("a day's sales are unknown in its hours", async () => {
  const id = await openShop(["2026-03-02"]);
  await sell(id, [daySale("2026-03-02", 5)]);
  const sales = await salesOf(id, `${monday}&by=hour`);
  expect(sales?.rows.every((row) => row === null)).toBe(true);
  expect(sales?.total?.transactions).toBe(5);
});

test("sales of a closed day count only without open=true", async () => {
  const id = await openShop(["2026-03-07", "2026-03-08"]);
  await sell(id, [daySale("2026-03-07", 77), daySale("2026-03-08", 1000)]);
  const weekend = "range=2026-03-07,2026-03-08";
  expect((await salesOf(id, `${weekend}&open=true`))?.total).toMatchObject({
    transactions: 77,
    conversion: 0.5,
    days: 1,
  });
  expect((await salesOf(id, weekend))?.total).toMatchObject({ transactions: 1077, days: 2, comparedDays: 1 });
});

test("of eleven open hours, at least 80 % must be counted", async () => {
  const known = await openShop(["2026-03-02"], { isCounted: (clock) => clock !== 10 && clock !== 15 });
  const unknown = await openShop(["2026-03-02"], { isCounted: (clock) => clock < 10 || clock > 12 });
  for (const id of [known, unknown]) await sell(id, [daySale("2026-03-02", 5)]);
  expect((await salesOf(known, `${monday}&open=true`))?.total).toMatchObject({ visitors: 129, comparedDays: 1 });
  expect((await salesOf(unknown, `${monday}&open=true`))?.total).toMatchObject({
    transactions: 5,
    visitors: null,
    conversion: null,
    days: 1,
    comparedDays: 0,
  });
});

test("the day on which the first sensor came is unknown, because people before it were not counted", async () => {
  const id = await openShop(["2026-03-02"], { isCounted: (clock) => clock >= 15 });
  const early = await openShop(["2026-03-02"], { isCounted: (clock) => clock >= 11 });
  for (const one of [id, early]) await sell(one, [daySale("2026-03-02", 5)]);
  expect((await salesOf(id, `${monday}&open=true`))?.total).toMatchObject({ transactions: 5, comparedDays: 0 });
  expect((await salesOf(early, `${monday}&open=true`))?.total).toMatchObject({ transactions: 5, comparedDays: 1 });
});

test("people of a day that has not ended are unknown", async () => {
  const today = new Date(site.ctx.clock.now()).toISOString().slice(0, 10);
  const id = await openShop([]);
  await sell(id, [daySale(today, 5)]);
  const sales = await salesOf(id, `range=${today},${today}`);
  expect(sales?.total).toMatchObject({ transactions: 5, visitors: null, conversion: null, days: 1, comparedDays: 0 });
});

test("without people there is no conversion, and it may exceed 1", async () => {
  const empty = await openShop(["2026-03-02"], { opening: false });
  await sell(empty, [hourSale("2026-03-02", 0, 3), hourSale("2026-03-02", 1, 3)]);
  expect((await salesOf(empty, monday))?.total).toMatchObject({ visitors: 1, conversion: 6 });
  const sales = await salesOf(empty, `${monday}&by=hour`);
  expect(sales?.rows[0]).toMatchObject({ transactions: 3, visitors: 0, conversion: null });
});

test("several currencies are listed, and have no revenue per visitor", async () => {
  const id = await openShop(["2026-03-02", "2026-03-03"]);
  await sell(id, [daySale("2026-03-02", 5), daySale("2026-03-03", 5, { currency: "CHF", revenue: 7.5 })]);
  const sales = await salesOf(id, "range=2026-03-02,2026-03-03&by=day&open=true");
  expect(sales?.total).toMatchObject({
    revenue: [
      { currency: "CHF", amount: 7.5, perVisitor: null },
      { currency: "EUR", amount: 100, perVisitor: null },
    ],
    conversion: 0.0325,
  });
  expect(sales?.rows.map((row) => row?.revenue)).toEqual([
    [{ currency: "EUR", amount: 100, perVisitor: 0.65 }],
    [{ currency: "CHF", amount: 7.5, perVisitor: 0.05 }],
  ]);
});

test("conversion is compared over days that are known on both sides", async () => {
  const id = await openShop(["2026-03-02", "2026-03-03", "2026-02-23", "2026-02-24"]);
  await sell(id, [daySale("2026-03-02", 77), daySale("2026-03-03", 154), daySale("2026-02-23", 154)]);
  const sales = await salesOf(id, "range=2026-03-02,2026-03-03&open=true");
  expect(sales?.total).toMatchObject({ conversion: 0.75 });
  expect(sales?.earlier).toMatchObject({ conversion: 1, days: 1 });
  expect(sales?.conversionChange).toBe(-50);
});

test("the change is not computed from rounded conversions", async () => {
  const id = await openShop(["2026-03-02", "2026-02-23"]);
  await sell(id, [daySale("2026-03-02", 1), daySale("2026-02-23", 0)]);
  expect((await salesOf(id, `${monday}&open=true`))?.conversionChange).toBe(0.6);
});

test("a day that is not over is compared up to the same local time", async () => {
  const dayMs = 24 * hour;
  const start = Math.floor(site.ctx.clock.now() / dayMs) * dayMs;
  const id = await site.location("UTC");
  const iso = (ms: number) => new Date(ms).toISOString();
  const hoursFrom = (first: number) =>
    Array.from({ length: 24 }, (_, n) => ({
      start: iso(first + n * hour),
      end: iso(first + (n + 1) * hour),
      transactions: 1,
    }));
  await sell(id, [...hoursFrom(start), ...hoursFrom(start - 7 * dayMs)]);
  const sales = await salesOf(id, "range=today");
  const elapsed = Math.floor((site.ctx.clock.now() - start) / hour);
  expect([sales?.total?.transactions, sales?.earlier?.transactions ?? 0]).toEqual([24, elapsed]);
});

test("locations and groups are sorted by conversion and its change, unknown ones last", async () => {
  const [good, bad, none] = [
    await openShop(["2026-03-02", "2026-02-23"]),
    await openShop(["2026-03-02", "2026-02-23"]),
    await openShop(["2026-03-02", "2026-02-23"]),
  ];
  await sell(good, [daySale("2026-03-02", 77), daySale("2026-02-23", 154)]);
  await sell(bad, [daySale("2026-03-02", 7), daySale("2026-02-23", 7)]);
  const ids = `ids=${good}&ids=${bad}&ids=${none}&${monday}&open=true`;
  const order = async (sortBy: string) =>
    (await compared(`${ids}&sortBy=${sortBy}`)).objects.map(({ _id }: LocationCounts) => _id);
  expect(await order("conversion")).toEqual([bad, good, none]);
  expect(await order("-conversion")).toEqual([good, bad, none]);
  expect(await order("conversionChange")).toEqual([good, bad, none]);
  expect(await order("-conversionChange")).toEqual([bad, good, none]);
  expect(await order("-transactions")).toEqual([good, bad, none]);
  expect(await order("revenuePerVisitor")).toHaveLength(3);
  const { objects } = await compared(ids);
  expect(objects.find(({ _id }) => _id === good)).toMatchObject({ sales: { conversion: 0.5 }, conversionChange: -50 });
  const { sum, groups } = await compared(`${ids}&groupBy=owner&sortBy=-conversion`);
  expect(sum).toMatchObject({ sales: { transactions: 84, visitors: 308 }, conversionChange: -25 });
  expect(groups).toMatchObject([{ sales: { transactions: 84, conversion: 0.2727 } }]);
});

test("revenue per visitor is sorted within each currency", async () => {
  const shops = await Promise.all(Array.from({ length: 4 }, () => openShop(["2026-03-02"])));
  const [a, b, c, d] = shops;
  await sell(a ?? "", [daySale("2026-03-02", 1, { revenue: 300 })]);
  await sell(b ?? "", [daySale("2026-03-02", 1, { revenue: 900, currency: "CHF" })]);
  await sell(c ?? "", [daySale("2026-03-02", 1, { revenue: 600 })]);
  const { objects } = await compared(
    `${shops.map((id) => `ids=${id}`).join("&")}&${monday}&open=true&sortBy=-revenuePerVisitor`,
  );
  expect(objects.map(({ _id }) => _id)).toEqual([b, c, a, d]);
});

test("who may only view a location sees its people, but not its sales", async () => {
  const id = await openShop(["2026-03-02"]);
  await sell(id, [daySale("2026-03-02", 77)]);
  const view = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  const viewer = await site.person({ ownable: { measurement: view } });
  expect(await salesOf(id, monday, viewer)).toBeNull();
  const answer = await site.call(viewer, `/api/v2/counts/locations?ids=${id}&${monday}&sortBy=conversion`);
  expect((answer.body as { objects: LocationCounts[] }).objects).toMatchObject([{ _id: id, in: 276, sales: null }]);
  const editor = await site.person(fullPermissions);
  expect((await site.call(editor, `/api/v2/counts?filter=meas:${id}&${monday}`)).status).toBe(404);
});

type Line = Record<string, string | undefined>;

async function fileOf(query: string, who: Person = site.root): Promise<Line[]> {
  const answer = await site.call(who, `/data/v2/counts/file?format=csv&separator=semicolon&${query}`);
  expect(answer.status, answer.text).toBe(200);
  const [head = "", ...lines] = answer.text.trimEnd().split("\n");
  const names = head.split(";");
  return lines.map((line) =>
    Object.fromEntries(
      line
        .replaceAll(`"`, "")
        .split(";")
        .map((cell, index) => [names[index], cell]),
    ),
  );
}

test.each(["hour", "day", "week", "month"])("a file by %s has the sales of the page", async (by) => {
  const days = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"];
  const id = await openShop(days);
  await sell(id, [
    ...[8, 9, 12, 19].map((clock) => hourSale("2026-02-28", clock, clock)),
    daySale("2026-02-27", 31),
    daySale("2026-03-01", 500),
    daySale("2026-03-02", 40, { revenue: -2.5 }),
    daySale("2026-03-03", 3, { currency: "CHF" }),
  ]);
  for (const open of ["", "&open=true"]) {
    const query = `range=2026-02-27,2026-03-03&by=${by}${open}`;
    const page = await salesOf(id, query);
    const lines = await fileOf(`ids=${id}&${query}`);
    expect(lines.map((line) => [line["transactions"], line["conversion"], line["revenue"], line["currency"]])).toEqual(
      page?.rows.map((row) => [
        String(row?.transactions ?? ""),
        String(row?.conversion ?? ""),
        String(row?.revenue.length === 1 ? row.revenue[0]?.amount : ""),
        row?.revenue.map(({ currency }) => currency).join(", ") ?? "",
      ]),
    );
    const grouped = await fileOf(`ids=${id}&groupBy=owner&${query}`);
    expect(grouped.map((line) => line["conversion"])).toEqual(lines.map((line) => line["conversion"]));
  }
});

test("a file has no columns for sales without any, for those who may not read them, and in the wide layout", async () => {
  const id = await openShop(["2026-03-02"]);
  const isShown = async (query: string, who?: Person) =>
    Object.keys((await fileOf(`ids=${id}&${query}`, who))[0] ?? {}).includes("transactions");
  expect(await isShown(monday)).toBe(false);
  await sell(id, [daySale("2026-03-02", 77)]);
  expect(await isShown(monday)).toBe(true);
  expect(await isShown(`${monday}&layout=wide`)).toBe(false);
  expect(await isShown("range=2026-03-03,2026-03-03")).toBe(false);
  const view = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
  expect(await isShown(monday, await site.person({ ownable: { measurement: view } }))).toBe(false);
});

test("in a workbook, conversion and revenue are numbers", async () => {
  const id = await openShop(["2026-03-02"]);
  await sell(id, [daySale("2026-03-02", 77, { revenue: 308.5 })]);
  const { bytes } = await site.call(site.root, `/data/v2/counts/file?format=xlsx&ids=${id}&${monday}&by=day&open=true`);
  const [head = [], row = []] = await readSheet(Buffer.from(bytes));
  const cell = (name: string) => row[head.indexOf(name)];
  expect([cell("Transactions"), cell("Conversion"), cell("Revenue"), cell("Currency")]).toEqual([
    77,
    0.5,
    308.5,
    "EUR",
  ]);
});

test("a sensor has no sales", async () => {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id });
  await sell(id, [daySale("2026-03-02", 1)]);
  const answer = await site.call(site.root, `/api/v2/counts?filter=sens:${sensor.id}&${monday}`);
  expect((answer.body as Counts).sales).toBeNull();
});
