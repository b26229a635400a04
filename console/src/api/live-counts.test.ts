// Tests which counts a live message refetches, and how often (LI-01).
import type { CountsStoredMessage } from "@psp/contract/live/live-message.ts";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CountsKey } from "./counts-key.ts";
import { refetchAffectedCounts } from "./live-counts.ts";

let client: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

const stored = (obj: Partial<CountsStoredMessage["obj"]> = {}): CountsStoredMessage => ({
  type: "datapoint",
  op: "create",
  obj: {
    measID: "shop",
    sens: "00:1E:C0:00:00:01",
    type: "counting",
    from: "2026-11-23T10:00:00.000Z",
    to: "2026-11-23T10:01:00.000Z",
    ...obj,
  },
  seq: 1,
  cursor: "c1",
});

async function shown(subject: CountsKey[2], range: string, answerMs = 0) {
  const queryKey: CountsKey = ["datapoint", "counts", subject, range, {}];
  let asked = 0;
  const queryFn = async () => {
    asked += 1;
    if (answerMs > 0) await new Promise((resolve) => setTimeout(resolve, answerMs));
    return asked;
  };
  new QueryObserver(client, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(answerMs + 100);
  expect(asked).toBe(1);
  return { again: () => asked - 1 };
}

test.each<[subject: CountsKey[2], range: string, obj: Partial<CountsStoredMessage["obj"]>, concerned: boolean]>([
  ["meas:shop", "today", {}, true],
  ["meas:shop", "yesterday", {}, true],
  ["sens:00:1E:C0:00:00:01", "today", {}, true],
  ["any", "last7days", {}, true],
  ["any", "today", { measID: null }, true],
  ["meas:other", "today", {}, false],
  ["sens:00:1E:C0:00:00:02", "today", {}, false],
  ["meas:shop", "today", { measID: null }, false],
  ["meas:shop", "2026-11-01,2026-11-23", {}, true],
  // Counts before the range may belong to the comparison period.
  ["meas:shop", "2026-11-24,2026-11-24", {}, true],
  // The local day may end after the UTC day.
  ["meas:shop", "2026-11-22,2026-11-22", {}, true],
  ["meas:shop", "2026-11-01,2026-11-20", {}, false],
])("LI-01 counts of %s, %s, after %j: asked again %s", async (subject, range, obj, concerned) => {
  const query = await shown(subject, range);
  refetchAffectedCounts(client, [stored(obj)]);
  await vi.advanceTimersByTimeAsync(0);
  expect(query.again()).toBe(concerned ? 1 : 0);
});

test("LI-01 the first message is followed at once, those after it within 1.5 s and together", async () => {
  const query = await shown("meas:shop", "today");
  for (let tenth = 0; tenth < 100; tenth += 1) {
    refetchAffectedCounts(client, [stored(), stored()]);
    await vi.advanceTimersByTimeAsync(100);
    if (tenth === 0) expect(query.again()).toBe(1);
  }
  // Refetched within ten seconds at 0, 1.5, 3, 4.5, 6, 7.5 and 9 s.
  expect(query.again()).toBe(7);
  await vi.advanceTimersByTimeAsync(1500);
  expect(query.again()).toBe(8);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(query.again()).toBe(8);
});

test("LI-01 an answer that takes longer is waited for, and what came meanwhile asked after it", async () => {
  const query = await shown("meas:shop", "today", 4000);
  const data = () => client.getQueryData(["datapoint", "counts", "meas:shop", "today", {}]);
  refetchAffectedCounts(client, [stored()]);
  await vi.advanceTimersByTimeAsync(3000);
  refetchAffectedCounts(client, [stored()]);
  await vi.advanceTimersByTimeAsync(1100);
  expect(data()).toBe(2);
  expect(query.again()).toBe(2);
  await vi.advanceTimersByTimeAsync(4100);
  expect(data()).toBe(3);
});
