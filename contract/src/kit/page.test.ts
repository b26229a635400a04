// Tests the parameters for paging, sorting and filters (docs/rules/api.md#lists).
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, queryInt, queryNumber, repeatable, sortKeys, textFilter } from "./page.ts";

const query = z.strictObject(pageQuery(["name", "_id"]));
const accepts = (input: object) => query.safeParse(input).success;

test.each<[string, object, object]>([
  ["nothing", {}, {}],
  ["skip and limit", { skip: "50", limit: "500" }, { skip: 50, limit: 500 }],
  ["the first of all", { skip: "0", limit: "1" }, { skip: 0, limit: 1 }],
  ["totals", { includeTotals: "true", includeDeleted: "false" }, { includeTotals: true, includeDeleted: false }],
  ["one column", { sortBy: "name" }, { sortBy: ["name"] }],
  ["one column with a minus", { sortBy: "-_id" }, { sortBy: ["-_id"] }],
  [
    "several columns",
    { sortBy: ["name", "-_id"], sortDesc: ["true", "false"] },
    { sortBy: ["name", "-_id"], sortDesc: [true, false] },
  ],
])("a list query with %s is understood", (_title, input, output) => {
  expect(query.parse(input)).toEqual(output);
});

test.each<[string, object]>([
  ["limit 0", { limit: "0" }],
  ["limit 501", { limit: "501" }],
  ["a negative limit", { limit: "-1" }],
  ["a negative skip", { skip: "-1" }],
  ["a fraction", { skip: "1.5" }],
  ["an exponent", { skip: "1e3" }],
  ["a hexadecimal", { skip: "0x10" }],
  ["a blank", { limit: " 5" }],
  ["nothing after the sign", { limit: "" }],
  ["a limit given twice", { limit: ["1", "2"] }],
  ["an unknown column", { sortBy: "password_hash" }],
  ["a known column and an unknown one", { sortBy: ["name", "x"] }],
  ["two minus signs", { sortBy: "--name" }],
  ["SQL as a column", { sortBy: "name; drop table account" }],
  ["a flag that is yes", { includeTotals: "yes" }],
  ["a flag in capitals", { includeTotals: "TRUE" }],
  ["an empty flag", { includeTotals: "" }],
  ["an unknown parameter", { offset: "1" }],
])("a list query with %s is refused", (_title, input) => {
  expect(accepts(input)).toBe(false);
});

test.each<[string, Parameters<typeof sortKeys>[0], [string, boolean][]]>([
  ["no sorting", {}, []],
  ["a column", { sortBy: ["name"] }, [["name", false]]],
  ["a minus", { sortBy: ["-name"] }, [["name", true]]],
  ["sortDesc", { sortBy: ["name"], sortDesc: [true] }, [["name", true]]],
  ["sortDesc=false", { sortBy: ["name"], sortDesc: [false] }, [["name", false]]],
  ["a minus against sortDesc=false", { sortBy: ["-name"], sortDesc: [false] }, [["name", true]]],
  ["a minus and sortDesc=true", { sortBy: ["-name"], sortDesc: [true] }, [["name", true]]],
  [
    "sortDesc by position",
    { sortBy: ["a", "b", "c"], sortDesc: [false, true] },
    [
      ["a", false],
      ["b", true],
      ["c", false],
    ],
  ],
  ["more sortDesc than columns", { sortBy: ["a"], sortDesc: [true, true] }, [["a", true]]],
  ["sortDesc alone", { sortDesc: [true] }, []],
  [
    "the same spelled in both ways",
    { sortBy: ["-a", "b"], sortDesc: [false, true] },
    [
      ["a", true],
      ["b", true],
    ],
  ],
])("sorting by %s", (_title, input, keys) => {
  expect(sortKeys(input).map(({ field, descending }) => [field, descending])).toEqual(keys);
});

describe("parts", () => {
  test("a filter given once or repeated is a list either way", () => {
    const color = repeatable(z.enum(["red", "blue"]));
    expect(color.parse("red")).toEqual(["red"]);
    expect(color.parse(["red", "blue"])).toEqual(["red", "blue"]);
    expect(color.safeParse("green").success).toBe(false);
    expect(color.safeParse(["red", "green"]).success).toBe(false);
    expect(idFilter.safeParse(Array.from({ length: 500 }, String)).success).toBe(true);
    expect(idFilter.safeParse(Array.from({ length: 501 }, String)).success).toBe(false);
    expect(idFilter.safeParse({ $ne: "" }).success).toBe(false);
  });

  test("numbers keep to their range, flags to their two words", () => {
    const level = queryInt(-2, 2);
    expect(["-2", "0", "2"].map((text) => level.parse(text))).toEqual([-2, 0, 2]);
    for (const text of ["-3", "3", "", "-", "+1", "2.0", "9999999999999999"])
      expect(level.safeParse(text).success).toBe(false);
    const hours = queryNumber(0.01, 24);
    expect(["0.01", "0.5", "7", "24", "0.3333333333333333"].map((text) => hours.parse(text))).toEqual([
      0.01,
      0.5,
      7,
      24,
      1 / 3,
    ]);
    for (const text of ["0", "0.009", "24.1", "-1", ".5", "5.", "1e1", "0x1", " 1", "1,5", "NaN", ""])
      expect(hours.safeParse(text).success, text).toBe(false);
    expect([queryFlag.parse("true"), queryFlag.parse("false")]).toEqual([true, false]);
    for (const text of ["1", "0", "on", true]) expect(queryFlag.safeParse(text).success).toBe(false);
  });

  test("ER-03 a text filter keeps the input rule", () => {
    expect(textFilter.parse(" Branch 01 ")).toBe("Branch 01");
    expect(textFilter.safeParse("<b>").success).toBe(false);
  });
});
