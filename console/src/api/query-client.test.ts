// Tests how live messages update cached data (LI-01).
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { beforeEach, expect, test, vi } from "vitest";
import type { ObjectMessage } from "./live.ts";
import { applyLiveMessages, FreshQueryClient } from "./query-client.ts";

let client: QueryClient;
beforeEach(() => {
  client = new QueryClient();
});

const message = (op: ObjectMessage["op"], id: string, more: object = {}): ObjectMessage => ({
  type: "sensor",
  op,
  obj: { _id: id, ...more },
  seq: 1,
  cursor: "c1",
});
const list = ["sensor", "list", {}];

test("LI-01 an update changes its row in place and keeps what the message does not carry", () => {
  client.setQueryData(list, {
    objects: [
      { _id: "a", version: 1, token: "secret" },
      { _id: "b", version: 1 },
    ],
    total: 2,
  });
  client.setQueryData(["sensor", "one", "a"], { _id: "a", version: 1 });
  applyLiveMessages(client, [message("update", "a", { version: 2 })]);
  expect(client.getQueryData(list)).toEqual({
    objects: [
      { _id: "a", version: 2, token: "secret" },
      { _id: "b", version: 1 },
    ],
    total: 2,
  });
  expect(client.getQueryData(["sensor", "one", "a"])).toEqual({ _id: "a", version: 2 });
});

test("LI-01 news that waited while a later change was answered do not take it back", () => {
  const one = ["sensor", "one", "a"];
  client.setQueryData(one, { _id: "a", version: 3, groups: ["second"] });
  applyLiveMessages(client, [message("update", "a", { version: 2, groups: ["first"] })]);
  expect(client.getQueryData(one)).toEqual({ _id: "a", version: 3, groups: ["second"] });
  applyLiveMessages(client, [message("update", "a", { version: 3, groups: ["second"], online: true })]);
  expect(client.getQueryData(one)).toEqual({ _id: "a", version: 3, groups: ["second"], online: true });
});

test("LI-01 what comes or goes makes the lists ask again, a strange type leaves them alone", () => {
  client.setQueryData(list, { objects: [{ _id: "a" }], total: 1 });
  applyLiveMessages(client, [{ ...message("create", "x"), type: "role" }]);
  expect(client.getQueryState(list)?.isInvalidated).toBe(false);
  applyLiveMessages(client, [message("delete", "a")]);
  expect(client.getQueryState(list)?.isInvalidated).toBe(true);
});

test("MO-04 issues are asked for again at once", () => {
  const keys = [
    ["issue", "list", {}],
    ["issue", "sensors", {}],
  ];
  for (const key of keys) client.setQueryData(key, { objects: [] });
  client.setQueryData(["sensor", "one", "a"], { _id: "a" });
  const issue = { ...message("update", "i", { sens: "a", measID: "m" }), type: "issue" as const };
  applyLiveMessages(client, [issue, { ...issue, obj: { _id: "j", sens: "a", measID: null } }]);
  for (const key of keys) expect(client.getQueryState(key)?.isInvalidated, JSON.stringify(key)).toBe(true);
  expect(client.getQueryState(["sensor", "one", "a"])?.isInvalidated).toBe(false);
});

test("LI-01 what changes while it is asked for the first time is asked for once more", async () => {
  const fresh = new FreshQueryClient();
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let asked = 0;
  const queryFn = () => answers[asked++]?.promise;
  const stop = new QueryObserver(fresh, { queryKey: list, queryFn }).subscribe(() => undefined);
  const done = Promise.all([1, 2, 3].map(() => fresh.invalidateQueries({ queryKey: ["sensor"] })));
  answers[0]?.resolve("as it was");
  await expect.poll(() => asked).toBe(2);
  answers[1]?.resolve("as it is");
  await done;
  expect(fresh.getQueryData(list)).toBe("as it is");
  expect(asked).toBe(2);
  stop();
});

test("AC-01 the health of customers is refetched at most once in two seconds, and only if it was shown", () => {
  vi.useFakeTimers();
  try {
    const key = ["customer", "list", {}];
    const asked = vi.spyOn(client, "invalidateQueries");
    const forHealth = () => asked.mock.calls.filter(([filters]) => String(filters?.queryKey) === "customer").length;
    applyLiveMessages(client, [message("update", "z")]);
    vi.advanceTimersByTime(2000);
    expect(forHealth()).toBe(0);
    client.setQueryData(key, { objects: [], total: 0 });
    for (let step = 0; step < 4; step += 1) {
      applyLiveMessages(client, [message("update", "z")]);
      vi.advanceTimersByTime(500);
    }
    expect(forHealth()).toBe(1);
    expect(client.getQueryState(key)?.isInvalidated).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("many updates ask for lists and totals once in five seconds, not once each", () => {
  vi.useFakeTimers();
  try {
    client.setQueryData(list, { objects: [], total: 0 });
    const asked = vi.spyOn(client, "invalidateQueries");
    for (let second = 0; second < 4; second += 1) {
      applyLiveMessages(client, [message("update", "z")]);
      vi.advanceTimersByTime(1000);
    }
    expect(asked).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1500);
    expect(client.getQueryState(list)?.isInvalidated).toBe(true);
    expect(asked).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
