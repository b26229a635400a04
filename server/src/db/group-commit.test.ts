// Tests batches against a database that is unavailable, full, or refuses one item: nothing is lost or acknowledged too early.
import { expect, test } from "vitest";
import { pino } from "pino";
import { createGroupCommit } from "./group-commit.ts";

const log = pino({ level: "silent" });
const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

function setUp(run: (items: number[], attempt: number) => void) {
  let attempt = 0;
  const committed: number[] = [];
  const buried: number[] = [];
  const batcher = createGroupCommit<number>({
    name: "test",
    log,
    gatherMs: 1,
    maxWeight: 10,
    async run(items) {
      attempt += 1;
      run(items, attempt);
      committed.push(...items);
    },
    onPoison: (item) => {
      buried.push(item);
      return null;
    },
  });
  return { batcher, committed, buried, attempts: () => attempt };
}

for (const [what, error] of [
  ["away", failure("connect ECONNREFUSED", "ECONNREFUSED")],
  ["shutting down", failure("terminating connection", "57P01")],
  ["too slow", failure("canceling statement due to statement timeout", "57014")],
  ["full", failure("could not extend file", "53100")],
  ["deadlocked", failure("deadlock detected", "40P01")],
  ["out of connections", failure("timeout exceeded when trying to connect")],
] as const) {
  test(`DE-01 while the database is ${what}, items wait, and each is committed once afterwards`, async () => {
    const { batcher, committed, buried } = setUp((_, attempt) => {
      if (attempt === 1) throw error;
    });
    await Promise.all([1, 2, 3].map((item) => batcher.add(item)));
    expect(committed).toEqual([1, 2, 3]);
    expect(buried).toEqual([]);
  });
}

test("DE-01 an item that can't be stored is isolated and blocks no other", async () => {
  for (const error of [failure("invalid byte sequence", "22021"), new RangeError("Invalid time value")]) {
    const { batcher, committed, buried } = setUp((items) => {
      if (items.includes(4)) throw error;
    });
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => batcher.add(item)));
    expect(committed).toEqual([1, 2, 3, 5, 6, 7]);
    expect(buried).toEqual([4]);
  }
});

test("DE-01 good parts of a refused item are stored, with a replacement for the bad one", async () => {
  const committed: number[] = [];
  let outages = 2;
  const batcher = createGroupCommit<number[]>({
    name: "test",
    log,
    gatherMs: 1,
    maxWeight: 10,
    async run(items) {
      const all = items.flat();
      if (all.includes(13)) throw failure("bad", "22P02");
      // The database becomes unavailable during the search for the bad item.
      if (outages > 0 && all.includes(-13)) {
        outages -= 1;
        throw failure("connect ECONNREFUSED", "ECONNREFUSED");
      }
      committed.push(...all);
    },
    split: (item) => item.map((one) => [one]),
    onPoison: (item) => item.map((one) => -one),
  });
  await Promise.all([batcher.add([1, 2]), batcher.add([11, 12, 13, 14])]);
  expect(committed.toSorted((a, b) => a - b)).toEqual([-13, 1, 2, 11, 12, 14]);
});

test("DE-01 stopping commits the queue; failures are never reported as committed", async () => {
  const good = setUp(() => undefined);
  const reports = [1, 2, 3].map((item) => good.batcher.add(item));
  await good.batcher.stop("all");
  await Promise.all(reports);
  expect(good.committed).toEqual([1, 2, 3]);

  const dead = setUp(() => {
    throw failure("connect ECONNREFUSED", "ECONNREFUSED");
  });
  let isNotified = false;
  void dead.batcher.add(1).then(() => (isNotified = true));
  await dead.batcher.stop("all");
  expect(isNotified).toBe(false);
  expect(dead.committed).toEqual([]);
});

test("DE-01 a backlog does not delay the stop: the rest is never reported", async () => {
  let release = () => {};
  const gate = new Promise<void>((go) => (release = go));
  const committed: number[] = [];
  const reported: number[] = [];
  const batcher = createGroupCommit<number>({
    name: "test",
    log,
    gatherMs: 1,
    maxWeight: 10,
    async run(items) {
      await gate;
      committed.push(...items);
    },
    onPoison: () => null,
  });
  for (let item = 0; item < 1_000; item += 1) void batcher.add(item).then(() => reported.push(item));
  const stopped = batcher.stop("current");
  release();
  await stopped;
  await batcher.stop("current");
  expect(committed).toHaveLength(10);
  expect(reported).toEqual(committed);
});

test("DE-01 a batch never holds more than its weight allows", async () => {
  const sizes: number[] = [];
  const { batcher, committed } = setUp((items) => void sizes.push(items.length));
  await Promise.all(Array.from({ length: 95 }, (_, item) => batcher.add(item)));
  expect(Math.max(...sizes)).toBe(10);
  expect(committed).toEqual(Array.from({ length: 95 }, (_, item) => item));
});
