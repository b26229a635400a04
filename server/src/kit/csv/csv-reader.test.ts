// Tests the streaming CSV parser with every possible split into chunks, and with malformed files.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCsvReader, type CsvRow, type Delimiter } from "./csv-reader.ts";

function readAll(text: string, delimiter: Delimiter = ";", size = text.length || 1): CsvRow[] {
  const reader = createCsvReader(delimiter);
  const rows: CsvRow[] = [];
  for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)));
  return [...rows, ...reader.end()];
}
const cellsOf = (text: string, delimiter: Delimiter = ";") => readAll(text, delimiter).map(({ cells }) => cells);

describe("AC-09 T-21 rows of a CSV file", () => {
  test.each([
    [
      "plain",
      "a;b\nc;d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "CRLF and a last line end",
      "a;b\r\nc;d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["CR alone", "a\rb;c", [["a"], ["b", "c"]]],
    ["quotes", '"a;b";"say ""hi""";""', [["a;b", 'say "hi"', ""]]],
    ["line ends inside quotes", '"a\r\nb";c\n', [["a\r\nb", "c"]]],
    ["a quote inside an unquoted cell", 'a"b;c', [['a"b', "c"]]],
    [
      "empty cells",
      ";;\n;x",
      [
        ["", "", ""],
        ["", "x"],
      ],
    ],
    ["spaces behind a quoted cell", '"a" ;b', [["a", "b"]]],
    ["nothing", "", []],
  ])("%s", (_, text, rows) => expect(cellsOf(text)).toEqual(rows));

  test("blank lines are not returned, but count as in a spreadsheet", () => {
    expect(readAll("a;b\n\n\r\nc;d").map(({ number }) => number)).toEqual([1, 4]);
  });

  test("well-formed files are read back, wherever the parts end", () => {
    const cell = fc.string({
      unit: fc.constantFrom("a", "ß", ";", ",", "\t", '"', "\n", "\r", " ", "=", "😀"),
      maxLength: 6,
    });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 });
    const written = (rows: string[][], delimiter: string, end: string) =>
      rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(delimiter) + end).join("");
    fc.assert(
      fc.property(
        table,
        fc.constantFrom<Delimiter>(";", ",", "\t"),
        fc.constantFrom("\n", "\r\n"),
        fc.integer({ min: 1, max: 9 }),
        (rows, delimiter, end, size) => {
          const read = readAll(written(rows, delimiter, end), delimiter, size);
          expect(read.map(({ cells, fault }) => [cells, fault])).toEqual(rows.map((row) => [row, null]));
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });

  test("any text gives the same rows, however it is split into parts", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ";", '"', "\n", "\r"), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (one, size) => {
        expect(readAll(one, ";", size)).toEqual(readAll(one));
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  test("text behind a closing quote affects only its own row", () => {
    const rows = readAll('"a"b;c\nd;e');
    expect(rows).toEqual([
      { number: 1, cells: ["a", "c"], fault: "There is text behind a closing quote" },
      { number: 2, cells: ["d", "e"], fault: null },
    ]);
  });

  test("an unclosed quote affects only its own line", () => {
    const rows = readAll('a;b\n"c;d\ne;f\ng;h\n');
    expect(rows.map(({ number, fault }) => [number, fault])).toEqual([
      [1, null],
      [2, "A quote is never closed"],
      [3, null],
      [4, null],
    ]);
    expect(rows[3]?.cells).toEqual(["g", "h"]);
  });

  test("a cell of ten megabytes affects only its own line", () => {
    const giant = "x".repeat(10 * 1024 * 1024);
    for (const quote of ['"', ""]) {
      const rows = readAll(`a;b\n${quote}${giant}${quote};c\nd;e\n`, ";", 65_536);
      expect(rows.map(({ number, fault }) => [number, fault === null])).toEqual([
        [1, true],
        [2, false],
        [3, true],
      ]);
    }
  });
});
