// Checks that concurrent writers, packing, zone changes and moves cause no deadlock and no wrong sum.
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { packOldestMonth, packOldMonths } from "../count/pack.store.ts";
import { findWrongDaySums } from "../count/rollup.store.ts";
import { countRecord, createSite, type Site } from "./site.testing.ts";
import type { IncomingRecord } from "../device/capability.ts";
import { storeRecords } from "../count/record/record.store.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

test(
  "DE-01 parallel writers, packing, zone changes and moves keep counts unique and sums right",
  { timeout: 300_000 },
  async () => {
    const places = await Promise.all(["Europe/Berlin", "Asia/Kathmandu"].map((zone) => site.location(zone)));
    const place = (n: number) => places[n % 2] as string;
    // Half of the sensors have no counter yet, so the first writers create them concurrently.
    const sensors = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        site.sensor(i % 2 ? { locationId: place(i), since: Date.UTC(2026, 2, 1) } : {}),
      ),
    );
    const from = Date.UTC(2026, 1, 25);
    const batches: IncomingRecord[][] = Array.from({ length: 60 }, (_, b) =>
      sensors.flatMap((_, i) => {
        const sensor = sensors[(i * (b % 2 ? 1 : 7)) % 8] as (typeof sensors)[number];
        const start = from + Math.floor(b / 2) * 6 * 3_600_000;
        return Array.from({ length: 5 }, (_, k) => ({
          sensor,
          record: countRecord(start + k * 3_600_000, 3600, { door: [b >> 1, k] }),
          via: "fill" as const,
        }));
      }),
    );
    let writing = true;
    const write = async (worker: number) => {
      for (let b = worker; b < batches.length; b += 4) {
        await site.ctx.db.transaction().execute((tx) => storeRecords(tx, site.ctx.clock.now(), batches[b] ?? []));
      }
    };
    const meanwhile = async (work: (n: number) => Promise<unknown>) => {
      for (let n = 0; writing; n += 1) await work(n);
    };
    const others = Promise.all([
      meanwhile(() => packOldMonths(site.ctx.db, site.ctx.clock.now())),
      meanwhile((n) => site.setZone(place(n), ["Pacific/Apia", "America/St_Johns", "UTC"][n % 3] as string)),
      meanwhile((n) =>
        site.assign(
          sensors[n % 8] as (typeof sensors)[number],
          n % 3 ? place(n) : null,
          Date.UTC(2026, 1, 26 + (n % 5)),
        ),
      ),
    ]);
    await Promise.all([0, 1, 2, 3].map(write)).finally(() => (writing = false));
    await others;
    const nums = sensors.map((sensor) => sensor.num);
    expect(await findWrongDaySums(site.ctx.db, nums)).toEqual([]);
    for (const sensor of sensors) {
      const answer = await site.call(site.root, `/api/sensor/${sensor.id}/datapoints?limit=1`);
      expect(answer.body).toMatchObject({ total: 30 * 5 });
    }
  },
);

test("DE-01 a month that is packed while somebody lists it is counted once", async () => {
  const sensor = await site.sensor();
  const from = Date.UTC(2026, 1, 3);
  await site.store(
    sensor,
    Array.from({ length: 5 }, (_, n) => countRecord(from + n * 3_600_000, 3600, { door: [n, n] })),
  );
  const { listed } = await site.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table count_pack in access exclusive mode`.execute(tx);
    const pending = site.call(site.root, `/api/sensor/${sensor.id}/datapoints`);
    await untilSomebodyWaits(site.ctx.db);
    expect(await packOldestMonth(tx, sensor.num, Date.UTC(2026, 2, 1))).toBe(5);
    return { listed: pending };
  });
  const { body } = await listed;
  expect(body).toMatchObject({ total: 5 });
  expect((body as { objects: unknown[] }).objects).toHaveLength(5);
});
