// Counts within opening hours at every boundary: expected numbers by hand, and the oracle's (docs/rules/counts.md).
import type { Counts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { type OpeningHours, openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSumsJob } from "../count/open-sums/open-sums.job.ts";
import { countRecord, createSite, type Site } from "../datapoint/site.testing.ts";
import { createHolidayNames } from "../opening/holidays.adapter.ts";
import { staysOf } from "./open.shops.testing.ts";
import { checkAggregate, checkList, checkPage, type Shop, setOwnHours, type World } from "./open.world.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const [second, hour] = [1000, 3_600_000];
const range = (from: string, to: string) => [{ from, to }];
const hoursOf = (week: object, more: object = {}): OpeningHours => openingHoursInput.parse({ week, ...more });

type Move = { at: number; place: number };
type Example = {
  zone?: string;
  hours: OpeningHours;
  /** First and last day. */
  days: [string, string];
  comparison?: "previous" | "year";
  sensors: { records: CountRecord[]; moves?: Move[] }[];
};

/** Plants a shop, and compares all its counts with the oracle before and after its sums are recomputed. */
async function plant({ zone = "Europe/Berlin", hours, days, comparison = "previous", sensors }: Example) {
  const shop: Shop = { id: await site.location(zone), zone, owner: site.root, hours: null, stays: [] };
  const [first, last] = days;
  const world: World = {
    site,
    reader: site.root,
    period: { first, last },
    shops: [shop],
    defaults: new Map(),
    records: [],
    holidayNames: createHolidayNames,
    oracles: new Map(),
  };
  for (const { records, moves = [{ at: Date.UTC(2020, 0, 1), place: 0 }] } of sensors) {
    const [start, ...later] = moves;
    const sensor = await site.sensor({ locationId: shop.id, since: start?.at ?? 0 });
    for (const { at, place } of later) await site.assign(sensor, place === 0 ? shop.id : null, at);
    shop.stays.push(...staysOf(sensor.num, moves, 0));
    const outcomes = await site.store(sensor, records, { via: "fill" });
    expect(outcomes.every(({ outcome }) => outcome === "stored")).toBe(true);
    world.records.push(...records.map((record) => ({ sensor: sensor.num, record })));
  }
  await setOwnHours(world, shop, hours);
  const differences: string[] = [];
  for (const again of [false, true]) {
    if (again) await openSumsJob(site.ctx).run();
    for (const open of [true, false]) {
      for (const by of ["hour", "day"] as const) await checkPage(world, shop, { by, open, comparison }, differences);
      await checkList(world, { open, comparison }, differences);
    }
    await checkAggregate(world, shop, { by: "day", open: true }, differences);
  }
  expect(differences).toEqual([]);
  const get = async (path: string) => (await site.call(site.root, path)).body;
  const text = `range=${first},${last}&open=true&compare=${comparison}`;
  return {
    page: (await get(`/api/v2/counts?filter=meas:${shop.id}&by=day&${text}`)) as Counts,
    row: ((await get(`/api/v2/counts/locations?ids=${shop.id}&${text}`)) as { objects: LocationCounts[] }).objects[0],
  };
}

/** An instant in Berlin, in winter unless the time has an offset. */
const at = (text: string) => Date.parse(/[Z+]/.test(text.slice(11)) ? text : `${text}+01:00`);
/** Lasts for `ms`; `people` come in. */
const one = (start: number, people: number, ms = second) => countRecord(start, ms / 1000, { door: [people, 0] });
/** Hourly records from the first instant until the second one; the last one may be shorter. */
const series = (from: number, to: number, people = 1) =>
  Array.from({ length: Math.ceil((to - from) / hour) }, (_, n) =>
    one(from + n * hour, people, Math.min(hour, to - from - n * hour)),
  );

// 2026-03-02 is a Monday.
test("DS-01 the opening minute is open, the closing minute is not", async () => {
  const records = [
    one(at("2026-03-02T09:00") - 1, 1, 1),
    one(at("2026-03-02T09:00"), 10, 1),
    one(at("2026-03-02T20:00") - 1, 100, 1),
    one(at("2026-03-02T20:00"), 1000, 1),
  ];
  const { page, row } = await plant({
    hours: hoursOf({ mo: range("09:00", "20:00") }),
    days: ["2026-03-02", "2026-03-02"],
    sensors: [{ records }],
  });
  expect(page).toMatchObject({ total: { in: 110, completeness: 0.000_001 }, outside: { in: 1001 } });
  expect(row).toMatchObject({ in: 110, rank: null, closed: false });
});

test("DS-01 a range until 24:00 ends at midnight, one from 00:00 begins there", async () => {
  const midnight = at("2026-03-03T00:00");
  const records = [one(midnight - 1, 1, 1), one(midnight, 10, 1)];
  for (const [week, people] of [
    [{ mo: range("12:00", "24:00") }, [1, null]],
    [{ tu: range("00:00", "12:00") }, [null, 10]],
    [{ mo: range("12:00", "24:00"), tu: range("00:00", "12:00") }, [1, 10]],
  ] as const) {
    const { page } = await plant({ hours: hoursOf(week), days: ["2026-03-02", "2026-03-03"], sensors: [{ records }] });
    expect(page.rows.map((bucket) => bucket.in)).toEqual(people);
  }
});

test("DS-01 the end of a night is open on the next day, also if that day is an exception", async () => {
  const midnight = at("2026-03-03T00:00");
  const records = [
    one(midnight - 1, 1, 1),
    one(midnight, 10, 1),
    one(midnight + 2 * hour - 1, 100, 1),
    one(midnight + 2 * hour, 1000, 1),
  ];
  const { page } = await plant({
    hours: hoursOf(
      { mo: range("22:00", "02:00"), tu: range("22:00", "02:00") },
      { exceptions: [{ date: "2026-03-03", hours: null }] },
    ),
    days: ["2026-03-02", "2026-03-04"],
    sensors: [{ records }],
  });
  expect(page.rows.map((bucket) => [bucket.in, bucket.closed])).toEqual([
    [1, false],
    [110, false],
    [null, true],
  ]);
});

test("DS-01 a closed bucket has no number, though a record from it reaches into open time", async () => {
  const midnight = at("2026-03-02T00:00");
  const { page, row } = await plant({
    hours: hoursOf({ mo: range("00:00", "06:00") }),
    days: ["2026-03-01", "2026-03-01"],
    sensors: [{ records: [one(midnight - hour / 2, 5, hour)] }],
  });
  expect(page.total).toEqual({ in: null, out: null, completeness: null });
  expect(row).toMatchObject({ in: null, closed: true, curve: Array.from({ length: 24 }, () => null) });
});

test("DS-01 a repeated hour is open twice, and a skipped one never", async () => {
  const week = { su: range("02:00", "03:00") };
  const autumn = at("2026-10-25T02:00+02:00");
  const before = { records: series(autumn - hour, autumn + 3 * hour, 7) };
  const { page } = await plant({ hours: hoursOf(week), days: ["2026-10-25", "2026-10-25"], sensors: [before] });
  expect(page.total).toEqual({ in: 14, out: 0, completeness: 1 });
  const spring = at("2026-03-29T01:00");
  const night = { records: series(spring - hour, spring + 3 * hour, 7) };
  const skipped = await plant({ hours: hoursOf(week), days: ["2026-03-29", "2026-03-29"], sensors: [night] });
  expect(skipped.page).toMatchObject({ total: { in: null, completeness: null }, outside: { in: 28 } });
  expect(skipped.row?.closed).toBe(true);
});

test("DS-01 nothing is expected before the first sensor and after the last, and one between two", async () => {
  const day = (time: string) => at(`2026-03-02T${time}`);
  const { page } = await plant({
    hours: hoursOf({ mo: range("09:00", "20:00") }),
    days: ["2026-03-02", "2026-03-02"],
    sensors: [
      {
        records: series(day("10:30"), day("12:00")),
        moves: [
          { at: day("10:30"), place: 0 },
          { at: day("12:00"), place: -1 },
        ],
      },
      {
        records: series(day("13:00"), day("15:15")),
        moves: [
          { at: day("13:00"), place: 0 },
          { at: day("15:15"), place: -1 },
        ],
      },
    ],
  });
  // 3.75 hours of 4.75 are known.
  expect(page.total.completeness).toBeCloseTo(3.75 / 4.75, 6);
});

/** Twenty open hours, of which the given time is known on each of two Mondays. */
async function twoMondays(earlierMs: number, currentMs: number) {
  const [before, start] = [at("2026-03-02T00:00"), at("2026-03-09T00:00")];
  return plant({
    hours: hoursOf({ mo: range("00:00", "20:00") }),
    days: ["2026-03-09", "2026-03-09"],
    sensors: [{ records: [...series(before, before + earlierMs, 10), ...series(start, start + currentMs, 20)] }],
  });
}

test("DS-01 exactly 80 % is sufficient for a change, less is not", async () => {
  const exact = await twoMondays(16 * hour, 16 * hour);
  expect([exact.page.change.in, exact.row?.change.in]).toEqual([100, 100]);
  for (const [earlier, current] of [
    [16 * hour - 100 * second, 16 * hour],
    [16 * hour, 16 * hour - 100 * second],
  ] as const) {
    const { page, row } = await twoMondays(earlier, current);
    expect([page.change.in, row?.change.in]).toEqual([null, null]);
  }
});

test("DS-01 completeness that differs by exactly 5 points is compared between locations, more is not", async () => {
  const exact = await twoMondays(17 * hour, 16 * hour);
  expect([exact.page.change.in, exact.row?.change.in]).toEqual([88, 88]);
  const more = await twoMondays(17 * hour + 100 * second, 16 * hour);
  expect([more.page.change.in, more.row?.change.in]).toEqual([78, null]);
});

test("DS-01 the year before is 52 weeks earlier, and its closed days are left out", async () => {
  const shop = range("09:00", "19:00");
  const open = (date: string, people: number) => series(at(`${date}T09:00`), at(`${date}T19:00`), people);
  const { page, row } = await plant({
    hours: hoursOf({ mo: shop, tu: shop }, { exceptions: [{ date: "2025-03-04", hours: null }] }),
    days: ["2026-03-02", "2026-03-03"],
    comparison: "year",
    sensors: [
      {
        records: [
          ...open("2025-03-03", 10),
          ...open("2025-03-04", 50),
          ...open("2026-03-02", 15),
          ...open("2026-03-03", 70),
        ],
      },
    ],
  });
  expect(page.earlier).toMatchObject({ first: "2025-03-03", total: { in: 100 }, skippedDays: 1 });
  expect([page.total.in, page.change.in, row?.change.in]).toEqual([850, 50, 50]);
});

test("DS-01 days that a comparison leaves out are not expected either before the first sensor", async () => {
  const shop = range("09:00", "19:00");
  const days = ["2026-03-04", "2026-03-05", "2026-03-06", "2026-03-11", "2026-03-12", "2026-03-13"];
  const start = at("2026-03-04T00:00");
  const { page, row } = await plant({
    // Monday and Tuesday are closed this week. The sensor came on Wednesday of the week before.
    hours: hoursOf(
      { mo: shop, tu: shop, we: shop, th: shop, fr: shop },
      {
        exceptions: [
          { date: "2026-03-09", hours: null },
          { date: "2026-03-10", hours: [] },
        ],
      },
    ),
    days: ["2026-03-09", "2026-03-15"],
    sensors: [
      {
        records: days.flatMap((date) => series(at(`${date}T09:00`), at(`${date}T19:00`), 3)),
        moves: [{ at: start, place: 0 }],
      },
    ],
  });
  expect(page.earlier.skippedDays).toBe(4);
  expect([page.change.in, row?.change.in]).toEqual([0, 0]);
});
