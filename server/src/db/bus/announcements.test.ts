// Tests that each reader gets what every committed transaction announced, once, whenever transactions overlap.
import fc from "fast-check";
import { sql } from "kysely";
import { pino } from "pino";
import type { Counter } from "prom-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { type Announcement, createBus } from "../../kit/bus.ts";
import { createMetrics } from "../../kit/metrics.ts";
import { openTestDatabase } from "../../testing/test-database.ts";
import type { Database, Tx } from "../database.ts";
import { announceAll } from "../write.ts";
import { appendTrail, deleteOldAnnouncements, openLog, readAnnouncements } from "./announcement.store.ts";
import { createAnnouncements, type Position } from "./announcements.ts";

let db: Database;
let close: () => Promise<void>;
beforeAll(async () => ({ db, close } = await openTestDatabase(12)));
afterAll(() => close());

const origin = "00000000-0000-4000-8000-000000000001";
const event = (id: number): Announcement => ({ name: "sightChanged", event: { sensorIds: [String(id)] } });
const append = (tx: Tx, ...ids: number[]) =>
  appendTrail(tx, origin, [{ name: "sightChanged", events: ids.map((id) => event(id).event) }], []);
const most = 1_000;

const readFrom = (from: Position, to: Position | null, limit = most) =>
  readAnnouncements(db, { from, to, names: ["sightChanged"], most: limit });

/** A transaction that stays open until `end`. */
function begin() {
  const ending = Promise.withResolvers<boolean>();
  const begun = Promise.withResolvers<Tx>();
  const ended = db
    .transaction()
    .execute(async (tx) => {
      begun.resolve(tx);
      if (!(await ending.promise)) throw new Error("rolled back");
    })
    .catch(() => undefined);
  return {
    announce: async (id: number) => append(await begun.promise, id),
    async end(isCommitted: boolean) {
      ending.resolve(isCommitted);
      await ended;
    },
  };
}

/** Reads from a position to another one, or to the end; returns the ids of the events. */
async function read(from: Position, to: Position | null = null) {
  const found = await readFrom(from, to);
  if (!found) throw new Error("not available");
  const events = found.entries.flatMap((entry) => entry.events as { sensorIds: string[] }[]);
  const ids = events.flatMap(({ sensorIds }) => sensorIds);
  return { ids: ids.map(Number), end: found.end };
}

type Step = { do: "begin" | "announce" | "commit" | "rollback" | "read" | "resume"; n: number };

/** Plays the steps; a model keeps which transactions had ended at which position. */
async function play(steps: readonly Step[]): Promise<void> {
  const open: (ReturnType<typeof begin> & { ids: number[] })[] = [];
  const committed: number[] = [];
  const positions = [{ at: await openLog(db), known: 0 }];
  const seen: number[] = [];
  let next = 0;
  for (const { do: what, n } of steps) {
    const one = open[n % Math.max(open.length, 1)];
    if (what === "begin" && open.length < 5) open.push({ ...begin(), ids: [] });
    else if (what === "announce" && one) {
      one.ids.push((next += 1));
      await one.announce(next);
    } else if ((what === "commit" || what === "rollback") && one) {
      await one.end(what === "commit");
      open.splice(open.indexOf(one), 1);
      if (what === "commit") committed.push(...one.ids);
    } else if (what === "read") {
      const last = positions.at(-1) ?? { at: await openLog(db), known: 0 };
      const { ids, end } = await read(last.at);
      expect(ids.toSorted((a, b) => a - b)).toEqual(committed.slice(last.known).toSorted((a, b) => a - b));
      seen.push(...ids);
      positions.push({ at: end, known: committed.length });
    } else if (what === "resume") {
      const [from, to] = [positions[n % positions.length], positions.at(-1)];
      if (!from || !to) continue;
      const { ids } = await read(from.at, to.at);
      expect(ids.toSorted((a, b) => a - b)).toEqual(committed.slice(from.known, to.known).toSorted((a, b) => a - b));
    }
  }
  for (const one of open) await one.end(false);
  expect(new Set(seen).size).toBe(seen.length);
}

const step = fc.record({
  do: fc.constantFrom<Step["do"]>("begin", "begin", "announce", "announce", "commit", "rollback", "read", "resume"),
  n: fc.nat(20),
});

test(
  "LI-01 overlapping transactions are read once each, in any order of begins and ends",
  { timeout: 300_000 },
  async () => {
    const plain = (text: string) =>
      text.split(" ").map((word): Step => {
        const [what, n] = word.split(":");
        return { do: what as Step["do"], n: Number(n ?? 0) };
      });
    // fixed: an older transaction commits after a younger one was read; a rolled back one; nothing at all; a position between two commits
    await play(plain("begin begin announce:0 announce:1 commit:1 read commit:0 read resume:0 resume:1"));
    await play(plain("begin announce rollback read resume"));
    await play(plain("read read resume:1"));
    await play(plain("begin begin announce:0 announce:1 commit:0 read commit:0 read resume:0 resume:1 resume:2"));
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), play), {
      numRuns: rounds(40, 1_000),
      seed: seedOf(57),
    });
  },
);

test("of two transactions that change the same row, the later one is read last", async () => {
  await sql`create table if not exists contested (n int)`.execute(db);
  await sql`insert into contested values (0)`.execute(db);
  const from = await openLog(db);
  let later: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    // Has the lower number of both, but changes the row last.
    await sql`select pg_current_xact_id()`.execute(tx);
    await db.transaction().execute(async (other) => {
      await sql`update contested set n = n + 1`.execute(other);
      await append(other, 1);
    });
    await sql`update contested set n = n + 1`.execute(tx);
    later = append(tx, 2);
    await later;
  });
  expect((await read(from)).ids).toEqual([1, 2]);
});

test("a position of another log, of deleted entries or too far behind is refused", async () => {
  const from = await openLog(db);
  await db.transaction().execute((tx) => append(tx, 1, 2, 3));
  expect(await readFrom(from, null, 2)).toBeNull();
  expect((await readFrom(from, null, 3))?.entries).toHaveLength(1);
  expect(await readFrom({ ...from, epoch: origin }, null)).toBeNull();
  const [xmin] = from.snapshot.split(":");
  expect(await readFrom({ ...from, snapshot: `${xmin}:${Number(xmin) + 1_000_000}:` }, null)).toBeNull();

  const running = begin();
  await running.announce(4);
  await deleteOldAnnouncements(db, 3_600);
  expect((await read(from)).ids).toEqual([1, 2, 3]);
  // Nothing is deleted while older transactions run, also of other databases on the server.
  await expect
    .poll(async () => {
      await deleteOldAnnouncements(db, 0);
      return readFrom(from, null);
    })
    .toBeNull();
  // A transaction that still runs is never too old.
  const now = await openLog(db);
  await running.end(true);
  expect((await read(now)).ids).toEqual([4]);

  await sql`truncate announcement, announcement_log, announcement_mark`.execute(db);
  expect(await readFrom(now, null)).toBeNull();
  expect((await openLog(db)).epoch).not.toBe(now.epoch);
});

test("a copy of the database on another server begins another log", async () => {
  const { epoch } = await openLog(db);
  expect((await openLog(db)).epoch).toBe(epoch);
  await sql`update announcement_log set cluster = 'another'`.execute(db);
  expect((await openLog(db)).epoch).not.toBe(epoch);
});

/** A process as far as announcements are concerned. */
function createProcess() {
  const log = pino({ level: "silent" });
  const bus = createBus(log);
  const metrics = createMetrics();
  return { db, bus, metrics, announcements: createAnnouncements({ db, bus, log, metrics }) };
}

const valueOf = async (metric: Counter) => (await metric.get()).values[0]?.value;

test("a batch counts from the notice of its commit, or from the read before if there was none", async () => {
  const [writer, reader] = [createProcess(), createProcess()];
  const begins: number[] = [];
  await Promise.all([writer, reader].map(({ announcements }) => announcements.start(() => undefined)));
  reader.announcements.onBatch(new Set(["sightChanged"]), ({ events, since }) => {
    if (events.length > 0) begins.push(since);
  });
  await reader.announcements.pull();
  const beforeCommit = performance.now();
  await announceAll(writer, [event(1)]);
  await reader.announcements.pull();
  expect(begins[0]).toBeLessThan(beforeCommit);
  await announceAll(writer, [event(2)]);
  const beforeNotice = performance.now();
  reader.announcements.noticed(["sightChanged"]);
  const afterNotice = performance.now();
  await expect.poll(() => begins.length).toBe(2);
  expect(begins[1]).toBeGreaterThanOrEqual(beforeNotice);
  expect(begins[1]).toBeLessThanOrEqual(afterNotice);
  await Promise.all([writer, reader].map(({ announcements }) => announcements.stop()));
});

test("listeners get their own process's events at once, others' when read, each once", async () => {
  const [one, other] = [createProcess(), createProcess()];
  const heard: string[] = [];
  for (const [name, { bus, announcements }] of Object.entries({ one, other })) {
    bus.on("sightChanged", ({ sensorIds }) => void heard.push(`${name} ${sensorIds.join()}`));
    await announcements.start(() => void heard.push(`${name} gap`));
  }
  await announceAll(one, [event(1), event(2)]);
  expect(heard).toEqual(["one 1", "one 2"]);
  await Promise.all([one.announcements.pull(), other.announcements.pull(), other.announcements.pull()]);
  expect(heard).toEqual(["one 1", "one 2", "other 1", "other 2"]);
  await sql`truncate announcement, announcement_log, announcement_mark`.execute(db);
  await other.announcements.pull();
  await one.announcements.pull();
  expect(heard.slice(4)).toEqual(["other gap", "one gap"]);
  const { announcementsRead, announcementsGaps } = other.metrics;
  expect([await valueOf(announcementsRead), await valueOf(announcementsGaps)]).toEqual([2, 1]);
  await Promise.all([one.announcements.stop(), other.announcements.stop()]);
});
