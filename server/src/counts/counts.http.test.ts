// Tests counts pages over HTTP: buckets, sums, changes, clock changes, gaps, the current day, and sensors with a former owner.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import type { Counts, LocationCounts, TypicalWeek } from "@psp/contract/counts/counts.api.ts";
import type { AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packOldMonths } from "../count/pack.store.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { aggregate } from "./aggregate.store.ts";
import type { Subject } from "./subject.store.ts";
import { calIt2Zone, generateCalIt2, readCalIt2, type CalIt2Data } from "../datapoint/calit2.testing.ts";
import { type ApiResponse, countRecord, createSite, type Person, type Site } from "../datapoint/site.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const day = 24 * hour;
const code = ({ status, body }: ApiResponse) => [status, (body as { code?: number }).code];

async function counts(filter: string, query: string, who: Person = site.root): Promise<Counts> {
  const answer = await site.call(who, `/api/v2/counts?filter=${encodeURIComponent(filter)}&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Counts;
}

function grouped(replay: CalIt2Data, keyOf: (date: Temporal.PlainDate) => string) {
  const groups = new Map<string, { in: number; out: number }>();
  for (const [day, sum] of replay.days) {
    const key = keyOf(Temporal.PlainDate.from(day));
    const group = groups.get(key) ?? { in: 0, out: 0 };
    groups.set(key, { in: group.in + sum.in, out: group.out + sum.out });
  }
  return [...groups];
}

/** The real data set is not part of the repository. It is used if present. */
const real = join(import.meta.dirname, "../../../../shared/data/CalIt2.data");
const histories = [
  ["a history", generateCalIt2],
  ...(existsSync(real) ? [["the real history", () => readFileSync(real, "utf8")] as const] : []),
] as const;
test.each(histories)(
  "DS-01 %s reads the same by hour, day, week and month, on the page, in CSV and in XLSX",
  async (_, read) => {
    await expectSameEverywhere(readCalIt2(read()));
  },
);

/** Expects the page and the exports to show exactly the time steps of the file. */
async function expectSameEverywhere(replay: CalIt2Data): Promise<void> {
  const sensor = await site.sensor();
  const id = await site.location(calIt2Zone);
  await site.assign(sensor, id, site.ctx.clock.now());
  await site.store(sensor, replay.records, { via: "fill" });
  await packOldMonths(site.ctx.db, site.ctx.clock.now());
  const filter = `meas:${id}`;
  const range = "range=2005-07-24,2005-11-05";
  const expected = {
    hour: [...replay.hours],
    day: [...replay.days],
    week: grouped(replay, (date) => date.subtract({ days: date.dayOfWeek - 1 }).toString()),
    month: grouped(replay, (date) => date.toString().slice(0, 7)),
  };
  for (const by of ["hour", "day", "week", "month"] as const) {
    const page = await counts(filter, `${range}&by=${by}`);
    expect(page).toMatchObject({ first: "2005-07-24", last: "2005-11-05", timezone: calIt2Zone, by });
    const known = page.rows.filter((row) => row.in !== null);
    const sums = known.map((row) => ({ in: row.in, out: row.out }));
    expect(sums).toEqual(expected[by].map(([, sum]) => sum));
    if (by === "hour" || by === "day") {
      const width = by === "hour" ? 13 : 10;
      expect(known.map((row) => row.start.slice(0, width))).toEqual(expected[by].map(([key]) => key));
    }
    expect(page.total).toMatchObject(replay.total);
    const [from, to] = [page.rows[0]?.startUTC, page.rows.at(-1)?.endUTC];
    const file = (kind: string) =>
      site.call(site.root, `/data/v2/aggregate/${kind}?filter=${filter}:counting&acc=${by}&from=${from}&to=${to}`);
    const csv = (await file("csv")).text
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","));
    const shown = page.rows.map((row) => [row.startUTC, row.in, row.out]);
    const number = (cell: string | undefined) => (cell === "" ? null : Number(cell));
    expect(csv.map((cells) => [cells[4], number(cells[6]), number(cells[7])])).toEqual(shown);
    const xlsx = await file("xlsx");
    expect(xlsx.type).toBe("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
    const [title, head, ...cells] = (await readXlsx(xlsx.bytes)).sheets[0]?.rows ?? [];
    expect(title?.slice(0, 3)).toEqual(["A place", "2005-07-24 – 2005-11-05", calIt2Zone]);
    expect(head).toEqual(["Name", "ID", "Time zone", "Start", "End", "In", "Out", "Completeness"]);
    // Spreadsheet cells are numbers and local times, not text.
    const local = (iso: string) => new Date(`${iso.slice(0, 23)}Z`);
    expect(cells).toEqual(
      page.rows.map((row) => [
        "A place",
        id,
        calIt2Zone,
        local(row.start),
        local(row.end),
        row.in,
        row.out,
        row.completeness,
      ]),
    );
  }
}

test("DS-01 days with clock changes have 23 or 25 hours; the repeated hour stays unknown", async () => {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2025, 0, 1) });
  const night = (startMs: number, hours: number, skipped: number) =>
    Array.from({ length: hours }, (_, n) => countRecord(startMs + n * hour, 3600, { door: [n + 1, 1] })).filter(
      (_, n) => n !== skipped,
    );
  await site.store(sensor, night(Date.UTC(2025, 2, 29, 23), 23, -1), { via: "fill" });
  // In this night, 2:00 to 3:00 occurs twice. The second occurrence is missing.
  await site.store(sensor, night(Date.UTC(2025, 9, 25, 22), 25, 3), { via: "fill" });
  const spring = await counts(`meas:${id}`, "range=2025-03-30,2025-03-30");
  expect(spring.rows).toHaveLength(23);
  expect(spring.rows.map((row) => row.start.slice(11, 13))).not.toContain("02");
  expect(spring.total).toEqual({ in: 276, out: 23, completeness: 1 });
  const autumn = await counts(`meas:${id}`, "range=2025-10-26,2025-10-26");
  expect(autumn.rows).toHaveLength(25);
  expect(autumn.rows.slice(2, 4)).toMatchObject([
    { start: "2025-10-26T02:00:00.000+02:00", in: 3, completeness: 1 },
    { start: "2025-10-26T02:00:00.000+01:00", in: null, out: null, completeness: 0 },
  ]);
  expect(autumn.total).toEqual({ in: 321, out: 24, completeness: 0.96 });
});

test("unknown is null, not zero", async () => {
  const nothing = await counts(`meas:${await site.location("Europe/Berlin")}`, "range=last7days");
  expect(nothing.total).toEqual({ in: null, out: null, completeness: null });
  expect(new Set(nothing.rows.map((row) => row.in))).toEqual(new Set([null]));
  const now = site.ctx.clock.now();
  const id = await site.location(null);
  const sensor = await site.sensor({ locationId: id, since: now - 10 * 86_400_000 });
  const silent = await counts(`meas:${id}`, "range=yesterday");
  expect(silent.total).toEqual({ in: null, out: null, completeness: 0 });
  const today = Math.floor(now / 86_400_000) * 86_400_000;
  await site.store(sensor, [countRecord(today - 2 * hour, 3600, { door: [0, 0] })]);
  const zeros = await counts(`meas:${id}`, "range=yesterday");
  expect(zeros.total).toMatchObject({ in: 0, out: 0 });
  expect(zeros.rows.map((row) => row.in)).toEqual([...Array.from({ length: 22 }, () => null), 0, null]);
  const running = await counts(`meas:${id}`, "range=today");
  for (const row of running.rows) {
    const isAhead = Date.parse(row.startUTC) >= now;
    expect(row).toMatchObject({ in: null, completeness: isAhead ? null : 0 });
  }
});

test("the current day is compared with the same part of the same weekday before", async () => {
  const now = site.ctx.clock.now();
  const zone = "Asia/Kathmandu";
  const id = await site.location(zone);
  const sensor = await site.sensor({ locationId: id, since: now - 40 * 86_400_000 });
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
  const minutes = (day: Temporal.ZonedDateTime, until: Temporal.ZonedDateTime, people: number) => {
    const records = [];
    for (let at = day.startOfDay().epochMilliseconds; at < until.epochMilliseconds; at += 60_000) {
      const end = Math.min(at + 60_000, until.epochMilliseconds);
      records.push(countRecord(at, (end - at) / 1000, { door: [people, 1] }));
    }
    return records;
  };
  const before = local.subtract({ days: 7 });
  await site.store(sensor, minutes(before, before.add({ days: 1 }).startOfDay(), 10), { via: "fill" });
  await site.store(sensor, minutes(local, local, 12));
  const page = await counts(`meas:${id}`, "range=today");
  expect(page.earlier).toMatchObject({ first: before.toPlainDate().toString(), rows: [] });
  expect(page.earlier.total.completeness).toBe(1);
  expect(page.total.completeness).toBe(1);
  expect(page.change.in).toBe(20);
  expect((await counts(`sens:${sensor.id}`, "range=today")).change.in).toBe(20);
  // If the chart shows the comparison, it includes the whole earlier day.
  const drawn = await counts(`meas:${id}`, "range=today&compare=previous");
  expect(drawn.earlier.rows).toHaveLength(24);
  expect(drawn.earlier.rows.every((row) => (row.in ?? 0) > 0)).toBe(true);
  expect(drawn.change.in).toBe(20);
  expect((await counts(`meas:${id}`, "range=today&compare=year")).change).toEqual({ in: null, out: null });
});

test("a month is compared by days of whole weeks before, not with a calendar month", async () => {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2025, 0, 1) });
  const zone = "Europe/Berlin";
  const peopleOf = (day: Temporal.PlainDate) => 10 * day.month + day.day;
  const records = [];
  for (let day = Temporal.PlainDate.from("2025-12-01"); day.year < 2026 || day.month < 7; day = day.add({ days: 1 })) {
    const noon = day.toZonedDateTime({ timeZone: zone, plainTime: "12:00" }).epochMilliseconds;
    records.push(countRecord(noon, 3600, { door: [peopleOf(day), 1] }));
  }
  await site.store(sensor, records, { via: "fill" });
  for (const [first, last, by, compare] of [
    ["2026-04-01", "2026-06-30", "month", "previous"],
    ["2026-04-01", "2026-06-30", "week", "previous"],
    ["2026-05-01", "2026-05-31", "month", "previous"],
    ["2026-03-28", "2026-03-30", "day", "previous"],
  ] as const) {
    const page = await counts(`meas:${id}`, `range=${first},${last}&by=${by}&compare=${compare}`);
    expect(page.earlier.rows).toHaveLength(page.rows.length);
    const [start, end] = [Temporal.PlainDate.from(first), Temporal.PlainDate.from(last)];
    const shift = { weeks: Math.ceil((start.until(end, { largestUnit: "day" }).days + 1) / 7) };
    for (const [index, row] of page.rows.entries()) {
      let people = 0;
      const until = Temporal.PlainDate.from(row.end.slice(0, 10));
      for (let day = Temporal.PlainDate.from(row.start.slice(0, 10)); !day.equals(until); day = day.add({ days: 1 }))
        people += peopleOf(day.subtract(shift));
      expect(page.earlier.rows[index]?.in, `${by} ${row.start}`).toBe(people);
    }
    const sum = page.earlier.rows.reduce((all, row) => all + (row.in ?? 0), 0);
    expect(sum).toBe(page.earlier.total.in);
  }
});

test("with clock changes, hours are compared by name", async () => {
  const id = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2025, 0, 1) });
  const hoursOf = (startMs: number, hours: number) =>
    Array.from({ length: hours }, (_, n) => {
      const at = startMs + n * hour;
      const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO("Europe/Berlin");
      return countRecord(at, 3600, { door: [100 + local.hour, 1] });
    });
  for (const [startMs, hours] of [
    [Date.UTC(2025, 9, 18, 22), 24],
    [Date.UTC(2025, 9, 25, 22), 25],
    [Date.UTC(2025, 10, 1, 23), 24],
    [Date.UTC(2026, 2, 21, 23), 24],
    [Date.UTC(2026, 2, 28, 23), 23],
    [Date.UTC(2026, 3, 4, 22), 24],
  ] as const)
    await site.store(sensor, hoursOf(startMs, hours), { via: "fill" });
  const pairs = async (date: string) => {
    const page = await counts(`meas:${id}`, `range=${date},${date}&compare=previous`);
    return page.rows.map((row, index) => [Number(row.start.slice(11, 13)), page.earlier.rows[index]?.in]);
  };
  const plain = Array.from({ length: 24 }, (_, n) => [n, 100 + n]);
  // 2:00 occurs twice in the shown night. The second occurrence is compared with nothing.
  expect(await pairs("2025-10-26")).toEqual([...plain.slice(0, 3), [2, null], ...plain.slice(3)]);
  // 2:00 occurs twice in the earlier night. The shown one is compared with the sum of both.
  expect(await pairs("2025-11-02")).toEqual(plain.map(([n, people]) => [n, n === 2 ? 204 : people]));
  expect(await pairs("2026-03-29")).toEqual(plain.filter(([n]) => n !== 2));
  expect(await pairs("2026-04-05")).toEqual(plain.map(([n, people]) => [n, n === 2 ? null : people]));
});

test("there is no change against a zero period or one with large gaps", async () => {
  const id = await site.location(null);
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2026, 0, 1) });
  const day = (date: number, hours: number, people: number) =>
    Array.from({ length: hours }, (_, n) => countRecord(Date.UTC(2026, 1, date, n), 3600, { door: [people, 2] }));
  // Of the earlier days, 20 hours (2 February) and 18 hours (3 February) are known, 4 February is a known zero, and 5 February is
  // complete. Each is compared with the day a week later.
  await site.store(
    sensor,
    [...day(2, 20, 10), ...day(9, 24, 5), ...day(3, 18, 10), ...day(10, 24, 5), ...day(4, 24, 0), ...day(5, 24, 9)],
    {
      via: "fill",
    },
  );
  await site.store(sensor, [...day(11, 24, 5), ...day(12, 18, 1)], { via: "fill" });
  const changeOf = async (date: string) => (await counts(`meas:${id}`, `range=2026-02-${date},2026-02-${date}`)).change;
  expect(await changeOf("09")).toEqual({ in: -40, out: 20 });
  expect(await changeOf("10")).toEqual({ in: null, out: null });
  expect(await changeOf("11")).toEqual({ in: null, out: 0 });
  // A gap in the shown period is not a decrease either.
  expect(await changeOf("12")).toEqual({ in: null, out: null });
});

test("the typical week has the means of known hours only", async () => {
  const id = await site.location("America/New_York");
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2026, 0, 1) });
  // Nine in the morning on three Tuesdays in May. One of these hours is only a third known.
  const nine = (date: number) => Date.UTC(2026, 4, date, 13);
  await site.store(
    sensor,
    [
      countRecord(nine(5), 3600, { door: [10, 1] }),
      countRecord(nine(12), 3600, { door: [15, 2] }),
      countRecord(nine(19), 1200, { door: [99, 9] }),
    ],
    { via: "fill" },
  );
  const answer = await site.call(site.root, `/api/v2/counts/week?filter=meas:${id}&range=2026-05-01,2026-05-31`);
  const { days } = answer.body as TypicalWeek;
  expect(days[1]?.[9]).toEqual({ in: 12.5, out: 1.5, hours: 2 });
  expect(days.flat().filter((cell) => cell !== null)).toHaveLength(1);
});

test("the current hour is not part of a typical week", async () => {
  const id = await site.location(null);
  const hourStart = Math.ceil(site.ctx.clock.now() / hour) * hour;
  const sensor = await site.sensor({ locationId: id, since: hourStart - 3 * hour });
  site.ctx.clock.moveTo(hourStart + 55 * 60_000);
  await site.store(sensor, [
    countRecord(hourStart - hour, 3600, { door: [60, 1] }),
    countRecord(hourStart, 3000, { door: [50, 1] }),
  ]);
  const answer = await site.call(site.root, `/api/v2/counts/week?filter=meas:${id}&range=last7days`);
  const { days } = answer.body as TypicalWeek;
  expect(days.flat().filter((cell) => cell !== null)).toEqual([{ in: 60, out: 1, hours: 1 }]);
});

test("an invalid range means today, too many steps are refused, invisible objects are missing", async () => {
  const id = await site.location("Europe/Berlin");
  for (const range of [
    "",
    "nonsense",
    "2026-02-30,2026-03-01",
    "2026-03-02,2026-03-01",
    "1900-01-01,2026-01-01",
    "today,today",
  ]) {
    const page = await counts(`meas:${id}`, `range=${range}`);
    expect([page.first, page.last]).toEqual([page.today, page.today]);
  }
  const long = (query: string) =>
    site.call(site.root, `/api/v2/counts?filter=meas:${id}&range=2006-01-01,2025-12-31&${query}`);
  expect(code(await long("by=hour"))).toEqual([400, 102]);
  expect((await long("by=day")).status).toBe(200);
  expect(((await long("")).body as Counts).rows).toHaveLength(240);
  const stranger = await site.person(fullPermissions);
  const calls = [`?filter=meas:${id}`, `/week?filter=meas:${id}`];
  for (const path of calls) expect(code(await site.call(stranger, `/api/v2/counts${path}`))).toEqual([404, 105]);
  for (const filter of ["", "meas", "meas:x:y", `meas:${id}:occupancy`, `no:${id}`])
    expect((await site.call(site.root, `/api/v2/counts?filter=${filter}`)).status, filter).toBeGreaterThanOrEqual(400);
});

test("a covered sensor's counts are unknown; darkness at night is no gap", async () => {
  const id = await site.location(null);
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2026, 0, 1) });
  const at = (hours: number) => Date.UTC(2026, 5, 1, hours);
  await site.store(
    sensor,
    [
      countRecord(at(0), 3600, { door: [0, 0] }, { osd: 3 }),
      countRecord(at(1), 3600, { door: [0, 0] }, { osd: 1 }),
      countRecord(at(2), 3600, { door: [2, 1] }, { osd: 1 }),
      countRecord(at(3), 3600, { door: [4, 4] }),
    ],
    { via: "fill" },
  );
  const { rows, total } = await counts(`meas:${id}`, "range=2026-06-01,2026-06-01");
  expect(rows.slice(0, 4).map((row) => [row.in, row.completeness])).toEqual([
    [0, 1],
    [null, 0],
    [2, 0],
    [4, 1],
  ]);
  expect(total).toEqual({ in: 6, out: 5, completeness: 0.083333 });
});

function fullDays(first: number, last: number) {
  const today = Math.floor(site.ctx.clock.now() / day) * day;
  return Array.from({ length: (first - last) * 24 }, (_, n) =>
    countRecord(today - first * day + n * hour, 3600, { door: [2, 1] }),
  );
}
const daysAgo = (days: number) => Math.floor(site.ctx.clock.now() / day) * day - days * day;

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const lastDays = (days: number) => `range=${dateOf(daysAgo(days))},${dateOf(daysAgo(1))}`;

/** The completeness of a location's last 30 days from every endpoint. */
async function everyCompleteness(id: string) {
  const page = await counts(`meas:${id}`, lastDays(30));
  const list = await site.call(site.root, `/api/v2/counts/locations?ids=${id}&${lastDays(30)}`);
  const [row] = (list.body as { objects: LocationCounts[] }).objects;
  const [from, to] = [daysAgo(30), daysAgo(0)].map((ms) => new Date(ms).toISOString());
  const file = await site.call(site.root, `/data/v2/aggregate/json?filter=meas:${id}&acc=total&from=${from}&to=${to}`);
  const [total] = file.body as AggregateRow[];
  return [page.total.completeness, row?.completeness, total?.completeness];
}

test("the time before the first sensor of a new shop was assigned is not missing", async () => {
  const id = await site.location(null);
  await site.store(await site.sensor({ locationId: id, since: daysAgo(7) }), fullDays(7, 0), { via: "fill" });
  expect(await everyCompleteness(id)).toEqual([1, 1, 1]);
  const { rows } = await counts(`meas:${id}`, lastDays(30));
  const before = { in: null, out: null, completeness: null };
  expect(rows.slice(0, -7)).toMatchObject(rows.slice(0, -7).map(() => before));
  expect(rows.slice(-7)).toMatchObject(rows.slice(-7).map(() => ({ in: 48, completeness: 1 })));
  // A second sensor that was assigned later adds no gap. Its counts before the assignment are known time.
  const second = await site.sensor({ since: daysAgo(5) });
  await site.assign(second, id, daysAgo(1));
  await site.store(second, fullDays(3, 0), { via: "fill" });
  expect(await everyCompleteness(id)).toEqual([1, 1, 1]);
});

test("the time before the enrollment of a sensor is not missing, whenever it was assigned", async () => {
  const id = await site.location(null);
  const sensor = await site.sensor({ since: daysAgo(7) });
  await site.assign(sensor, id, daysAgo(20));
  await site.store(sensor, fullDays(5, 0), { via: "fill" });
  const known = 0.714286;
  expect(await everyCompleteness(id)).toEqual([known, known, known]);
  expect((await counts(`sens:${sensor.id}`, lastDays(30))).total.completeness).toBe(known);
  // A sensor that never enrolled is not expected to count.
  await site.ctx.db
    .deleteFrom("device")
    .where("sensor_num", "=", (await site.sensor({ locationId: id })).num)
    .execute();
  expect(await everyCompleteness(id)).toEqual([known, known, known]);
});

test("the time between two sensors of a location is a gap", async () => {
  const id = await site.location(null);
  const first = await site.sensor({ locationId: id, since: daysAgo(20) });
  await site.store(first, fullDays(20, 12), { via: "fill" });
  await site.assign(first, null, daysAgo(12));
  expect(await everyCompleteness(id)).toEqual([1, 1, 1]);
  await site.store(await site.sensor({ locationId: id, since: daysAgo(2) }), fullDays(2, 0), { via: "fill" });
  expect(await everyCompleteness(id)).toEqual([0.5, 0.5, 0.5]);
  const { rows } = await counts(`meas:${id}`, lastDays(30));
  expect(rows.slice(-12, -2)).toMatchObject(rows.slice(-12, -2).map(() => ({ in: null, completeness: 0 })));
});

test("a period mostly without sensors is not compared", async () => {
  const id = await site.location(null);
  await site.store(await site.sensor({ locationId: id, since: daysAgo(9) }), fullDays(9, 0), { via: "fill" });
  const page = await counts(`meas:${id}`, lastDays(7));
  expect(page.earlier.total).toEqual({ in: 96, out: 48, completeness: 1 });
  expect(page.change).toEqual({ in: null, out: null });
  const list = await site.call(site.root, `/api/v2/counts/locations?ids=${id}&${lastDays(7)}`);
  expect((list.body as { objects: LocationCounts[] }).objects[0]?.change).toEqual({ in: null, out: null });
  await site.store(await site.sensor({ locationId: id, since: daysAgo(13) }), fullDays(13, 0), { via: "fill" });
  expect((await counts(`meas:${id}`, lastDays(7))).change.in).toBe(75);
});

test("T-23 twenty empty years by hour do not block others", async () => {
  const reader = site.ctx.db;
  const zone = zoneOf("Europe/Berlin");
  const subject = { kind: "location", id: crypto.randomUUID(), zone, slices: [], expected: [] } as unknown as Subject;
  const range = { from: Date.UTC(2004, 0, 1), to: Date.UTC(2024, 0, 1) };
  let [turns, isOver] = [0, false];
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const buckets = await Array.fromAsync(aggregate(reader, subject, { acc: "hour", range, nowMs: range.to }));
  isOver = true;
  expect(buckets).toHaveLength((range.to - range.from) / hour);
  expect(turns).toBeGreaterThanOrEqual(20);
});
