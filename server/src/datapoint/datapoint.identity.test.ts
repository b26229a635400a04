// Compares sums of counts with an oracle after any order, repetition, correction, move or change of time zone.
import fc from "fast-check";
import { aggregationPeriods } from "@psp/contract/datapoint/datapoint.api.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aggregate, type Bucket, computeCompleteness } from "../counts/aggregate.store.ts";
import type { RecordSensor } from "../device/capability.ts";
import { createOracle, type Oracle, computeExpectedBuckets } from "./oracle.testing.ts";
import { packOldMonths } from "../count/pack.store.ts";
import { findWrongDaySums } from "../count/rollup.store.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { countRecord, createSite, type Site } from "./site.testing.ts";
import { findLocationSubject, findSensorSubject, type Subject } from "../counts/subject.store.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hardNights: [zone: string, instant: string][] = [
  ["America/Los_Angeles", "2005-10-30T08:00:00Z"],
  ["America/Los_Angeles", "2025-03-09T10:00:00Z"],
  ["Europe/Berlin", "2025-10-26T01:00:00Z"],
  ["Europe/Berlin", "2024-12-30T23:00:00Z"],
  ["Asia/Kathmandu", "2025-01-31T18:15:00Z"],
  ["America/St_Johns", "2010-11-07T02:31:00Z"],
  ["America/St_Johns", "2025-11-02T04:30:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["Australia/Lord_Howe", "2025-04-05T15:00:00Z"],
];
const zones = [...new Set(hardNights.map(([zone]) => zone))];

const record = fc.record({
  /** Offset of the start from an instant of `hardNights`, in steps of five minutes. */
  step: fc.integer({ min: -500, max: 500 }),
  durationS: fc.constantFrom(60, 300, 300, 300, 900, 3600, 7, 3601),
  in: fc.integer({ min: 0, max: 60 }),
  out: fc.integer({ min: 0, max: 60 }),
  lines: fc.constantFrom("a", "b", "ab"),
  osd: fc.constantFrom<(0 | 1)[]>(0, 0, 0, 1),
  upS: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
  ahead: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
});
type Drawn = typeof record extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("store" as const),
      sensor: fc.nat(2),
      records: fc.array(record, { minLength: 1, maxLength: 25 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("resend" as const),
      sensor: fc.nat(2),
      keep: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("correct" as const),
      sensor: fc.nat(2),
      add: fc.integer({ min: 0, max: 5 }),
      shorterS: fc.constantFrom(0, 0, 100, 1000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("zone" as const), place: fc.nat(1), zone: fc.constantFrom(...zones) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      sensor: fc.nat(2),
      place: fc.nat(2),
      step: fc.integer({ min: -600, max: 600 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pack" as const) }) },
);

const scenario = fc.record({
  night: fc.constantFrom(...hardNights),
  enrolled: fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: -800, max: 600 }))),
  steps: fc.array(step, { minLength: 3, maxLength: 14 }),
  cut: fc.tuple(fc.integer({ min: -700, max: 0 }), fc.integer({ min: 1, max: 700 })),
});

function toRecord(night: number, drawn: Drawn): CountRecord {
  const lines = Object.fromEntries([...drawn.lines].map((id) => [id, [drawn.in, drawn.out] as [number, number]]));
  // Records of 7 seconds do not start on the usual grid, as after a clock step.
  const s = night + drawn.step * 300_000 + (drawn.durationS === 7 ? 1_234 : 0);
  return countRecord(s, drawn.durationS, lines, {
    osd: drawn.osd,
    ...(drawn.upS === undefined ? {} : { upS: drawn.upS }),
  });
}

async function all(
  subject: Subject,
  acc: (typeof aggregationPeriods)[number],
  range: { from: number; to: number },
): Promise<Bucket[]> {
  return Array.fromAsync(aggregate(site.ctx.db, subject, { acc, range, nowMs: Infinity }));
}

async function play({
  night: [zone, instant],
  enrolled,
  steps,
  cut,
}: typeof scenario extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const night = Date.parse(instant);
  const oracle = createOracle();
  const places = [await site.location(zone), await site.location("Europe/Berlin")];
  const sensors: RecordSensor[] = [];
  const sent: CountRecord[][] = [[], [], []];
  const move = async (sensor: RecordSensor, place: string | null, at: number) => {
    await site.assign(sensor, place, at);
    oracle.assign(sensor.num, place, at);
  };
  for (let i = 0; i < 3; i += 1) {
    const enrolledMs = night + (enrolled[i] ?? 0) * 300_000;
    const sensor = await site.sensor({ since: enrolledMs });
    oracle.enroll(sensor.num, enrolledMs);
    sensors.push(sensor);
    if (i < 2) await move(sensor, places[0] ?? null, night + (i - 1) * 90_000_000);
  }
  places.forEach((id, i) => oracle.zones.set(id, i === 0 ? zone : "Europe/Berlin"));
  const store = async (index: number, records: CountRecord[], nowMs: number, via: "live" | "fill") => {
    const sensor = sensors[index] as RecordSensor;
    const outcomes = await site.store(sensor, records, { nowMs, via });
    expect(outcomes.map((one) => one.outcome)).toEqual(records.map((one) => oracle.put(sensor.num, one, nowMs)));
    sent[index]?.push(...records);
  };
  const now = site.ctx.clock.now();
  for (const one of steps) {
    if (one.do === "store") {
      for (const [ahead, drawn] of Map.groupBy(one.records, (each) => each.ahead)) {
        await store(
          one.sensor,
          drawn.map((each) => toRecord(night, each)),
          ahead ? night - 200_000_000 : now,
          "live",
        );
      }
    } else if (one.do === "resend") {
      const again = (sent[one.sensor] ?? []).filter((_, index) => index % one.keep === 0).toReversed();
      await store(one.sensor, again, now, "fill");
    } else if (one.do === "correct") {
      const changed = (sent[one.sensor] ?? []).slice(0, 5).map((each) => ({
        ...each,
        e: Math.max(each.s, each.e - one.shorterS * 1000),
        lines: each.lines.map((line) => ({ ...line, in: line.in + one.add })),
      }));
      await store(one.sensor, changed, now, "fill");
    } else if (one.do === "zone") {
      const id = places[one.place] as string;
      await site.setZone(id, one.zone);
      oracle.zones.set(id, one.zone);
    } else if (one.do === "move") {
      await move(sensors[one.sensor] as RecordSensor, places[one.place] ?? null, night + one.step * 300_000);
    } else {
      await packOldMonths(site.ctx.db, now);
    }
  }
  expect(
    await findWrongDaySums(
      site.ctx.db,
      sensors.map((sensor) => sensor.num),
    ),
  ).toEqual([]);
  const range = { from: night + cut[0] * 300_000, to: night + cut[1] * 300_000 };
  for (const id of places) {
    const subject = await findLocationSubject(site.ctx.db, site.root, id);
    await compare(subject, { location: id }, oracle.zones.get(id) ?? "UTC", oracle, range);
  }
  for (const sensor of sensors) {
    const subject = await findSensorSubject(site.ctx.db, site.root, sensor.id);
    const zone = oracle.zones.get(oracle.presentPlace(sensor.num) ?? "") ?? "UTC";
    await compare(subject, { sensor: sensor.num }, zone, oracle, range);
  }
}

async function compare(
  subject: Subject | undefined,
  of: { location: string } | { sensor: number },
  zone: string,
  oracle: Oracle,
  range: { from: number; to: number },
): Promise<void> {
  if (!subject) throw new Error("Root does not see its own thing");
  for (const acc of aggregationPeriods) {
    const found = await all(subject, acc, range);
    const expected = computeExpectedBuckets(zone, acc, range.from, range.to);
    expect(found.map(({ from, to }) => ({ from, to }))).toEqual(expected);
    found.forEach((bucket) => {
      const right = oracle.sum(of, bucket.from, bucket.to);
      expect({ acc, from: bucket.from, in: bucket.in, out: bucket.out }).toEqual({
        acc,
        from: bucket.from,
        in: right.in,
        out: right.out,
      });
      expect(computeCompleteness(bucket) ?? 0).toBeCloseTo(right.completeness, 5);
    });
  }
}

test(
  "DS-01 datapoint identity: sums of hours to years equal a plain oracle after any history",
  { timeout: rounds(300_000, 3_600_000) },
  async () => {
    await fc.assert(fc.asyncProperty(scenario, play), { seed: seedOf(17), numRuns: rounds(2, 40), endOnFailure: true });
  },
);
