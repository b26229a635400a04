// Checks that the bounded queue runs one call at a time, in order, and refuses calls beyond its limits with 429.
import { expect, test } from "vitest";
import { createBoundedQueue } from "./keyed-queue.ts";

/** Starts calls that end when the test ends them. */
function createCalls(queue: ReturnType<typeof createBoundedQueue>) {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  return {
    started,
    begin(key: string, name: string) {
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      const result = queue(key, () => {
        started.push(name);
        return end.promise;
      });
      result.catch(() => undefined);
      return result;
    },
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}
const refused = { status: 429, headers: { "retry-after": "30" } };

test("runs one call at a time in order, also after a failure", async () => {
  const { started, begin, end, fail } = createCalls(createBoundedQueue({ max: 10, maxPerKey: 10 }));
  const [a, b, c] = [begin("x", "a"), begin("y", "b"), begin("x", "c")];
  await expect.poll(() => started).toEqual(["a"]);
  fail("a");
  await expect(a).rejects.toThrow("a");
  await expect.poll(() => started).toEqual(["a", "b"]);
  end("b");
  expect(await b).toBe("b");
  end("c");
  expect(await c).toBe("c");
});

test("refuses what would wait behind the limit, and accepts calls again when there is room", async () => {
  const { started, begin, end } = createCalls(createBoundedQueue({ max: 2, maxPerKey: 10 }));
  void begin("x", "a");
  await expect.poll(() => started).toEqual(["a"]);
  const waiting = [begin("x", "b"), begin("y", "c")];
  await expect(begin("z", "d")).rejects.toMatchObject(refused);
  for (const name of ["a", "b", "c"]) end(name);
  await Promise.all(waiting);
  const last = begin("z", "e");
  end("e");
  expect(await last).toBe("e");
  expect(started).toEqual(["a", "b", "c", "e"]);
});

test("limits each key, including its running call, until the call is over", async () => {
  const { begin, end } = createCalls(createBoundedQueue({ max: 10, maxPerKey: 2 }));
  const first = begin("x", "a");
  void begin("x", "b");
  await expect(begin("x", "c")).rejects.toMatchObject(refused);
  const other = begin("y", "d");
  end("a");
  await first;
  const next = begin("x", "e");
  for (const name of ["b", "d", "e"]) end(name);
  expect(await Promise.all([other, next])).toEqual(["d", "e"]);
});
