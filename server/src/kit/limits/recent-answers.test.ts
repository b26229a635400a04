// Tests for how long expensive answers are reused, and that no one gets one from before their own change.
import { expect, test } from "vitest";
import { createRecentAnswers } from "./recent-answers.ts";

const costMs = 50;

function place({ isExpensive = true, catchUp = () => {} } = {}) {
  let atMs = 0;
  let computed = 0;
  const recent = createRecentAnswers<number>({
    isExpensive: () => isExpensive,
    catchUp: async () => catchUp(),
    now: () => atMs,
  });
  const ask = (asker = "a", key = "k", during = () => {}) =>
    recent.get(asker, key, async () => {
      computed += 1;
      const mine = computed;
      await Promise.resolve();
      during();
      atMs += costMs;
      return mine;
    });
  return { ask, forget: recent.forget, wait: (ms: number) => void (atMs += ms) };
}

test("an expensive answer is reused until 900 ms after its computation began", async () => {
  const { ask, wait } = place();
  expect(await ask()).toBe(1);
  wait(850);
  expect(await ask()).toBe(1);
  wait(1);
  expect(await ask()).toBe(2);
  expect([await ask("b"), await ask("b"), await ask()]).toEqual([3, 3, 2]);
});

test("only the last answer of an asker is kept", async () => {
  const { ask } = place();
  expect([await ask(), await ask("a", "other"), await ask("a", "other"), await ask()]).toEqual([1, 2, 2, 3]);
});

test("a cheap answer is computed each time", async () => {
  const { ask } = place({ isExpensive: false });
  expect([await ask(), await ask()]).toEqual([1, 2]);
});

test("after a change, its author gets a new answer, also if one was being computed", async () => {
  const { ask, forget } = place();
  expect([await ask(), await ask("b")]).toEqual([1, 2]);
  forget("a");
  expect([await ask(), await ask("b")]).toEqual([3, 2]);
  forget("a");
  expect(await ask("a", "k", () => forget("a"))).toBe(4);
  expect(await ask()).toBe(5);
});

test("an answer is not reused if its asker turns out to have changed something before", async () => {
  let late = () => {};
  const { ask, forget } = place({ catchUp: () => late() });
  expect([await ask(), await ask()]).toEqual([1, 1]);
  late = () => forget("a");
  expect(await ask()).toBe(2);
});
