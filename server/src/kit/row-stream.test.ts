// Checks that exports contain no formulas, whatever the separator is, and that files for people have the right layout.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCsvReader, type Delimiter } from "./csv/csv-reader.ts";
import { type Cell, csvStream, type CsvStyle } from "./row-stream.ts";

const columns = ["name", "number"].map((header) => ({ header }));

async function written(rows: Cell[][], style: CsvStyle = { separator: ",", title: null }): Promise<string> {
  const all = (async function* () {
    yield* rows;
  })();
  return Buffer.concat(
    await Array.fromAsync(csvStream({ columns, cells: (row: Cell[]) => row }, all, style)),
  ).toString();
}
const cellOf = async (text: string, separator: Delimiter = ",") =>
  (await written([[text]], { separator, title: null })).slice(`name${separator}number\n`.length, -1);

describe("DS-01 no text of a CSV file becomes a formula", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+49 30", "'+49 30"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠SUM(A1)", "'＠SUM(A1)"],
    ["\tx", `"'\tx"`],
    ["\rx", `"'\rx"`],
    ["\nx", `"'\nx"`],
    ["  =1", "'  =1"],
    ['"=1"', `"'""=1"""`],
    ["Shop;=1+1;x", `"Shop;'=1+1;x"`],
    ["Shop; =1", `"Shop;' =1"`],
    ['Shop;"=1"', `"Shop;'""=1"""`],
    ["Shop\t@x", `"Shop\t'@x"`],
    ["Shop\r-x", `"Shop\r'-x"`],
    ["Shop\n+x", `"Shop\n'+x"`],
    ["Shop\r\n=x", `"Shop\r\n'=x"`],
    ["Shop|=x", `"Shop|'=x"`],
    ["Shop;＝x", `"Shop;'＝x"`],
    ["Shop,=x", `"Shop,=x"`],
    ["Shop - north = south", "Shop - north = south"],
    ["a-b@example.com", "a-b@example.com"],
  ])("%j", async (text, cell) => expect(await cellOf(text)).toBe(cell));

  test("texts are protected against every separator but the file's own", async () => {
    expect(await cellOf("Shop,=x", ";")).toBe(`"Shop,'=x"`);
    expect(await cellOf("Shop;=x", ";")).toBe(`"Shop;=x"`);
    expect(await cellOf("Shop;=x,-y\t=z", "\t")).toBe(`"Shop;'=x,'-y\t=z"`);
  });

  test("no cell becomes a formula, whatever separator a spreadsheet uses", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "=", "-", "＋", ";", ",", "\t", "\r", "\n", '"', " "),
      maxLength: 8,
    });
    const separators = [",", ";", "\t"] as const;
    const cases = fc.sample(fc.tuple(text, fc.constantFrom(...separators)), { seed: 7, numRuns: 2000 });
    for (const [one, separator] of cases) {
      const file = await written([["x", one]], { separator, title: null });
      for (const other of separators) {
        const reader = createCsvReader(other);
        const rows = [...reader.push(file), ...reader.end()];
        const cells = rows.slice(1).flatMap((row) => row.cells);
        expect(
          cells.filter((cell) => /^\s*[=\-＋]/.test(cell)),
          JSON.stringify({ one, separator, other }),
        ).toEqual([]);
      }
    }
  });

  test("numbers stay numbers, those below zero included", async () => {
    expect(await written([["a", -1.5]])).toBe("name,number\na,-1.5\n");
  });
});

describe("DS-01 a CSV file for people", () => {
  const rows = [
    ["Zürich; Hall", 0.75],
    [new Date(Date.UTC(2026, 9, 25, 2, 30)), null],
  ];

  test("begins with a byte order mark and its title, and has decimal commas between semicolons", async () => {
    expect(await written(rows, { separator: ";", title: ["=Shop", "2026", "UTC"] })).toBe(
      `\ufeff'=Shop;2026;UTC\nname;number\n"Zürich; Hall";0,75\n2026-10-25 02:30:00;\n`,
    );
  });

  test("has decimal points between commas and tabs", async () => {
    const title = ["Shop"];
    expect(await written(rows, { separator: ",", title })).toContain('"Zürich; Hall",0.75\n');
    expect(await written(rows, { separator: "\t", title })).toContain('"Zürich; Hall"\t0.75\n');
  });
});
