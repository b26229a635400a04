// File names in Content-Disposition stay readable and can't inject anything.
import { expect, test } from "vitest";
import { toContentDisposition } from "./attachment.ts";

test.each([
  ["history_sensor_0200.csv", `attachment; filename="history_sensor_0200.csv"`],
  ["Zürich_2026.csv", `attachment; filename="Zurich_2026.csv"; filename*=UTF-8''Z%C3%BCrich_2026.csv`],
  ["東京.xlsx", `attachment; filename="__.xlsx"; filename*=UTF-8''%E6%9D%B1%E4%BA%AC.xlsx`],
  ['a"b\\c/d:e*f?g<h>i|j.csv', `attachment; filename="a-b-c-d-e-f-g-h-i-j.csv"`],
  ["a\r\nx-header: 1\t\0.csv", `attachment; filename="a--x-header- 1--.csv"`],
  // A right-to-left override would disguise the file extension.
  ["a\u202Evsc.exe.csv", `attachment; filename="a-vsc.exe.csv"`],
  ["a\ud800.csv", `attachment; filename="a_.csv"; filename*=UTF-8''a%EF%BF%BD.csv`],
  ["50 % (it's).csv", `attachment; filename="50 _ (it's).csv"; filename*=UTF-8''50%20%25%20%28it%27s%29.csv`],
])("a file named %j has an ASCII header", (name, header) => {
  expect(toContentDisposition(name)).toBe(header);
  expect(() => new Headers({ "content-disposition": header })).not.toThrow();
});

test("a truncated file name keeps its extension and whole characters", () => {
  const header = toContentDisposition(`${"😀".repeat(500)}.csv`);
  expect(decodeURIComponent(header.split("UTF-8''")[1] ?? "")).toBe(`${"😀".repeat(150)}.csv`);
});
