// Tests the datapoint calls over HTTP, including downloads, sums, dead letters and visibility.
import { once } from "node:events";
import type { AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import type { Datapoint } from "@psp/contract/datapoint/datapoint.ts";
import type { CountRecord, DeviceRecord } from "@psp/contract/device/device-messages.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveDeadLetters } from "../device/record/dead-letter.store.ts";
import { packOldMonths } from "../count/pack.store.ts";
import { jsonStream } from "../kit/row-stream.ts";
import { type ApiResponse, countRecord, createSite, type Person, type Site } from "./site.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const noon = Date.UTC(2026, 4, 4, 12);
const minutes5 = 300_000;
const page = (answer: ApiResponse) => answer.body as { objects: Datapoint[]; total: number };
const rows = (answer: ApiResponse) => answer.body as AggregateRow[];
const code = (answer: ApiResponse) => [answer.status, (answer.body as { code?: number }).code];

function series(n: number, from = noon): CountRecord[] {
  return Array.from({ length: n }, (_, i) => countRecord(from + i * minutes5, 300, { door: [i, 1] }));
}

test("DS-01 a counting datapoint carries line, classes, quality, local and UTC times", async () => {
  const locationId = await site.location("Asia/Kathmandu");
  const sensor = await site.sensor({ locationId });
  const record = countRecord(noon, 300, { door: [3, 2] }, { osd: 1 });
  record.lines = record.lines.map((line) => ({ ...line, cls: { adult: [2, 1], child: [1, 1] } }));
  await site.store(sensor, [record]);
  const expected = {
    id: expect.any(String),
    type: "counting",
    sens: sensor.id,
    measID: locationId,
    start: "2026-05-04T17:45:00.000+05:45",
    end: "2026-05-04T17:50:00.000+05:45",
    startUTC: "2026-05-04T12:00:00.000Z",
    endUTC: "2026-05-04T12:05:00.000Z",
    data: { line: "door", in: 3, out: 2, adultIn: 2, adultOut: 1, childIn: 1, childOut: 1, osd: 1, quality: "blind" },
  };
  for (const path of [`/api/sensor/${sensor.id}/datapoints`, `/api/measurement/${locationId}/datapoints`]) {
    expect(page(await site.call(site.root, path))).toEqual({ objects: [expected], total: 1 });
  }
});

test("DS-01 quality says how a count came: live, from the buffer, late, with an estimated clock", async () => {
  const sensor = await site.sensor();
  const nowMs = noon + 3_600_000;
  await site.store(sensor, [countRecord(noon, 300, { a: [1, 0] })], { nowMs });
  await site.store(sensor, [countRecord(noon + 300_000, 300, { a: [1, 0] })], { nowMs, via: "fill" });
  await site.store(sensor, [countRecord(noon - 90_000_000, 300, { a: [1, 0] })], { nowMs, via: "fill" });
  await site.store(sensor, [countRecord(noon + 600_000, 300, { a: [1, 0] }, { ck: "est" })], { nowMs });
  const { objects } = page(await site.call(site.root, `/api/sensor/${sensor.id}/datapoints`));
  expect(objects.map((one) => one.data["quality"])).toEqual(["late", "measured", "buffered", "estimated"]);
});

test("a record is refused with its reason, and its neighbors are stored", async () => {
  const sensor = await site.sensor();
  const bad: [DeviceRecord, string, RegExp][] = [
    [countRecord(noon, 3601, { a: [1, 1] }), "invalid", /longer than an hour/],
    [countRecord(noon, 0, { a: [1, 1] }), "invalid", /empty/],
    [countRecord(Date.UTC(1970, 0, 2), 300, { a: [1, 1] }), "invalid", /too far in the past/],
    [countRecord(Date.UTC(2100, 0, 2), 300, { a: [1, 1] }), "invalid", /too far in the future/],
    [countRecord(noon, 300, { a: [1, 1] }, { ck: "bad" }), "invalid", /clock/],
    [countRecord(noon, 300, { "a\0": [1, 1] }), "invalid", /characters/],
    [countRecord(noon + 60_000, 300, { a: [1, 1] }), "overlap", /2026-05-04T12:00:00.000Z/],
    [countRecord(noon - 60_000, 61, { b: [1, 1] }), "overlap", /2026-05-04T12:00:00.000Z/],
  ];
  const outcomes = await site.store(sensor, [
    countRecord(noon, 300, { a: [5, 5] }),
    ...bad.map(([record]) => record),
    countRecord(noon + 300_000, 300, { a: [1, 1] }),
  ]);
  expect(outcomes.map((one) => one.outcome)).toEqual(["stored", ...bad.map(([, outcome]) => outcome), "stored"]);
  bad.forEach(([, , reason], i) => expect(outcomes[i + 1]).toMatchObject({ reason: expect.stringMatching(reason) }));
  expect(page(await site.call(site.root, `/api/sensor/${sensor.id}/datapoints`)).total).toBe(2);
});

test("a count ahead of its time is stored but not summed until its time has come", async () => {
  const sensor = await site.sensor();
  const record = countRecord(noon, 300, { a: [7, 7] });
  const sum = async () =>
    rows(
      await site.call(
        site.root,
        `/data/v2/aggregate/json?filter=sens:${sensor.id}&acc=total&from=2026-01-01T00:00:00Z`,
      ),
    )[0]?.data.in;
  await site.store(sensor, [record], { nowMs: noon - 3_600_000 });
  expect(page(await site.call(site.root, `/api/sensor/${sensor.id}/datapoints`)).total).toBe(1);
  expect(await sum()).toBeNull();
  expect(await site.store(sensor, [record])).toEqual([{ outcome: "corrected" }]);
  expect(await sum()).toBe(7);
});

test("lists are paged, sorted and counted exactly, in rows and in packs alike", { tags: "prove" }, async () => {
  const locationId = await site.location("Europe/Berlin");
  const sensors = [await site.sensor({ locationId }), await site.sensor({ locationId })];
  const from = Date.UTC(2026, 3, 29);
  for (const sensor of sensors) await site.store(sensor, series(1200, from));
  const path = `/api/measurement/${locationId}/datapoints`;
  const all = async (query: string) => {
    const found: Datapoint[] = [];
    for (let skip = 0; ; skip += 500) {
      const { objects, total } = page(await site.call(site.root, `${path}?limit=500&skip=${skip}&${query}`));
      found.push(...objects);
      if (objects.length < 500) {
        expect(total).toBe(found.length);
        return found;
      }
    }
  };
  const rising = await all("");
  expect(rising).toHaveLength(2400);
  expect(new Set(rising.map((one) => one.id)).size).toBe(2400);
  expect(rising.map((one) => one.startUTC)).toEqual(rising.map((one) => one.startUTC).toSorted());
  const falling = await all("sortBy=-startUTC");
  expect(falling.map((one) => one.startUTC)).toEqual(rising.map((one) => one.startUTC).toReversed());
  const cut = await all(`from=2026-04-30T10:02:00Z&to=2026-05-02T09:57:00Z&sens=${sensors[0]?.id}`);
  expect(cut.map((one) => one.startUTC)).toEqual(
    rising
      .filter(
        (one) => one.sens === sensors[0]?.id && one.startUTC >= "2026-04-30T10:02" && one.startUTC < "2026-05-02T09:57",
      )
      .map((one) => one.startUTC),
  );
  expect(await packOldMonths(site.ctx.db, site.ctx.clock.now())).toBeGreaterThanOrEqual(2400);
  const [first] = sensors;
  if (!first) throw new Error("no sensor");
  await site.store(first, [
    countRecord(from, 300, { door: [99, 1] }),
    countRecord(from - minutes5, 300, { door: [1, 1] }),
  ]);
  const again = await all("");
  expect(again).toHaveLength(2401);
  expect(again.find((one) => one.sens === first.id && one.startUTC === "2026-04-29T00:00:00.000Z")?.data["in"]).toBe(
    99,
  );
  expect(again.filter((one) => !rising.some((old) => JSON.stringify(old) === JSON.stringify(one)))).toHaveLength(2);
  expect(await all(`from=2026-04-30T10:02:00Z&to=2026-05-02T09:57:00Z&sens=${first.id}`)).toEqual(cut);
  await packOldMonths(site.ctx.db, site.ctx.clock.now());
  expect(await all("")).toEqual(again);
});

test("positions are listed as sent; duplicates are merged", async () => {
  const sensor = await site.sensor();
  const position = { q: 1, t: "position", s: noon, e: noon + 1000, ck: "ok", lat: 52.5, lng: 13.4, speed: 3 } as const;
  expect(await site.store(sensor, [position, { ...position, q: 2 }])).toEqual([
    { outcome: "same" },
    { outcome: "stored" },
  ]);
  expect(await site.store(sensor, [position])).toEqual([{ outcome: "same" }]);
  expect(await site.store(sensor, [{ ...position, lat: 52.6 }])).toEqual([{ outcome: "corrected" }]);
  const { objects, total } = page(await site.call(site.root, `/api/sensor/${sensor.id}/datapoints?type=position`));
  expect(total).toBe(1);
  expect(objects[0]).toMatchObject({ type: "position", sens: sensor.id, data: { lat: 52.6, lng: 13.4, speed: 3 } });
});

test("health slices, events, occupancy and dwell are stored once, even with hostile texts", async () => {
  const sensor = await site.sensor();
  const base = { q: 1, s: noon, e: noon + 900_000, ck: "ok" } as const;
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as unknown;
  const records: DeviceRecord[] = [
    { ...base, t: "health", upS: 900, reboots: {}, wd: 0 },
    { ...base, t: "event", kind: "osd", from: 0, to: 1 },
    { ...base, t: "event", kind: "tamper\0", detail: { "a\0": "\ud800", deep } },
    { ...base, t: "occ", zones: [{ id: "z", min: 0, max: 2, avg: 1, last: 1 }] },
    { ...base, t: "dwell", zones: [{ id: "z", n: 1, avgS: 2, maxS: 3 }] },
  ];
  expect((await site.store(sensor, records)).map((one) => one.outcome)).toEqual(records.map(() => "stored"));
  expect((await site.store(sensor, records)).map((one) => one.outcome)).toEqual(records.map(() => "same"));
  const kept = await site.ctx.db
    .selectFrom("device_record")
    .select("kind")
    .where("sensor_num", "=", sensor.num)
    .orderBy("kind")
    .execute();
  expect(kept.map((row) => row.kind)).toEqual(["dwell", "event", "event", "health", "occ"]);
});

test("ER-03 only occupancy can be added; other types, data, fields and callers are refused", async () => {
  const locationId = await site.location("Europe/Berlin");
  const path = `/api/measurement/${locationId}/datapoints`;
  const good = {
    type: "occupancy",
    start: "x",
    end: "y",
    startUTC: "2026-05-04T12:00:00Z",
    endUTC: "2026-05-04T12:05:00Z",
    data: { count: 12 },
  };
  const answer = await site.call(site.root, path, good);
  expect(answer.body).toMatchObject({
    _id: expect.any(String),
    measID: locationId,
    start: "2026-05-04T14:00:00.000+02:00",
    data: { count: 12 },
  });
  const again = await site.call(site.root, path, { ...good, data: { count: 13 } });
  expect((again.body as { _id: string })._id).toBe((answer.body as { _id: string })._id);
  expect(code(await site.call(site.root, path, { ...good, type: "counting" }))).toEqual([400, 102]);
  for (const data of [{ count: -1 }, { count: "1" }, {}, { count: 1, more: 2 }]) {
    expect(code(await site.call(site.root, path, { ...good, data }))).toEqual([400, 401]);
  }
  expect(code(await site.call(site.root, path, { ...good, data: 5 }))).toEqual([400, 402]);
  expect(code(await site.call(site.root, path, { ...good, extra: 1 }))).toEqual([400, 402]);
  expect(code(await site.call(site.root, path, { ...good, startUTC: undefined }))).toEqual([400, 104]);
  expect(code(await site.call(site.root, path, { ...good, endUTC: "2026-05-04T11:00:00Z" }))).toEqual([400, 102]);
  const stranger = await site.person({ ownable: { measurement: { canViewObject: { me: true } } } });
  expect(code(await site.call(stranger, path, good))).toEqual([404, 105]);
  const reader = await site.person({ ownable: { measurement: { canViewObject: { me: true } } } });
  const own = await site.location(null, reader);
  expect(code(await site.call(reader, `/api/measurement/${own}/datapoints`, good))).toEqual([403, 305]);
  expect(code(await site.call(null, path, good))).toEqual([401, 106]);
  const { objects, total } = page(await site.call(site.root, `${path}?type=occupancy`));
  expect([total, objects[0]?.data]).toEqual([1, { count: 13 }]);
});

test("invisible objects are missing in lists, downloads and sums", async () => {
  const stranger = await site.person({
    ownable: { measurement: { canViewObject: { me: true } }, sensor: { canViewObject: { me: true } } },
  });
  const locationId = await site.location("UTC");
  const sensor = await site.sensor({ locationId });
  const unknown = "019a0000-0000-7000-8000-000000000000";
  for (const who of [stranger, await site.person(null)]) {
    for (const path of [
      `/api/sensor/${sensor.id}/datapoints`,
      `/api/measurement/${locationId}/datapoints`,
      `/api/measurement/${unknown}/datapoints`,
      `/data/v2/download/json?filter=sens:${sensor.id}`,
      `/data/v2/aggregate/csv?filter=meas:${locationId}:counting&acc=day`,
      `/data/v2/aggregate/json?filter=meas:${unknown}`,
    ]) {
      expect([path, ...code(await site.call(who, path))]).toEqual([path, 404, 105]);
    }
  }
});

test("CL-04 after a claim the new owner sees no older counts", async () => {
  const sensor = await site.sensor();
  await site.store(sensor, series(24));
  const claimedAt = noon + 12 * minutes5;
  await site.ctx.db
    .updateTable("sensor")
    .set({ visible_from: new Date(claimedAt) })
    .where("num", "=", sensor.num)
    .execute();
  expect(page(await site.call(site.root, `/api/sensor/${sensor.id}/datapoints`)).total).toBe(12);
  const right = { in: 12 * 12 + 66, out: 12 };
  for (const acc of ["hour", "day", "month", "total"]) {
    const sums = rows(
      await site.call(
        site.root,
        `/data/v2/aggregate/json?filter=sens:${sensor.id}&acc=${acc}&from=2026-05-01T00:00:00Z&to=2026-06-01T00:00:00Z`,
      ),
    );
    expect(
      sums.reduce((sum, { data }) => ({ in: sum.in + (data.in ?? 0), out: sum.out + (data.out ?? 0) }), {
        in: 0,
        out: 0,
      }),
    ).toEqual(right);
  }
  expect((await site.call(site.root, `/data/v2/download/json?filter=sens:${sensor.id}`)).body).toHaveLength(12);
});

test("SE-13 counts before a hand-over are shown with their location until it is deleted", async () => {
  const locationId = await site.location("UTC");
  const sensor = await site.sensor({ locationId });
  await site.store(sensor, series(24));
  const handedAt = new Date(noon + 12 * minutes5);
  await site.ctx.db.updateTable("sensor").set({ visible_from: handedAt }).where("num", "=", sensor.num).execute();
  const total = async () => page(await site.call(site.root, `/api/sensor/${sensor.id}/datapoints`)).total;
  expect(await total()).toBe(24);
  await site.ctx.db.updateTable("location").set({ is_deleted: true }).where("id", "=", locationId).execute();
  expect(await total()).toBe(12);
});

test("DS-01 filters are split at the first and last colon, and their type must agree", async () => {
  const locationId = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId });
  await site.store(sensor, series(3));
  const get = (path: string) =>
    site.call(site.root, `/data/v2/${path}&from=2026-05-04T00:00:00Z&to=2026-05-05T00:00:00Z`);
  for (const filter of [
    `sens:${sensor.id}`,
    `sens:${sensor.id}:counting`,
    `sens:${sensor.id.replaceAll(":", "")}:counting`,
    `meas:${locationId}`,
  ]) {
    expect((await get(`download/json?filter=${filter}`)).body).toHaveLength(3);
  }
  const both = rows(await get(`aggregate/json?filter=sens:${sensor.id}&filter=meas:${locationId}:counting&acc=total`));
  expect(both.map((row) => [row.filter, row.data.in])).toEqual([
    [`sens:${sensor.id}`, 3],
    [`meas:${locationId}:counting`, 3],
  ]);
  for (const query of [
    `aggregate/json?filter=sens:${sensor.id}:position`,
    `aggregate/json?filter=sens:${sensor.id}:counting&type=position`,
    `aggregate/json?filter=sens:${sensor.id}&type=occupancy`,
    `download/json?filter=acct:${locationId}`,
    `download/json?filter=meas:${locationId}:people`,
    `download/json?filter=meas:${locationId}&unknown=1`,
    `aggregate/json?filter=meas:${locationId}&acc=minute`,
    `aggregate/json?filter=meas:${locationId}&preset=today`,
  ]) {
    expect([query, ...code(await get(query))]).toEqual([query, 400, 102]);
  }
  expect(code(await get("download/json?acc=1"))[0]).toBe(400);
  expect(code(await get("download/json?filter=meas:nothing"))).toEqual([404, 105]);
});

test("DS-01 presets are days of the location's zone; skipped days are not listed", async () => {
  const zone = "Pacific/Apia";
  const locationId = await site.location(zone);
  const today = Temporal.Instant.fromEpochMilliseconds(site.ctx.clock.now()).toZonedDateTimeISO(zone).toPlainDate();
  const of = async (query: string) =>
    rows(await site.call(site.root, `/data/v2/aggregate/json?filter=meas:${locationId}&${query}`)).map((row) =>
      row.start.slice(0, 10),
    );
  expect(await of("preset=today&acc=day")).toEqual([today.toString()]);
  expect(await of("preset=yesterday&acc=day")).toEqual([today.subtract({ days: 1 }).toString()]);
  expect(await of("preset=last7days&acc=day")).toEqual(
    [6, 5, 4, 3, 2, 1, 0].map((days) => today.subtract({ days }).toString()),
  );
  expect(await of("preset=last30days&acc=day")).toHaveLength(30);
  expect((await of("preset=thisYear&acc=day"))[0]).toBe(today.with({ month: 1, day: 1 }).toString());
  const usual = await of("acc=day&from=2006-11-27T00:00:00Z");
  expect([usual[0], usual.at(-1)]).toEqual(["2006-11-26", today.toString()]);
  expect(usual).not.toContain("2011-12-30");
});

test(
  "DS-01 sums end with the current bucket; without a start they begin with the first known one",
  { tags: "prove" },
  async () => {
    const zone = "Asia/Kathmandu";
    const locationId = await site.location(zone);
    const now = Temporal.Instant.fromEpochMilliseconds(site.ctx.clock.now()).toZonedDateTimeISO(zone);
    const first = now.subtract({ days: 40 }).with({ hour: 9, minute: 0, second: 0, millisecond: 0 });
    const get = async (query: string, filter = `meas:${locationId}`) =>
      rows(await site.call(site.root, `/data/v2/aggregate/json?filter=${filter}&${query}`));
    for (const acc of ["hour", "day", "week", "month", "year"]) expect(await get(`acc=${acc}`)).toEqual([]);
    expect(await get("acc=total")).toMatchObject([{ data: { in: null, out: null }, completeness: 0 }]);

    const before = (days: number) => first.subtract({ days }).epochMilliseconds;
    const sensor = await site.sensor({ locationId: await site.location(zone), since: before(400) });
    await site.assign(sensor, locationId, before(60));
    await site.store(sensor, [
      countRecord(first.epochMilliseconds, 3600, { door: [5, 3] }),
      countRecord(first.epochMilliseconds + 7_200_000, 3600, { door: [0, 0] }),
      countRecord(before(300), 3600, { door: [9, 9] }),
    ]);
    const midnight = first.startOfDay();
    const starts = {
      hour: first,
      day: midnight,
      week: midnight.subtract({ days: midnight.dayOfWeek - 1 }),
      month: midnight.with({ day: 1 }),
      year: midnight.with({ day: 1, month: 1 }),
      total: undefined,
    };
    const units = {
      hour: { hours: 1 },
      day: { days: 1 },
      week: { weeks: 1 },
      month: { months: 1 },
      year: { years: 1 },
    };
    for (const [acc, start] of Object.entries(starts)) {
      const open = await get(`acc=${acc}`);
      if (start !== undefined)
        expect([acc, open[0]?.startUTC]).toEqual([acc, start.toInstant().toString({ smallestUnit: "millisecond" })]);
      const endless = await get(`acc=${acc}&from=0001-01-01T00:00:00Z&to=9999-12-31T00:00:00Z`);
      expect([acc, endless[0]?.startUTC]).toEqual([acc, "2000-01-01T00:00:00.000Z"]);
      for (const list of [open, endless]) {
        const current = list.at(-1);
        const [from, to] = [Date.parse(current?.startUTC ?? ""), Date.parse(current?.endUTC ?? "")];
        expect([acc, from <= now.epochMilliseconds, now.epochMilliseconds < to]).toEqual([acc, true, true]);
        if (acc !== "total")
          expect(to - from).toBeLessThanOrEqual(
            now.add(units[acc as keyof typeof units]).epochMilliseconds - now.epochMilliseconds + 3_600_000,
          );
        const confused = list.filter(({ data, completeness }) => (data.in === null) !== (completeness === 0));
        expect(confused).toEqual([]);
      }
      expect(open.reduce((sum, { data }) => sum + (data.in ?? 0), 0)).toBe(5);
    }
    const hours = await get("acc=hour");
    expect(hours.slice(0, 3).map(({ data }) => data)).toEqual([
      { in: 5, out: 3 },
      { in: null, out: null },
      { in: 0, out: 0 },
    ]);
    const tomorrow = now.add({ days: 1 }).toInstant().toString();
    for (const acc of ["hour", "day", "year", "total"]) expect(await get(`acc=${acc}&from=${tomorrow}`)).toEqual([]);
  },
);

test("DS-01 sums as CSV have the same columns, and the token may be a parameter", async () => {
  const locationId = await site.location("Europe/Berlin");
  const sensor = await site.sensor({ locationId });
  await site.store(sensor, [
    countRecord(noon, 1800, { "=cmd()": [4, 3] }),
    countRecord(noon + 1_800_000, 1800, { "=cmd()": [1, 0] }, { upS: 900 }),
  ]);
  const query = `filter=meas:${locationId}:counting&from=2026-05-04T11:00:00Z&to=2026-05-04T13:00:00Z`;
  const answer = await site.call(null, `/data/v2/aggregate/csv?${query}&acc=hour&token=${site.root.token}`);
  expect(answer.type).toContain("text/csv");
  expect(answer.text).toBe(
    [
      "filter,type,start,end,startUTC,endUTC,in,out,completeness",
      `meas:${locationId}:counting,counting,2026-05-04T13:00:00.000+02:00,2026-05-04T14:00:00.000+02:00,2026-05-04T11:00:00.000Z,2026-05-04T12:00:00.000Z,,,0`,
      `meas:${locationId}:counting,counting,2026-05-04T14:00:00.000+02:00,2026-05-04T15:00:00.000+02:00,2026-05-04T12:00:00.000Z,2026-05-04T13:00:00.000Z,5,3,0.75`,
      "",
    ].join("\n"),
  );
  expect(code(await site.call(null, `/data/v2/aggregate/csv?${query}&token=${"x".repeat(43)}`))).toEqual([401, 106]);
  expect(code(await site.call(null, `/api/sensor/${sensor.id}/datapoints?token=${site.root.token}`))[0]).toBe(401);
  const raw = (await site.call(site.root, `/data/v2/download/csv?${query}`)).text.trim().split("\n");
  expect(raw).toHaveLength(3);
  const header = raw[0]?.split(",") ?? [];
  const cell = (name: string) => raw[1]?.split(",")[header.indexOf(name)];
  expect([cell("line"), cell("in"), cell("quality"), cell("osd"), cell("sens")]).toEqual([
    "'=cmd()",
    "4",
    "late",
    "0",
    sensor.id,
  ]);
});

test("DE-01 refused records are listed for those who may edit the sensor", async () => {
  const owner: Person = await site.person({
    ownable: { sensor: { canViewObject: { me: true }, canEditObject: { me: true } } },
  });
  const reader: Person = await site.person({ ownable: { sensor: { canViewObject: { me: true } } } });
  const sensor = await site.sensor({ owner });
  const letter = {
    sensor,
    ep: "e1",
    q: 7,
    reason: "The interval is empty",
    record: { q: 7, text: "\0", n: [1, "\ud800"] },
  };
  await site.ctx.db
    .transaction()
    .execute((tx) => saveDeadLetters(tx, noon, [letter, { ...letter, q: 8, record: 5 }, letter]));
  await site.ctx.db.transaction().execute((tx) => saveDeadLetters(tx, noon, [letter]));
  const { objects, total } = (await site.call(owner, `/api/v2/dead-letter?sens=${sensor.id}&limit=1`)).body as {
    objects: unknown[];
    total: number;
  };
  expect(total).toBe(2);
  expect(objects).toEqual([
    { at: new Date(noon).toISOString(), sens: sensor.id, ep: "e1", q: 8, reason: "The interval is empty", record: 5 },
  ]);
  const others = await site.sensor({ owner: reader });
  expect(code(await site.call(reader, `/api/v2/dead-letter?sens=${others.id}`))).toEqual([403, 305]);
  expect((await site.call(reader, `/api/v2/dead-letter?sens=${sensor.id}`)).body).toEqual({ objects: [], total: 0 });
});

test("DS-01 a download of many counts is complete and in order", async () => {
  const sensor = await site.sensor();
  const n = 30_000;
  for (let i = 0; i < n; i += 2000) await site.store(sensor, series(2000, Date.UTC(2025, 0, 1) + i * minutes5));
  const all = (await site.call(site.root, `/data/v2/download/json?filter=sens:${sensor.id}`)).body as Datapoint[];
  expect(all).toHaveLength(n);
  expect(all.every((one, i) => i === 0 || (all[i - 1]?.startUTC ?? "") < one.startUTC)).toBe(true);
});

test("DS-01 rows are read with backpressure", async () => {
  let made = 0;
  const endless = async function* () {
    for (;;) yield { made: (made += 1), text: "x".repeat(200) };
  };
  const stream = jsonStream(endless());
  const [first] = (await once(stream, "data")) as [Buffer];
  expect(String(first)).toMatch(/^\[\{"made":1,/);
  stream.pause();
  // Without backpressure, these turns of the event loop would read hundreds of thousands of rows.
  for (let turn = 0; turn < 1000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(made).toBeLessThan(2000);
  stream.destroy();
});
