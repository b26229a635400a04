// Tests which spellings of a version are equal (FW-03).
import { expect, test } from "vitest";
import { isSameVersion } from "./version-spelling.ts";

test.each([
  ["v1.2.3", true],
  ["V1.2.3", true],
  [" 1.2.3 ", true],
  ["1.2.3+build.7", true],
  ["1.2.4", false],
  ["1.2.3-rc.1", false],
  ["version1.2.3", false],
  ["", false],
])("FW-03 %j and 1.2.3 are the same version: %s", (spelled, isSame) => {
  expect(isSameVersion(spelled, "1.2.3")).toBe(isSame);
});
