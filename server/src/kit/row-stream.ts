// Rows as a stream with backpressure: a JSON array or CSV in pieces of some kilobytes, or a workbook.
import { Readable } from "node:stream";
import { writeXlsxStream } from "hucre/xlsx";

const pieceLength = 32_768;
const rowsAtOnce = 200;

/** A reader who is quick, and rows that need no database, would leave no one else a turn. */
const othersTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A bare JSON array. */
export function jsonStream(rows: AsyncIterable<unknown>): Readable {
  return Readable.from(pieces(jsonTexts(rows)), { objectMode: false });
}

export type Cell = string | number | null | undefined;

/** CSV with a header row. Texts that a spreadsheet would take for a formula get an apostrophe; numbers never do. */
export function csvStream<R>(columns: readonly string[], cells: (row: R) => Cell[]) {
  return (rows: AsyncIterable<R>) => Readable.from(pieces(csvTexts(columns, rows, cells)), { objectMode: false });
}

/** A workbook with one sheet and a header row. Numbers are numbers; a text is a text, so none can become a formula. */
export function xlsxStream<R>(columns: readonly string[], cells: (row: R) => Cell[]) {
  return (rows: AsyncIterable<R>) => {
    const options = { name: "Counts", columns: columns.map((header) => ({ header })), freezePane: { rows: 1 } };
    return Readable.fromWeb(writeXlsxStream(cellsInTurns(rows, cells), options));
  };
}

async function* cellsInTurns<R>(rows: AsyncIterable<R>, cells: (row: R) => Cell[]) {
  let count = 0;
  for await (const row of rows) {
    yield cells(row).map((cell) => cell ?? null);
    if (++count % rowsAtOnce === 0) await othersTurn();
  }
}

async function* jsonTexts(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = "[";
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ",\n";
  }
  yield before === "[" ? "[]" : "]";
}

async function* csvTexts<R>(columns: readonly string[], rows: AsyncIterable<R>, cells: (row: R) => Cell[]) {
  yield `${columns.join(",")}\n`;
  for await (const row of rows) yield `${cells(row).map(toCell).join(",")}\n`;
}

function toCell(value: Cell): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const guarded = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

async function* pieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
    await othersTurn();
  }
  yield piece;
}
