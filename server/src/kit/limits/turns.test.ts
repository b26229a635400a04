// Tests that long computations rest together, and longer while calls are being answered.
import { expect, test } from "vitest";
import { beginAnswer, createTurns } from "./turns.ts";

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

test("a turn goes on until it has lasted long enough, then others run", async () => {
  const nextTurn = createTurns();
  expect(nextTurn()).toBeUndefined();
  work(2);
  const order: string[] = [];
  setImmediate(() => order.push("other"));
  await nextTurn();
  order.push("work");
  expect(order).toEqual(["other", "work"]);
});

test("while a call is being answered, a rest is several times as long as the turn", async () => {
  const nextTurn = createTurns();
  const end = beginAnswer();
  work(2);
  let isOver = false;
  setTimeout(() => (isOver = true), 4);
  await nextTurn();
  end();
  expect(isOver).toBe(true);
});

test("computations rest together, so that none works while another rests", async () => {
  const [first, second] = [createTurns(), createTurns()];
  const order: string[] = [];
  work(2);
  const resting = first()?.then(() => order.push("first"));
  const begun = createTurns()();
  await second()?.then(() => order.push("second"));
  await resting;
  expect(begun).toBeDefined();
  expect(order).toEqual(["first", "second"]);
});
