// Bulk storage gives the same rows, packs and sums as daily storage plus packing, without duplicates.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countRecord, createSite, type Site } from "./site.testing.ts";
import type { RecordSensor } from "../device/capability.ts";
import { unpack } from "../count/pack.rules.ts";
import { packOldMonths } from "../count/pack.store.ts";
import { storePastMonth } from "../count/past.store.ts";
import { storeRecords } from "../count/record/record.store.ts";
import { findWrongDaySums } from "../count/rollup.store.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import { utcMonth } from "../count/month.rules.ts";

let site: Site;
beforeAll(async () => void (site = await createSite()));
afterAll(() => site.stop());

/** At this time, August and September are packed, and October is not. */
const now = Date.UTC(2026, 9, 20, 12);
const from = Date.UTC(2026, 7, 20);

/** Creates records of two lines, one of which starts later. Some intervals are missing, covered, or known for half of the time. */
function records(): CountRecord[] {
  return Array.from({ length: ((now - from) / 3_600_000) * 4 }, (_, i) => {
    const startMs = from + i * 900_000;
    const lines: Record<string, [number, number]> = { door: [i % 7, i % 5] };
    if (i > 300) lines["gate"] = [i % 3, i % 2];
    const record = countRecord(startMs, 900, lines, i % 50 === 0 ? { osd: 1 } : {});
    record.lines = record.lines.map((line) => ({ ...line, cls: { adult: [line.in, line.out] } }));
    if (i % 60 === 1) record.upS = 450;
    return record;
  }).filter((_, i) => i % 97 !== 3);
}

const inTx = <T>(work: Parameters<ReturnType<Site["ctx"]["db"]["transaction"]>["execute"]>[0]) =>
  site.ctx.db.transaction().execute(work) as Promise<T>;

/** Stores records day by day, as if a device sent them daily, and then packs them. */
async function storeAsDevice(sensor: RecordSensor, all: readonly CountRecord[]): Promise<void> {
  for (const [day, some] of Map.groupBy(all, ({ s }) => Math.floor(s / dayMs))) {
    const incoming = some.map((record) => ({ sensor, record, via: "live" as const }));
    await inTx((tx) => storeRecords(tx, (day + 1) * dayMs, incoming));
  }
  await packOldMonths(site.ctx.db, now);
}

async function storeAsPast(sensor: RecordSensor, all: readonly CountRecord[]): Promise<void> {
  const months = Map.groupBy(all, ({ s }) => utcMonth(s));
  for (const [, some] of [...months].toReversed()) await inTx((tx) => storePastMonth(tx, now, sensor, some));
}

async function stored({ num }: RecordSensor) {
  const { db } = site.ctx;
  const counter = await db.selectFrom("counter").selectAll().where("sensor_num", "=", num).executeTakeFirstOrThrow();
  const hot = await db.selectFrom("count_hot").selectAll().where("sensor_num", "=", num).execute();
  const packs = await db.selectFrom("count_pack").selectAll().where("sensor_num", "=", num).orderBy("month").execute();
  const days = await sql<{ day: number }>`select day, n_in, n_out, known_ms, location_id is null as nowhere
    from count_day where sensor_num = ${num} order by day, nowhere`.execute(db);
  const lineOf = (no: number) => counter.line_ids[no - 1] ?? "";
  const inOrder = <R extends { startMs: number; line: string }>(rows: R[]) =>
    rows.toSorted((a, b) => a.startMs - b.startMs || (a.line < b.line ? -1 : 1));
  return {
    lines: counter.line_ids.toSorted(),
    firstMs: counter.first_ms,
    packedToMs: counter.packed_to_ms,
    hot: inOrder(
      hot.map(({ sensor_num: _num, line_no, start_ms: startMs, ...row }) => ({
        ...row,
        startMs,
        line: lineOf(line_no),
      })),
    ),
    packs: packs.map(({ month, day_points, body }) => ({
      month,
      day_points,
      counts: inOrder(unpack(body).map(({ lineNo, ...row }) => ({ ...row, line: lineOf(lineNo) }))),
    })),
    days: days.rows,
  };
}

test("bulk storage equals devices plus packing", async () => {
  const locationId = await site.location("America/Sao_Paulo");
  const [one, other] = [await site.sensor({ locationId }), await site.sensor({ locationId })];
  await storeAsDevice(one, records());
  await storeAsPast(other, records());
  const right = await stored(one);
  expect(right.packs).toHaveLength(2);
  expect(right.hot.length).toBeGreaterThan(1000);
  expect(await stored(other)).toEqual(right);
  expect(await findWrongDaySums(site.ctx.db, [one.num, other.num])).toEqual([]);
});

test("existing months, partial months and taken intervals stay unchanged", { tags: "prove" }, async () => {
  const sensor = await site.sensor({ locationId: await site.location("Europe/Berlin") });
  const taken = countRecord(Date.UTC(2026, 8, 10, 8, 5), 300, { door: [1000, 1000] });
  await site.store(sensor, [taken], { nowMs: taken.e });
  await storeAsPast(sensor, records());
  const once = await stored(sensor);
  await storeAsPast(sensor, records());
  expect(await stored(sensor)).toEqual(once);
  expect(once.packs).toHaveLength(1);
  const september = once.hot.filter(({ startMs }) => startMs < Date.UTC(2026, 9, 1));
  expect(september.filter(({ n_in }) => n_in === 1000)).toHaveLength(1);
  expect(september.some(({ startMs }) => startMs === Date.UTC(2026, 8, 10, 8))).toBe(false);
  expect(september.some(({ startMs }) => startMs === Date.UTC(2026, 8, 10, 8, 15))).toBe(true);
  await packOldMonths(site.ctx.db, now);
  expect((await stored(sensor)).packs).toHaveLength(2);
  expect(await findWrongDaySums(site.ctx.db, [sensor.num])).toEqual([]);
});
