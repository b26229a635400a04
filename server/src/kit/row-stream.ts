// Streams rows with backpressure: JSON or CSV in chunks of 32 kB, or a workbook.
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { type CsvStyleQuery, type Separator, separators } from "@psp/contract/kit/csv-style.ts";
import { writeXlsxStream } from "hucre/xlsx";
import { createTurns } from "./limits/turns.ts";

/** Content types of files. */
export const fileTypes = {
  json: "application/json; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};

const chunkLength = 32_768;

export function jsonStream(rows: AsyncIterable<unknown>): Readable {
  return Readable.from(chunks(jsonTexts(rows)), { objectMode: false });
}

/** A `Date` is a wall-clock time, stored in its UTC fields. */
export type Cell = string | number | Date | null | undefined;

/** `width` in characters and `format` in spreadsheet syntax, for workbooks. */
export type Column = { header: string; width?: number; format?: string };
export type Sheet<R> = { columns: readonly Column[]; cells: (row: R) => Cell[] };

/** `title` is the row above the header in files for people; null in files for programs. */
export type CsvStyle = { separator: Separator; title: readonly Cell[] | null };

export function toCsvStyle({ style, separator = "comma" }: CsvStyleQuery, title: readonly Cell[]): CsvStyle {
  return { separator: separators[separator], title: style === "people" ? title : null };
}

/** CSV with a header row. Texts that a spreadsheet would evaluate as a formula get an apostrophe; numbers never do. */
export function csvStream<R>({ columns, cells }: Sheet<R>, rows: AsyncIterable<R>, style: CsvStyle): Readable {
  const line = (row: readonly Cell[]) => `${csvCells(row, style)}\n`;
  async function* texts() {
    if (style.title) yield byteOrderMark + line(style.title);
    yield line(columns.map(({ header }) => header));
    for await (const row of rows) yield line(cells(row));
  }
  return Readable.from(chunks(texts()), { objectMode: false });
}

/** Without it, Excel assumes its own code page. */
export const byteOrderMark = "\ufeff";

/** The cells of a line, or of its beginning, without the line break. */
export function csvCells(row: readonly Cell[], style: CsvStyle): string {
  return row.map((cell) => csvCell(cell, style)).join(style.separator);
}

/** Streams texts of any length in bigger chunks. */
export function textStream(texts: AsyncIterable<string>): Readable {
  return Readable.from(chunks(texts), { objectMode: false });
}

const timeFormat = "yyyy-mm-dd hh:mm";

/** A workbook with one sheet: title if any, header, rows. Cells are typed, so no text can become a formula. */
export function xlsxStream<R>(sheet: Sheet<R>, rows: AsyncIterable<R>, title: readonly Cell[] | null): Readable {
  const columns = sheet.columns.map(({ width, format }) => ({
    ...(width === undefined ? {} : { width }),
    ...(format === undefined ? {} : { numFmt: format }),
  }));
  const head = [...(title ? [title] : []), sheet.columns.map(({ header }) => header)];
  const options = { name: "Counts", columns, freezePane: { rows: head.length } };
  // The type of the package is that of browsers where their types are loaded.
  return Readable.fromWeb(writeXlsxStream(cellsInTurns(sheet, rows, head), options) as ReadableStream);
}

async function* cellsInTurns<R>({ cells }: Sheet<R>, rows: AsyncIterable<R>, head: readonly (readonly Cell[])[]) {
  const row = (values: readonly Cell[]) => values.map((cell) => cell ?? null);
  yield* head.map(row);
  const nextTurn = createTurns();
  for await (const one of rows) {
    yield row(cells(one));
    await nextTurn();
  }
}

export const timeColumn = (header: string): Column => ({ header, width: 18, format: timeFormat });

async function* jsonTexts(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = "[";
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ",\n";
  }
  yield before === "[" ? "[]" : "]";
}

export function csvCell(value: Cell, { separator, title }: CsvStyle): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return title && separator === ";" ? String(value).replace(".", ",") : String(value);
  if (value instanceof Date) return value.toISOString().slice(0, 19).replace("T", " ");
  const safe = withoutFormulas(value, separator);
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The start of a formula, also in full-width characters, which some spreadsheets treat like ASCII. */
const formula = String.raw`(?=(?:[^\S\r\n]|")*[=+\-@＝＋－＠])`;
const atStart = new RegExp(String.raw`^(?:${formula}|(?=[\t\r\n]))`);
const afterOther: Readonly<Record<Separator, RegExp>> = {
  ",": new RegExp(String.raw`[;|\t\r\n]${formula}`, "g"),
  ";": new RegExp(String.raw`[,|\t\r\n]${formula}`, "g"),
  "\t": new RegExp(String.raw`[,;|\r\n]${formula}`, "g"),
};

/**
 * Adds an apostrophe where a cell would start with a formula: at the start of the text, and after each character at which a
 * spreadsheet with other settings would split it. Quotes prevent a split at the file's own separator.
 */
function withoutFormulas(text: string, separator: Separator): string {
  return text.replace(afterOther[separator], "$&'").replace(atStart, "'");
}

async function* chunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  const nextTurn = createTurns();
  let chunk = "";
  for await (const text of texts) {
    chunk += text;
    const rest = nextTurn();
    // Awaiting nothing would cost as much as writing a short row.
    if (rest) await rest;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
