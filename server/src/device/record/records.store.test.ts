// Checks that births and records lock buffer rows in the same order, whichever of them inserts a row.
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../db/database.ts";
import { plantForest } from "../../testing/rights/account-forest.ts";
import { openTestDatabase } from "../../testing/test-database.ts";
import { lockEpochs, createEmptyOverwrites, saveBirths, saveEpochs } from "./records.store.ts";

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => void ({ db, close } = await openTestDatabase(6)));
afterAll(() => close());

test("DE-01 concurrent births and records never deadlock, and nothing is lost", async () => {
  const [forest] = fc.sample(forestArbitrary({ minAccounts: 60, maxAccounts: 60, maxRoles: 2 }), {
    seed: 5,
    numRuns: 1,
  });
  if (forest === undefined) throw new Error("no forest");
  await plantForest(db, forest);
  const sensors = await db.selectFrom("sensor").select(["id", "num"]).orderBy("num").execute();
  expect(sensors.length).toBeGreaterThan(50);
  const instant = (round: number) => new Date(Date.UTC(2026, 10, 22) + round * 1000);
  // Every second sensor keeps its buffer; the others start a new one each round.
  const epochOf = (at: number, round: number) => (at % 2 === 0 ? "kept" : `e${String(round).padStart(3, "0")}`);
  const records = (round: number) =>
    db.transaction().execute(async (tx) => {
      const wanted = sensors.map(({ num }, at) => ({ sensorNum: num, ep: epochOf(at, round) }));
      expect((await lockEpochs(tx, instant(round), wanted)).size).toBe(sensors.length);
      await saveEpochs(
        tx,
        instant(round),
        wanted.map(({ sensorNum, ep }) => ({
          sensor: { num: sensorNum, id: "" },
          ep,
          known: { ranges: [[1, round + 2]], firstQ: 1, generation: 0 },
          session: { sid: null, formerSids: [], awaited: null },
          state: { ep, overwrites: createEmptyOverwrites() },
          isRestartCertain: false,
        })),
      );
    });
  const births = (round: number) =>
    db.transaction().execute(async (tx) => {
      const born = sensors.map(({ id }, at) => ({
        sensorId: id,
        ep: epochOf(at, round),
        firstQ: round + 1,
        sid: null,
      }));
      const rows = await saveBirths(tx, instant(round), born.toReversed());
      expect(rows.map((row) => row.sensor_id).toSorted()).toEqual(sensors.map(({ id }) => id).toSorted());
    });
  const rounds = 40;
  for (let round = 0; round < rounds; round += 1)
    await Promise.all([records(round), births(round), records(round), births(round), records(round)]);
  const rows = await db.selectFrom("device_epoch").select(["epoch", "stored", "first_q"]).execute();
  const last = rows.filter(({ epoch }) => epoch === "kept" || epoch === epochOf(1, rounds - 1));
  expect(last).toHaveLength(sensors.length);
  for (const row of last) expect([row.stored, row.first_q]).toEqual([`{[1,${rounds + 1})}`, rounds]);
});

test("DE-01 only births of a buffer's latest session are stored", async () => {
  const { id, num } = await db.selectFrom("sensor").select(["id", "num"]).limit(1).executeTakeFirstOrThrow();
  const ep = "sessions";
  const save = (births: readonly [sid: string | null, firstQ: number][]) =>
    db.transaction().execute(async (tx) => {
      const born = births.map(([sid, firstQ]) => ({ sensorId: id, ep, sid, firstQ }));
      return (await saveBirths(tx, new Date(0), born)).map(({ sid }) => sid);
    });
  const firstQ = async () =>
    (
      await db
        .selectFrom("device_epoch")
        .select("first_q")
        .where("sensor_num", "=", num)
        .where("epoch", "=", ep)
        .executeTakeFirstOrThrow()
    ).first_q;
  expect(await save([["any", 4]])).toEqual(["any"]);
  await db.updateTable("device_epoch").set({ sid: "new" }).where("epoch", "=", ep).execute();
  expect(
    await save([
      ["old", 9],
      ["new", 7],
      ["older", 8],
    ]),
  ).toEqual(["new"]);
  expect(await firstQ()).toBe(7);
  expect(await save([["old", 9]])).toEqual([]);
  expect(await firstQ()).toBe(7);
  // With the embedded broker, births arrive in order.
  expect(await save([[null, 5]])).toEqual([null]);
  expect(await firstQ()).toBe(5);
});

test("DE-01 the latest 32 buffers of a device are kept, whatever the clock says", async () => {
  const { id, num } = await db.selectFrom("sensor").select(["id", "num"]).limit(1).executeTakeFirstOrThrow();
  await db.deleteFrom("device_epoch").where("sensor_num", "=", num).execute();
  const known = async () =>
    (await db.selectFrom("device_epoch").select("epoch").where("sensor_num", "=", num).orderBy("epoch").execute()).map(
      ({ epoch }) => epoch,
    );
  const birth = (ep: string, at: number) =>
    db.transaction().execute((tx) => saveBirths(tx, new Date(at), [{ sensorId: id, ep, firstQ: 1, sid: null }]));
  const start = Date.UTC(2026, 10, 22);
  const epochs = Array.from({ length: 40 }, (_, n) => `n${n + 10}`);
  for (const [n, ep] of epochs.entries()) await birth(ep, start + n * 1000);
  expect(await known()).toEqual(epochs.slice(-32));
  // The clock steps back a day, so the new epoch looks older than all others. It must be kept anyway.
  await birth("later", start - 86_400_000);
  expect(await known()).toEqual(["later", ...epochs.slice(-31)]);
});
