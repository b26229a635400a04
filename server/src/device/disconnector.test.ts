// Checks that deleted or handed-over sensors soon lose their sessions, even after failures.
import { expect, test } from "vitest";
import { createDisconnector } from "./disconnector.ts";

const many = Array.from({ length: 1_200 }, (_, n) => `sensor ${n}`);
const turn = () => new Promise(setImmediate);

test("T-28 callers that wait for a dropped sensor are released; concurrency is limited", async () => {
  const abandoned: string[] = [];
  const ended: [string, boolean][] = [];
  let [atWork, most] = [0, 0];
  const disconnector = createDisconnector(
    {
      findUndeletedSensors: async (ids) => new Set(ids.filter((id) => !id.endsWith("7"))),
      abandon: (id) => void abandoned.push(id),
      end: async (id, isGone) => {
        most = Math.max(most, (atWork += 1));
        await turn();
        atWork -= 1;
        ended.push([id, isGone]);
      },
      onError: expect.unreachable,
    },
    { maxConcurrentEnds: 20 },
  );
  const over = disconnector.end(many);
  expect(abandoned).toEqual(many);
  expect(ended).toEqual([]);
  await over;
  expect(most).toBe(20);
  expect(ended.map(([id]) => id).toSorted()).toEqual(many.toSorted());
  expect(ended.every(([id, isGone]) => isGone === id.endsWith("7"))).toBe(true);
});

test("T-28 failures block no one and are retried until they succeed", async () => {
  const ended = new Set<string>();
  const failures = { "sensor 3": 2, "sensor 4": 1 } as Record<string, number>;
  let [isAway, reported] = [true, 0];
  const disconnector = createDisconnector(
    {
      async findUndeletedSensors() {
        if (isAway) throw new Error("away");
        return new Set<string>();
      },
      abandon: () => undefined,
      async end(id) {
        if ((failures[id] = (failures[id] ?? 0) - 1) >= 0) throw new Error("the broker did not confirm");
        ended.add(id);
      },
      onError: () => void (reported += 1),
    },
    { maxConcurrentEnds: 5, retryMs: 1 },
  );
  await disconnector.end(many);
  expect([ended.size, reported]).toEqual([0, 3]);
  isAway = false;
  await expect.poll(() => ended.size).toBe(many.length);
  expect(reported).toBeGreaterThanOrEqual(6);
  disconnector.stop();
});

test("T-28 nothing is retried after a stop", async () => {
  let tries = 0;
  const disconnector = createDisconnector(
    {
      findUndeletedSensors: async () => new Set<string>(),
      abandon: () => undefined,
      async end() {
        tries += 1;
        throw new Error("gone");
      },
      onError: () => undefined,
    },
    { retryMs: 1 },
  );
  await disconnector.end(["one"]);
  disconnector.stop();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(tries).toBe(1);
});
