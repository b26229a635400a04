// Stores a real data set in any order and reads it back over HTTP, including the day of 25 hours.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calIt2Zone, generateCalIt2, readCalIt2, type CalIt2Data } from "./calit2.testing.ts";
import type { RecordSensor } from "../device/capability.ts";
import { packOldMonths } from "../count/pack.store.ts";
import { findWrongDaySums } from "../count/rollup.store.ts";
import { createSite, type Site } from "./site.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const range = "from=2005-07-24T07:00:00Z&to=2005-11-06T08:00:00Z";

async function rows(filter: string, acc: string, within = range): Promise<AggregateRow[]> {
  const answer = await site.call(
    site.root,
    `/data/v2/aggregate/json?filter=${encodeURIComponent(filter)}&acc=${acc}&${within}`,
  );
  expect(answer.status).toBe(200);
  return answer.body as AggregateRow[];
}

async function expectFile(replay: CalIt2Data, sensor: RecordSensor, locationId: string): Promise<void> {
  for (const filter of [`meas:${locationId}:counting`, `sens:${sensor.id}`]) {
    const [total, ...more] = await rows(filter, "total");
    expect(more).toEqual([]);
    expect(total?.data).toEqual(replay.total);
    const days = await rows(filter, "day");
    expect(days.map((row) => [row.start.slice(0, 10), row.data])).toEqual([...replay.days]);
    expect(days.filter((row) => row.completeness !== 1).map((row) => [row.start, row.end, row.completeness])).toEqual([
      ["2005-10-30T00:00:00.000-07:00", "2005-10-31T00:00:00.000-08:00", 0.96],
    ]);
    const hours = await rows(filter, "hour");
    expect(hours).toHaveLength(105 * 24 + 1);
    const known = hours.filter((row) => row.completeness > 0);
    expect(known.map((row) => [row.start.slice(0, 13), row.data])).toEqual([...replay.hours]);
    expect(hours.filter((row) => row.completeness === 0).map((row) => [row.start, row.startUTC])).toEqual([
      ["2005-10-30T01:00:00.000-08:00", "2005-10-30T09:00:00.000Z"],
    ]);
  }
  const [all] = await rows(`meas:${locationId}`, "total", "from=2000-01-01T00:00:00Z");
  expect(all?.data).toEqual(replay.total);
  expect(await findWrongDaySums(site.ctx.db, [sensor.num])).toEqual([]);
}

function inBatches(records: readonly CountRecord[], size = 200): CountRecord[][] {
  return Array.from({ length: Math.ceil(records.length / size) }, (_, i) => records.slice(i * size, (i + 1) * size));
}

async function replayEveryWay(text: string, numbers?: { in: number; out: number }): Promise<void> {
  const replay = readCalIt2(text);
  if (numbers) expect(replay.total).toEqual(numbers);
  const newestFirst = inBatches(replay.records).toReversed();
  const shuffled = inBatches(replay.records.toSorted((a, b) => (a.s % 77_777) - (b.s % 77_777)));
  const halves = [1, 0].map((half) => replay.records.filter((_, i) => i % 2 === half));
  for (const batches of [inBatches(replay.records), newestFirst, shuffled, halves.flatMap((half) => inBatches(half))]) {
    const sensor = await site.sensor();
    const own = await site.location(calIt2Zone);
    await site.assign(sensor, own, site.ctx.clock.now());
    for (const batch of batches) {
      const outcomes = await site.store(sensor, batch, { via: "fill" });
      expect(new Set(outcomes.map((one) => one.outcome))).toEqual(new Set(["stored"]));
    }
    await expectFile(replay, sensor, own);
    for (const packed of [false, true]) {
      if (packed) expect(await packOldMonths(site.ctx.db, site.ctx.clock.now())).toBe(replay.records.length);
      for (const batch of newestFirst) {
        const outcomes = await site.store(sensor, batch);
        expect(new Set(outcomes.map((one) => one.outcome))).toEqual(new Set(["same"]));
      }
      await expectFile(replay, sensor, own);
    }
  }
}

test(
  "DS-01 generated CalIt2 data reads back by total, day and hour in any order of arrival",
  { timeout: 300_000, tags: "prove" },
  async () => {
    await replayEveryWay(generateCalIt2());
  },
);

const real = join(import.meta.dirname, "../../../../shared/data/CalIt2.data");
test.skipIf(!existsSync(real))(
  "DS-01 the real CalIt2 data: 19,597 in and 18,837 out",
  { timeout: 300_000, tags: "prove" },
  async () => {
    await replayEveryWay(readFileSync(real, "utf8"), { in: 19_597, out: 18_837 });
  },
);
