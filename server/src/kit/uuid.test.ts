// Tests the version, time, order and uniqueness of ids.
import { expect, test } from "vitest";
import { uuidv7 } from "./uuid.ts";

const instant = Date.UTC(2026, 10, 22, 8);

test("ids of one instant are in creation order and contain the instant", () => {
  const ids = Array.from({ length: 20_000 }, () => {
    uuidv7(instant - 1);
    return uuidv7(instant);
  });
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(ids.filter((id) => !form.test(id))).toEqual([]);
  const times = ids.map((id) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
  expect(new Set(times)).toEqual(new Set([instant]));
});

test("a later instant sorts after an earlier one, and a number before 1970 is the first instant", () => {
  expect([uuidv7(instant + 1), uuidv7(instant)].toSorted()[0]?.slice(0, 13)).toBe(uuidv7(instant).slice(0, 13));
  expect(uuidv7(-1).slice(0, 13)).toBe("00000000-0000");
});
