// Tests the length limits of registration codes and claims (CL-02, T-13).
import { expect, test } from "vitest";
import { claimSensors } from "./claim.api.ts";
import { claimingCodeSchema, isClaimingCode, normalizeClaimingCode } from "./claim.ts";

test.each([
  ["", false],
  ["ABCD234", false],
  ["ABCD2345", true],
  ["ABCD23456", false],
  // Length counts characters (code points), not UTF-16 code units.
  ["🚪🚪🚪🚪🚪🚪🚪🚪", true],
  ["🚪🚪🚪🚪", false],
  ["ABCD\u0000234", false],
])("CL-02 whether %j can be a code: %s", (code, can) => {
  expect(isClaimingCode(code)).toBe(can);
  expect(claimingCodeSchema.safeParse(code).success).toBe(can);
});

test.each([
  ["abcd2345", "ABCD2345"],
  [" ABCD2345 ", "ABCD2345"],
  ["ABCD2345", "ABCD2345"],
])("CL-02 %j is compared as %j", (typed, code) => {
  expect(normalizeClaimingCode(typed)).toBe(code);
  expect(claimingCodeSchema.parse(typed)).toBe(code);
});

test.each([
  [0, false],
  [1, true],
  [2, true],
  [50, true],
  [51, false],
])("T-13 a call with the same claim %d times is taken: %s", (times, taken) => {
  const claim = { id: "00:1E:C0:12:34:56", type: "APS", claimingCode: "ABCD2345" };
  const sensors = Array.from({ length: times }, () => claim);
  expect(claimSensors.body?.safeParse({ sensors }).success).toBe(taken);
});
