// Tests parsing, formatting and forwarding of query parameters (SH-01).
import { expect, test } from "vitest";
import { buildHref, parseSearch, safeReturnPath, formatSearch } from "./address.ts";

test("repeated parameters become lists and come back as they were; colons and commas stay readable", () => {
  const text = "?sensorID=00:1E&groups=a&groups=b&fromToDates=2026-01-01,2026-02-01";
  expect(parseSearch(text)).toEqual({ sensorID: "00:1E", groups: ["a", "b"], fromToDates: "2026-01-01,2026-02-01" });
  expect(formatSearch(parseSearch(text))).toBe(text);
  expect(formatSearch({ name: "a&b=c", empty: "", none: undefined })).toBe("?name=a%26b%3Dc");
  expect(formatSearch({})).toBe("");
});

test("SH-01 dialogs and the footer keep the whole query, header tabs drop what belongs to lists", () => {
  const search = { skip: "50", ownerID: "x", sortBy: "name", viewType: "list", campaign: "7" };
  expect(buildHref("/impressum", search, "keep")).toBe(
    "/impressum?skip=50&ownerID=x&sortBy=name&viewType=list&campaign=7",
  );
  expect(buildHref("/location", search, "dropList")).toBe("/location?campaign=7");
  expect(buildHref("/login", search, "none")).toBe("/login");
});

test.each([
  ["/sensor?groups=a", "/sensor?groups=a"],
  ["//evil.example.com", null],
  ["/\\evil.example.com", null],
  ["https://evil.example.com", null],
  ["sensor", null],
  [["/a", "/b"], null],
  [undefined, null],
])("after signing in one is led to pages of this console only: %j", (from, target) => {
  expect(safeReturnPath(from)).toBe(target);
});
