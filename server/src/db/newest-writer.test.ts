// Tests the newest-value writer with a database that is unavailable, full or refuses a value: no other value is lost or overwritten by
// an older one.
import { pino } from "pino";
import { expect, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { createNewestWriter } from "./newest-writer.ts";

const log = pino({ level: "silent" });
const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

function setUp(attempt: (values: number[], n: number) => Promise<void> | void, everyMs?: number) {
  let attempts = 0;
  const written: number[][] = [];
  const writer = createNewestWriter<number>({
    name: "test",
    log,
    ...(everyMs === undefined ? {} : { everyMs }),
    async write(values) {
      attempts += 1;
      await attempt(values, attempts);
      written.push(values);
    },
  });
  return { writer, written, attempts: () => attempts };
}

for (const [what, error] of [
  ["away", failure("connect ECONNREFUSED", "ECONNREFUSED")],
  ["too slow", failure("canceling statement due to statement timeout", "57014")],
  ["full", failure("could not extend file", "53100")],
  ["deadlocked", failure("deadlock detected", "40P01")],
] as const) {
  test(`while the database is ${what}, the newest values wait and are written without a new event`, async () => {
    const { writer, written } = setUp((_, n) => {
      if (n === 1) throw error;
    });
    writer.put("a", 1);
    writer.put("b", 1);
    await until("written after the failure", () => written.length > 0);
    expect(written).toEqual([[1, 1]]);
    await writer.stop();
    expect(written).toHaveLength(1);
  });
}

test("a value that can't be stored is lost alone", async () => {
  let outages = 1;
  const { writer, written } = setUp((values) => {
    if (values.includes(4)) throw failure("out of range", "22003");
    if (values.includes(7) && outages > 0) {
      outages -= 1;
      throw failure("connect ECONNREFUSED", "ECONNREFUSED");
    }
  });
  for (let n = 1; n <= 8; n += 1) writer.put(`key ${n}`, n);
  await until("the first are written", () => written.length > 0);
  await writer.stop();
  expect(written.flat().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 5, 6, 7, 8]);
});

test("the newest value per key is written; failed ones are replaced or dropped", async () => {
  const [begun, broken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { writer, written } = setUp(async (_, n) => {
    if (n > 1) return;
    begun.resolve();
    await broken.promise;
  });
  writer.put("a", 0);
  writer.put("a", 1);
  writer.put("b", 1);
  writer.put("c", 1);
  await begun.promise;
  writer.put("b", 2);
  writer.drop("c");
  broken.reject(failure("connect ECONNREFUSED", "ECONNREFUSED"));
  await writer.stop();
  expect(written).toEqual([[1, 2]]);
});

test("a dropped value is not written; a later one is", async () => {
  const { writer, written } = setUp(() => undefined);
  writer.put("a", 1);
  writer.put("b", 1);
  writer.drop("a");
  writer.drop("b");
  writer.put("b", 2);
  await writer.stop();
  expect(written).toEqual([[2]]);
});

test("the first value is written at once, later ones after a pause that stopping cuts short", async () => {
  const { writer, written } = setUp(() => undefined, 3_600_000);
  writer.put("a", 1);
  await until("the first", () => written.length === 1);
  for (let n = 2; n <= 100; n += 1) writer.put("a", n);
  await writer.stop();
  expect(written).toEqual([[1], [100]]);
});

test("stopping tries once to write the rest", async () => {
  const { writer, written, attempts } = setUp(() => {
    throw failure("connect ECONNREFUSED", "ECONNREFUSED");
  });
  writer.put("a", 1);
  await writer.stop();
  expect(written).toEqual([]);
  expect(attempts()).toBeLessThanOrEqual(2);
});
