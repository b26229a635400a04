// Tests that concurrent calls share one run, and that runs do not wait for each other.
import { expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";

const turn = () => new Promise<void>((go) => void setImmediate(go));

test.each([0, 4])("calls within %s ms share a run, and each gets its result", async (gatherMs) => {
  const runs: string[][] = [];
  const look = createBatcher(async (keys: string[]) => {
    runs.push(keys);
    return new Map(keys.map((key) => [key, key.toUpperCase()]));
  }, gatherMs);
  const found = await Promise.all(["a", "b", "a"].map(async (key) => (await look(key)).get(key)));
  expect(found).toEqual(["A", "B", "A"]);
  expect((await look("c")).get("c")).toBe("C");
  expect(runs).toEqual([["a", "b", "a"], ["c"]]);
});

test("a slow run holds up no later call, and a failed one fails only its own", async () => {
  const slow = Promise.withResolvers<string>();
  const look = createBatcher((keys: string[]) => {
    if (keys.includes("bad")) return Promise.reject(new Error("bad"));
    return keys.includes("slow") ? slow.promise : Promise.resolve("quick");
  });
  const first = look("slow");
  await turn();
  expect(await look("other")).toBe("quick");
  await expect(look("bad")).rejects.toThrow("bad");
  expect(await look("other")).toBe("quick");
  slow.resolve("late");
  expect(await first).toBe("late");
});
