// Ids of requests: different, and harmless in a spreadsheet.
import { expect, test } from "vitest";
import { requestIds } from "./request-ids.ts";

test("T-30 ids of requests differ, and none of them begins like a formula of a spreadsheet", () => {
  const first = Array.from({ length: 2000 }, () => requestIds()());
  expect(first.filter((id) => !/^[0-9a-z]/.test(id))).toEqual([]);
  expect(new Set(first).size).toBe(first.length);
  const next = requestIds();
  expect(next()).not.toBe(next());
});
