// Request ids are unique and safe in CSV exports.
import { expect, test } from "vitest";
import { requestIds } from "./request-ids.ts";

test("T-30 request ids are unique and never start like a spreadsheet formula", () => {
  const first = Array.from({ length: 2000 }, () => requestIds()());
  expect(first.filter((id) => !/^[0-9a-z]/.test(id))).toEqual([]);
  expect(new Set(first).size).toBe(first.length);
  const next = requestIds();
  expect(next()).not.toBe(next());
});
