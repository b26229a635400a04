// So many at a time, in the order of their coming, and a failure gives its place back.
import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

test("no more than the places run at once, in their order, and whoever fails makes room", async () => {
  const run = createSemaphore(3);
  const begun: number[] = [];
  let [atWork, most] = [0, 0];
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      run(async () => {
        begun.push(n);
        most = Math.max(most, (atWork += 1));
        await new Promise(setImmediate);
        atWork -= 1;
        if (n % 4 === 0) throw new Error(String(n));
        return n;
      }),
    ),
  );
  expect(most).toBe(3);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(results.map((one) => (one.status === "fulfilled" ? one.value : one.reason.message))).toEqual(
    Array.from({ length: 20 }, (_, n) => (n % 4 === 0 ? String(n) : n)),
  );
});
