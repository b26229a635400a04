// Tests the parsing of CalIt2 files and their irregularities.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseCounts } from "./replay.ts";
import { generateCountFile } from "../testing/count-file.ts";

const zone = "America/Los_Angeles";

describe("a file of half hours", () => {
  test("joins both flows and places every half hour, stray line ends or not", () => {
    const { text, totalIn, totalOut } = generateCountFile({ from: [2005, 7, 24], days: 3, strayReturns: true });
    const file = parseCounts(text, zone);
    expect(file.halfHours).toHaveLength(3 * 48);
    expect([file.totalIn, file.totalOut]).toEqual([totalIn, totalOut]);
    expect(new Date(file.halfHours[0]?.s ?? 0).toISOString()).toBe("2005-07-24T07:00:00.000Z");
    expect(parseCounts(text.replaceAll("\r", ""), zone)).toEqual(file);
  });

  test("puts the hour that clocks show twice to its first occurrence and leaves the second open", () => {
    const { text } = generateCountFile({ from: [2005, 10, 30], days: 1 });
    const { halfHours } = parseCounts(text, zone);
    const starts = halfHours.map(({ s }) => new Date(s).toISOString().slice(5, 16));
    expect(starts).toHaveLength(48);
    expect(starts.slice(0, 6)).toEqual([
      "10-30T07:00",
      "10-30T07:30",
      "10-30T08:00",
      "10-30T08:30",
      "10-30T10:00",
      "10-30T10:30",
    ]);
    expect(new Date((halfHours.at(-1)?.s ?? 0) + 1_800_000).toISOString()).toBe("2005-10-31T08:00:00.000Z");
  });

  test("leaves out what stands in the hour that clocks skip, and says so", () => {
    const { text } = generateCountFile({ from: [2005, 4, 3], days: 1 });
    const file = parseCounts(text, zone);
    expect(file.halfHours).toHaveLength(46);
    expect(file.unplaceable.times).toBe(2);
    expect(new Set(file.halfHours.map(({ s }) => s)).size).toBe(46);
  });

  test("names its numbering by its content", () => {
    const one = generateCountFile({ from: [2005, 7, 24], days: 2 }).text;
    expect(parseCounts(one, zone).ep).toBe(parseCounts(one.split("\n").toReversed().join("\n"), zone).ep);
    expect(parseCounts(one, zone).ep).not.toBe(parseCounts(one.replace(/,\d+$/m, ",99"), zone).ep);
  });

  test.each([
    ["8,07/24/05,00:00:00,1", /Line 1 is not/],
    ["9,07/24/05,00:00:00,-1", /Line 1 is not/],
    ["9,02/30/05,00:00:00,1", /Line 1 has no half hour/],
    ["9,07/24/05,00:10:00,1", /Line 1 has no half hour/],
    ["9,07/24/05,00:00:00,1\n9,07/24/05,00:00:00,2", /Line 2 repeats/],
    ["\n\r\n", /holds no counts/],
  ])("refuses %j with its line", (text, message) => {
    expect(() => parseCounts(text, zone)).toThrow(message);
  });
});

const real = new URL("../../../../shared/data/CalIt2.data", import.meta.url);
test.runIf(existsSync(real))("the real file has 19,597 in and 18,837 out in 5,040 half hours", () => {
  const file = parseCounts(readFileSync(real, "utf8"), zone);
  expect([file.halfHours.length, file.totalIn, file.totalOut]).toEqual([5040, 19_597, 18_837]);
});
