// Tests the clock estimate at fixed instants (DE-01).
import { expect, test } from "vitest";
import { estimateAfterMessage, estimateAtBirth, isClockWrong, unknownClock } from "./clock.rules.ts";

const noon = Date.parse("2026-05-04T12:00:00Z");
const minuteMs = 60_000;
/** Each message is a pair: the seconds from noon to its arrival, and the milliseconds by which its timestamp is ahead. */
const after = (birthOffMs: number | null, messages: [number, number][]) =>
  messages.reduce(
    (state, [second, offMs]) => estimateAfterMessage(state, noon + second * 1000 + offMs, noon + second * 1000),
    birthOffMs === null ? unknownClock : estimateAtBirth({ now: noon + birthOffMs, synced: true }, noon),
  ).offMs;

test.each<[string, number | null, [number, number][], number | null]>([
  ["nothing said", null, [], null],
  ["only a birth", -2 * minuteMs, [], -2 * minuteMs],
  ["a message of a clock that is ahead, at once", 0, [[10, 15 * minuteMs]], 15 * minuteMs],
  ["a message that waited in a queue", 0, [[10, -3_600_000]], 0],
  [
    "messages that waited in a queue, one after the other",
    0,
    [
      [10, -3_600_000],
      [10, -3_540_000],
      [11, -3_480_000],
    ],
    0,
  ],
  [
    "two messages that agree on a clock behind",
    0,
    [
      [10, -minuteMs * 5],
      [20, -minuteMs * 5 + 1_000],
    ],
    -minuteMs * 5 + 1_000,
  ],
  [
    "two that agree, but came at the same moment",
    0,
    [
      [10, -minuteMs * 5],
      [14, -minuteMs * 5],
    ],
    0,
  ],
  [
    "a clock that was set right while connected",
    15 * minuteMs,
    [
      [60, 0],
      [120, -100],
    ],
    -100,
  ],
  [
    "delays of some seconds",
    0,
    [
      [60, -4_000],
      [120, -5_000],
    ],
    0,
  ],
  ["a first message without a birth's clock", null, [[10, -5 * minuteMs]], -5 * minuteMs],
])("DE-01 a clock with %s", (_, birth, messages, offMs) => {
  expect(after(birth, messages)).toBe(offMs);
});

test.each([
  [null, false],
  [0, false],
  [minuteMs, false],
  [minuteMs + 1, true],
  [-minuteMs, false],
  [-minuteMs - 1, true],
])("DE-01 a clock that is off by %s ms", (offMs, wrong) => {
  expect(isClockWrong(offMs)).toBe(wrong);
});
