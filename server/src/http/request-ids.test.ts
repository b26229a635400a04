// Request ids are unique and safe in CSV exports.
import { expect, test } from "vitest";
import { createRequestIdGenerator } from "./request-ids.ts";

test("T-30 request ids are unique and never start like a spreadsheet formula", () => {
  const first = Array.from({ length: 2000 }, () => createRequestIdGenerator()());
  expect(first.filter((id) => !/^[0-9a-z]/.test(id))).toEqual([]);
  expect(new Set(first).size).toBe(first.length);
  const next = createRequestIdGenerator();
  expect(next()).not.toBe(next());
});
