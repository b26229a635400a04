// Rows as a text stream with backpressure: a JSON array or CSV, cut into pieces of some kilobytes.
import { Readable } from "node:stream";

const pieceLength = 32_768;

/** A bare JSON array. */
export function jsonStream(rows: AsyncIterable<unknown>): Readable {
  return Readable.from(pieces(jsonTexts(rows)), { objectMode: false });
}

export type Cell = string | number | null | undefined;

/** CSV with a header row. Texts that a spreadsheet would take for a formula get an apostrophe; numbers never do. */
export function csvStream<R>(columns: readonly string[], cells: (row: R) => Cell[]) {
  return (rows: AsyncIterable<R>) => Readable.from(pieces(csvTexts(columns, rows, cells)), { objectMode: false });
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
    // A reader who is quick, and rows that need no database, would leave no one else a turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield piece;
}
