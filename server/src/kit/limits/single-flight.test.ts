// Checks that concurrent requests share a run, but never one that started before the request.
import { expect, test } from "vitest";
import { createSingleFlight } from "./single-flight.ts";

function held() {
  const begun: { answer: (text: string) => void; fail: (error: Error) => void }[] = [];
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      begun.push({ answer: resolve, fail: reject });
    });
  const settle = () => new Promise((resolve) => void setImmediate(resolve));
  return { begun, ask, settle };
}

test("requests during a run share the next one", async () => {
  const same = createSingleFlight<string>();
  const { begun, ask, settle } = held();
  const first = same("k", ask);
  const others = [same("k", ask), same("k", ask), same("k", ask)];
  await settle();
  expect(begun).toHaveLength(1);
  begun[0]?.answer("before");
  expect(await first).toBe("before");
  await settle();
  expect(begun).toHaveLength(2);
  const late = same("k", ask);
  begun[1]?.answer("after");
  expect(await Promise.all(others)).toEqual(["after", "after", "after"]);
  await settle();
  expect(begun).toHaveLength(3);
  begun[2]?.answer("later");
  expect(await late).toBe("later");
  await settle();
  const alone = same("k", ask);
  expect(begun).toHaveLength(4);
  begun[3]?.answer("alone");
  expect(await alone).toBe("alone");
});

test("another key does not wait", async () => {
  const same = createSingleFlight<string>();
  const one = held();
  const two = held();
  const answers = [same("one", one.ask), same("two", two.ask)];
  expect([one.begun.length, two.begun.length]).toEqual([1, 1]);
  two.begun[0]?.answer("2");
  expect(await answers[1]).toBe("2");
  one.begun[0]?.answer("1");
  expect(await answers[0]).toBe("1");
});

test("a failure is shared but not cached", async () => {
  const same = createSingleFlight<string>();
  const { begun, ask, settle } = held();
  const first = same("k", ask);
  const second = same("k", ask);
  begun[0]?.fail(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await settle();
  begun[1]?.fail(new Error("still away"));
  await expect(second).rejects.toThrow("still away");
  await settle();
  const third = same("k", ask);
  expect(begun).toHaveLength(3);
  begun[2]?.answer("there");
  expect(await third).toBe("there");
});
