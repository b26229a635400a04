// Checks that the desired-state queue limits concurrency, removes duplicates, and publishes small changes first.
import { expect, test } from "vitest";
import { createDesiredQueue } from "./desired.ts";

test("a hundred thousand sensors are published in parts, two at a time, each once", async () => {
  const parts: string[][] = [];
  let atWork = 0;
  let most = 0;
  let steps: (() => void)[] = [];
  const line = createDesiredQueue(
    async (ids) => {
      parts.push([...ids]);
      most = Math.max(most, (atWork += 1));
      await new Promise<void>((resolve) => steps.push(resolve));
      atWork -= 1;
    },
    { chunkSize: 500, concurrency: 2, onError: () => undefined },
  );
  const crowd = Array.from({ length: 100_000 }, (_, n) => `crowd ${n}`);
  line.add(crowd);
  line.add(crowd.slice(2000));
  line.add(["single"]);
  const named = () => parts.flat();
  while (named().length < crowd.length + 1 || steps.length > 0) {
    const before = steps;
    steps = [];
    for (const step of before) step();
    await new Promise(setImmediate);
  }
  expect(most).toBe(2);
  expect(parts.slice(0, 4).flat()).toContain("single");
  expect(named().toSorted()).toEqual([...crowd, "single"].toSorted());
});

test("a failing part blocks no one; stopping waits for running parts only", async () => {
  const errors: unknown[] = [];
  const seen: string[] = [];
  const line = createDesiredQueue(
    async (ids) => {
      if (ids.includes("bad")) throw new Error("no database");
      seen.push(...ids);
    },
    { chunkSize: 1, concurrency: 1, onError: (error) => errors.push(error) },
  );
  line.add(["bad", "good"]);
  await expect.poll(() => seen).toEqual(["good"]);
  expect(errors).toHaveLength(1);
  line.add(["now", "later"]);
  await line.stop();
  expect(seen).toEqual(["good", "now"]);
});

test("a sensor that changes during its publication is published again afterwards", async () => {
  const steps: (() => void)[] = [];
  const line = createDesiredQueue(() => new Promise((resolve) => steps.push(resolve)), {
    chunkSize: 500,
    concurrency: 2,
    onError: () => undefined,
  });
  line.add(["one"]);
  line.add(["one"]);
  expect(steps).toHaveLength(1);
  line.add(["two"]);
  expect(steps).toHaveLength(2);
  steps[0]?.();
  await expect.poll(() => steps.length).toBe(3);
  steps[1]?.();
  steps[2]?.();
  await line.stop();
  expect(steps).toHaveLength(3);
});

test("publishNow waits only for running work on its sensors, and runs once", async () => {
  const parts: { ids: readonly string[]; done: () => void; fail: (error: Error) => void }[] = [];
  const line = createDesiredQueue(
    (ids) => new Promise((done, fail) => void parts.push({ ids, done: () => done(), fail })),
    { chunkSize: 1, concurrency: 1, onError: () => undefined },
  );
  const begun = () => parts.map(({ ids }) => ids.join("+"));
  line.add(["one"]);
  line.add(["two"]);
  const born = line.publishNow(["three", "two"]);
  expect(begun()).toEqual(["one", "three+two"]);
  const again = line.publishNow(["one", "four"]);
  await new Promise(setImmediate);
  expect(begun()).toHaveLength(2);
  parts[0]?.done();
  await expect.poll(() => begun()).toEqual(["one", "three+two", "one+four"]);
  line.add(["four"]);
  await new Promise(setImmediate);
  expect(begun()).toHaveLength(3);
  parts[1]?.fail(new Error("no database"));
  await expect(born).rejects.toThrow("no database");
  parts[2]?.done();
  await again;
  await expect.poll(() => begun()).toEqual(["one", "three+two", "one+four", "four"]);
  parts[3]?.done();
  await line.stop();
});

test("idle waits only for running work on that sensor", async () => {
  const steps: (() => void)[] = [];
  const line = createDesiredQueue(() => new Promise((done) => void steps.push(done)), {
    chunkSize: 1,
    concurrency: 2,
    onError: () => undefined,
  });
  line.add(["one", "two"]);
  await line.idle("other");
  let isIdle = false;
  const idle = line.idle("one").then(() => (isIdle = true));
  steps[1]?.();
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  steps[0]?.();
  await idle;
  await line.stop();
});

test("temporary errors are retried, permanent ones are not", async () => {
  const tried: string[] = [];
  const line = createDesiredQueue(
    async ([id = ""]) => {
      tried.push(id);
      if (id === "bad" || tried.filter((one) => one === id).length < 3) throw new Error(id);
    },
    {
      chunkSize: 1,
      concurrency: 1,
      onError: () => undefined,
      isTransient: (error) => error instanceof Error && error.message === "away",
      retryMs: 1,
    },
  );
  line.add(["bad", "away"]);
  await expect.poll(() => tried).toEqual(["bad", "away", "away", "away"]);
  await line.stop();
});
