// Tests counts with opening hours over HTTP: sums, completeness, closed days, comparisons, and changes of the hours.
import type { Counts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import type { AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import { type OpeningHours, openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countRecord, createSite, type Site } from "../datapoint/site.testing.ts";
import { createEvent } from "../event/event.service.ts";
import { openSumsJob } from "../count/open-sums/open-sums.job.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const zone = zoneOf("Europe/Berlin");
const day = (date: string) => Date.parse(date) / 86_400_000;
const shop = [{ from: "09:00", to: "20:00" }];
const week = { mo: shop, tu: shop, we: shop, th: shop, fr: shop, sa: shop };

function hours(facts: object = {}): OpeningHours {
  return openingHoursInput.parse({ week, ...facts });
}

/** Stores a record for each hour of local days; as many people in as the clock shows, one out. */
async function storeDays(sensor: Parameters<Site["store"]>[0], dates: string[], only = (_hour: number) => true) {
  const records = dates.flatMap((date) => {
    const [from, to] = [zone.dayStart(day(date)), zone.dayStart(day(date) + 1)];
    return Array.from({ length: (to - from) / hour }, (_, n) => from + n * hour)
      .filter((ms) => only(new Date(zone.localMs(ms)).getUTCHours()))
      .map((ms) => countRecord(ms, 3600, { L1: [new Date(zone.localMs(ms)).getUTCHours(), 1] }));
  });
  await site.store(sensor, records, { via: "fill" });
}

const rebuild = () => openSumsJob(site.ctx).run();

async function counts(id: string, query: string): Promise<Counts> {
  const answer = await site.call(site.root, `/api/v2/counts?filter=meas:${id}&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Counts;
}

async function compared(id: string, query: string): Promise<LocationCounts | undefined> {
  const answer = await site.call(site.root, `/api/v2/counts/locations?ids=${id}&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { objects: LocationCounts[] }).objects[0];
}

const dates = (first: string, count: number) =>
  Array.from({ length: count }, (_, n) => new Date(Date.parse(first) + n * 86_400_000).toISOString().slice(0, 10));

async function openShop(opening: OpeningHours | null) {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id });
  await site.setHours(id, opening);
  return { id, sensor };
}

const whole = (276 - 0) * 7;
const within = 154 * 6;
// 2026-03-02 is a Monday.
const monday = "range=2026-03-02,2026-03-08";

test("DS-01 open=true counts people within opening hours only, before and after sums are recomputed", async () => {
  const { id, sensor } = await openShop(null);
  await storeDays(sensor, dates("2026-03-02", 7));
  expect(await counts(id, `${monday}&open=true`)).toMatchObject({
    total: { in: whole },
    hasOpeningHours: false,
    outside: null,
  });
  await site.setHours(id, hours());
  const expected = { total: { in: within, out: 66, completeness: 1 }, outside: { in: whole - within, out: 102 } };
  for (const again of [false, true]) {
    if (again) await rebuild();
    expect(await counts(id, `${monday}&by=day&open=true`)).toMatchObject({ ...expected, hasOpeningHours: true });
    expect(await counts(id, `${monday}&by=hour&open=true`)).toMatchObject(expected);
    expect(await counts(id, `${monday}&by=day`)).toMatchObject({ total: { in: whole, out: 168, completeness: 1 } });
    expect(await compared(id, `${monday}&open=true`)).toMatchObject({ in: within, closed: false, completeness: 1 });
    expect(await compared(id, monday)).toMatchObject({ in: whole });
  }
  // Counts that arrive later are added to the recomputed sums.
  await storeDays(sensor, dates("2026-03-09", 7));
  expect((await counts(id, "range=2026-03-02,2026-03-15&by=week&open=true")).rows.map((row) => row.in)).toEqual([
    within,
    within,
  ]);
});

test("DS-01 a closed day is closed: no number, no gap, and no completeness", async () => {
  const { id, sensor } = await openShop(
    hours({ exceptions: [{ date: "2026-03-04", hours: null, name: "Stocktaking" }] }),
  );
  await storeDays(sensor, dates("2026-03-02", 7), (at) => at >= 9 && at < 20);
  await rebuild();
  const { rows, notes, total } = await counts(id, `${monday}&by=day&open=true`);
  expect(rows.map((row) => [row.closed, row.in, row.completeness])).toEqual([
    [false, 154, 1],
    [false, 154, 1],
    [true, null, null],
    [false, 154, 1],
    [false, 154, 1],
    [false, 154, 1],
    [true, null, null],
  ]);
  expect(total).toEqual({ in: 154 * 5, out: 55, completeness: 1 });
  expect(notes).toEqual([{ first: "2026-03-04", last: "2026-03-04", name: "Stocktaking", kind: "exception" }]);
  const unfiltered = await counts(id, `${monday}&by=day`);
  expect(unfiltered.rows.map((row) => row.in)).toEqual(Array.from({ length: 7 }, () => 154));
  expect(unfiltered.rows.map((row) => row.closed)).toEqual(rows.map((row) => row.closed));
  expect(await compared(id, "range=2026-03-04,2026-03-04&open=true")).toMatchObject({
    in: null,
    closed: true,
    rank: null,
  });
});

test("DS-01 the aggregate of the data service agrees with the page", async () => {
  const { id, sensor } = await openShop(hours());
  await storeDays(sensor, dates("2026-03-02", 7));
  const from = encodeURIComponent("2026-03-01T23:00:00Z");
  const to = encodeURIComponent("2026-03-08T23:00:00Z");
  const path = `/data/v2/aggregate/json?filter=meas:${id}&acc=day&from=${from}&to=${to}`;
  const rowsOf = async (query: string) =>
    ((await site.call(site.root, path + query)).body as AggregateRow[]).map((row) => [row.data.in, row.completeness]);
  expect(await rowsOf("&open=true")).toEqual([...Array.from({ length: 6 }, () => [154, 1]), [null, 0]]);
  expect(await rowsOf("")).toEqual(Array.from({ length: 7 }, () => [276, 1]));
});

test("DS-01 completeness considers open time only", async () => {
  const { id, sensor } = await openShop(hours());
  // 2 of 11 open hours are missing on each day, and the nights are not counted at all.
  await storeDays(sensor, dates("2026-03-02", 7), (at) => at >= 11 && at < 20);
  for (const again of [false, true]) {
    if (again) await rebuild();
    expect((await counts(id, `${monday}&by=day`)).total.completeness).toBeCloseTo(9 / 11, 6);
    expect((await compared(id, monday))?.completeness).toBeCloseTo(9 / 11, 6);
  }
});

test("DS-01 a record across the opening time belongs to its start; its known time is divided", async () => {
  const half = [{ from: "09:30", to: "20:00" }];
  const { id, sensor } = await openShop(hours({ week: { mo: half } }));
  await storeDays(sensor, ["2026-03-02"], (at) => at >= 9 && at < 20);
  const { total } = await counts(id, "range=2026-03-02,2026-03-02&by=day&open=true");
  // The hour from 9:00 starts before the opening, so its 9 people are outside.
  expect(total).toEqual({ in: 145, out: 10, completeness: 1 });
});

test("DS-01 hours over midnight belong to the day on which they start", async () => {
  const night = { from: "18:00", to: "02:00" };
  const closedSaturday = { exceptions: [{ date: "2026-03-07", hours: null }] };
  const { id, sensor } = await openShop(hours({ week: { fr: [night], sa: [night] }, ...closedSaturday }));
  await storeDays(sensor, dates("2026-03-02", 7));
  const { rows } = await counts(id, `${monday}&by=day&open=true`);
  // Friday from 18:00 to 24:00, and its end on Saturday; Saturday's own night is cancelled.
  expect(rows.map((row) => [row.closed, row.in])).toEqual([
    [true, null],
    [true, null],
    [true, null],
    [true, null],
    [false, 18 + 19 + 20 + 21 + 22 + 23],
    [false, 0 + 1],
    [true, null],
  ]);
});

test("DS-01 comparisons leave out days that were closed on either side, and say how many", async () => {
  const { id, sensor } = await openShop(hours({ exceptions: [{ date: "2026-02-25", hours: null, name: "Strike" }] }));
  await storeDays(sensor, dates("2026-02-23", 14));
  const expected = { skippedDays: 2 };
  for (const again of [false, true]) {
    if (again) await rebuild();
    const page = await counts(id, `${monday}&open=true`);
    // Without the strike, both weeks have the same numbers. Sundays are closed in both.
    expect(page.earlier).toMatchObject({ ...expected, total: { in: 154 * 5 } });
    expect(page.change).toEqual({ in: 0, out: 0 });
    expect(await compared(id, `${monday}&open=true`)).toMatchObject({ ...expected, change: { in: 0, out: 0 } });
    // A call without `open` compares all days.
    expect(await counts(id, monday)).toMatchObject({ earlier: { skippedDays: 0 }, change: { in: 0 } });
  }
});

test("DS-01 a location without own hours follows the default of its owner", async () => {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id });
  await storeDays(sensor, dates("2026-03-02", 7));
  const { db } = site.ctx;
  const setDefault = (value: string | null) =>
    db.updateTable("account").set({ opening_hours: value }).where("id", "=", site.root.id).execute();
  await setDefault(JSON.stringify(hours()));
  for (const again of [false, true]) {
    if (again) await rebuild();
    expect((await counts(id, `${monday}&open=true`)).total.in).toBe(within);
  }
  await setDefault(JSON.stringify(hours({ week: { mo: [{ from: "00:00", to: "24:00" }] } })));
  expect((await counts(id, `${monday}&open=true`)).total.in).toBe(276);
  await setDefault(null);
  expect((await counts(id, `${monday}&open=true`)).total.in).toBe(whole);
});

test("DS-01 hours that are changed back and forth never leave outdated sums", async () => {
  const { id, sensor } = await openShop(hours());
  await storeDays(sensor, dates("2026-03-02", 3));
  await rebuild();
  await site.setHours(id, hours({ week: { tu: shop } }));
  // Added under the changed hours.
  await storeDays(sensor, dates("2026-03-05", 2));
  await site.setHours(id, hours());
  expect((await counts(id, `${monday}&by=day&open=true`)).total.in).toBe(154 * 5);
  await rebuild();
  expect((await counts(id, `${monday}&by=day&open=true`)).total.in).toBe(154 * 5);
  await site.setHours(id, null);
  await storeDays(sensor, ["2026-03-07"]);
  await site.setHours(id, hours());
  expect((await counts(id, `${monday}&by=day&open=true`)).total.in).toBe(154 * 6);
  await rebuild();
  expect((await counts(id, `${monday}&by=day&open=true`)).total.in).toBe(154 * 6);
});

test("DS-01 a sensor follows the hours of the location where it counted", async () => {
  const { id: first, sensor } = await openShop(hours());
  const second = await site.location("Europe/Berlin");
  await site.setHours(second, hours({ week: { th: [{ from: "00:00", to: "24:00" }] } }));
  await site.assign(sensor, second, zone.dayStart(day("2026-03-05")));
  await storeDays(sensor, dates("2026-03-02", 7));
  expect(first).not.toBe(second);
  const sensorCounts = async () =>
    (
      await site.call(
        site.root,
        `/api/v2/counts?filter=${encodeURIComponent(`sens:${sensor.id}`)}&${monday}&by=day&open=true`,
      )
    ).body as Counts;
  for (const again of [false, true]) {
    if (again) await rebuild();
    expect((await sensorCounts()).rows.map((row) => row.in)).toEqual([154, 154, 154, 276, null, null, null]);
  }
});

test("DS-01 events are named; those to leave out of comparisons are left out on both sides", async () => {
  const { id, sensor } = await openShop(null);
  await storeDays(sensor, dates("2026-02-23", 14));
  // A day with half the people, in each of the two weeks.
  const half = await site.sensor({ locationId: id, since: zone.dayStart(day("2026-02-24")) });
  await site.assign(half, null, zone.dayStart(day("2026-02-25")));
  await storeDays(half, ["2026-02-24"]);
  expect((await counts(id, monday)).change.in).toBe(-12);
  const event = { name: "Winter sale", from: "2026-02-24", to: "2026-02-24", scope: { measIDs: [id] } };
  await createEvent(site.ctx, site.root, event);
  expect(await counts(id, monday)).toMatchObject({ notes: [], change: { in: -12 }, earlier: { skippedDays: 0 } });
  await createEvent(site.ctx, site.root, { ...event, name: "Sale", excludeFromComparison: true });
  const page = await counts(id, monday);
  expect(page).toMatchObject({ notes: [], change: { in: 0 }, earlier: { skippedDays: 1, total: { in: 8 * 276 } } });
  expect(await compared(id, monday)).toMatchObject({ change: { in: 0 }, skippedDays: 1 });
  const { notes } = await counts(id, "range=2026-02-23,2026-03-01");
  expect(notes.map(({ name, kind }) => [name, kind])).toEqual([
    ["Sale", "event"],
    ["Winter sale", "event"],
  ]);
});
