// Finds the header row of an SAP export and maps its columns.
import { type ImportColumn, importHeadings } from "@psp/contract/account/account.import.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { normalizeText, isBounded } from "@psp/contract/kit/text-bounds.ts";
import { AppError } from "../../kit/app-error.ts";
import { createCsvReader, type CsvRow, type Delimiter } from "../../kit/csv/csv-reader.ts";
import type { Encoding } from "../../kit/csv/csv-text.ts";

export type Columns = ReadonlyMap<ImportColumn, number>;
export type Header = { delimiter: Delimiter; number: number; columns: Columns; width: number; unused: string[] };

/** In characters; a longer cell can be neither an email address nor a heading. */
export const maxCellLength = 1024;
/** Rows searched for the header; exports may have a title, a date and selection criteria above it. */
const maxTitleRows = 50;

type Candidate = { delimiter: Delimiter; row: CsvRow; columns: Columns };
const needed = ["name", "email"] as const;

/**
 * Returns the first row with all required columns, split at the delimiter that yields the most columns. Throws 102 with a message
 * that names the missing columns, the closest row and its delimiter, and the encoding of the file.
 */
export function findHeader(head: string, isWhole: boolean, encoding: Encoding, sep: Delimiter | null): Header {
  const delimiters: readonly Delimiter[] = [...(sep ? [sep] : []), ";", ",", "\t"];
  const candidates = delimiters.map((delimiter) => closestRow(head, isWhole, delimiter));
  const best = candidates.reduce((a, b) => (rank(b) > rank(a) ? b : a));
  if (!best || !isComplete(best.columns)) throw createImportError(missing(best, encoding));
  const { delimiter, row, columns } = best;
  const used = new Set(columns.values());
  const unused = row.cells.filter((cell, n) => !used.has(n) && cell.trim() !== "").map(readable);
  return { delimiter, number: row.number, columns, width: row.cells.length, unused };
}

const isComplete = (columns: Columns) => needed.every((column) => columns.has(column));
const rank = (one: Candidate | null) => (one ? (isComplete(one.columns) ? 100 : 0) + one.columns.size : -1);

function closestRow(head: string, isWhole: boolean, delimiter: Delimiter): Candidate | null {
  const reader = createCsvReader(delimiter);
  const rows = [...reader.push(head), ...(isWhole ? reader.end() : [])];
  let closest: Candidate | null = null;
  for (const row of rows) {
    if (row.number > maxTitleRows) break;
    if (row.fault !== null) continue;
    const found = { delimiter, row, columns: columnsOf(row.cells) };
    if (rank(found) > rank(closest)) closest = found;
    if (isComplete(found.columns)) return found;
  }
  return closest;
}

/** Ignores case, spaces and punctuation; umlauts equal `ae` etc. */
function plain(heading: string): string {
  return normalizeText(heading)
    .toLowerCase()
    .replaceAll("ä", "ae")
    .replaceAll("ö", "oe")
    .replaceAll("ü", "ue")
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

const meanings = new Map(
  Object.entries(importHeadings).flatMap(([column, list]) =>
    list
      .map((heading, order) => [plain(heading), { column: column as ImportColumn, order }] as const)
      // Reversed, so that the first of several headings with the same normalized spelling wins.
      .toReversed(),
  ),
);

/** Maps columns to cells. Among headings for the same column, the first one in `importHeadings` wins, then the leftmost. */
function columnsOf(cells: readonly string[]): Columns {
  const found = new Map<ImportColumn, { index: number; order: number }>();
  for (const [index, heading] of cells.entries()) {
    const meaning = isBounded(heading, maxCellLength) ? meanings.get(plain(heading)) : undefined;
    if (meaning === undefined) continue;
    const known = found.get(meaning.column);
    if (known === undefined || meaning.order < known.order) found.set(meaning.column, { index, order: meaning.order });
  }
  return new Map([...found].map(([column, { index }]) => [column, index]));
}

const encodingNames: Record<Encoding, string> = {
  "utf-8": "UTF-8",
  "windows-1252": "Windows-1252",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16",
};
const delimiterNames: Record<Delimiter, string> = { ";": "semicolons", ",": "commas", "\t": "tabs" };

function missing(closest: Candidate | null, encoding: Encoding): string {
  const lacking = needed.filter((column) => !closest?.columns.has(column));
  const wanted = lacking.map((column) => importHeadings[column].slice(0, 3).join(" / ")).join(" and ");
  const sentence = `The file has no column ${wanted}.`;
  if (closest === null) return `${sentence} No row could be read as ${encodingNames[encoding]}.`;
  const { delimiter, row } = closest;
  const how = `${encodingNames[encoding]}, separated by ${delimiterNames[delimiter]}`;
  const headings = row.cells.filter((cell) => cell.trim() !== "").map(readable);
  return `${sentence} Row ${row.number} (${how}) has ${formatNames(headings)}.`;
}

const mostNames = 20;

export function formatNames(names: readonly string[]): string {
  const more = names.length - mostNames;
  return names.slice(0, mostNames).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function readable(heading: string): string {
  const text = heading
    .slice(0, 60)
    .toWellFormed()
    .replaceAll(/[<>[\]{}]/g, "");
  return normalizeText(text.replaceAll(/[\p{C}\s]+/gu, " "));
}

export function createImportError(reason: string): AppError {
  return new AppError(errorCode.invalidArgument, { field: "file", reason });
}
