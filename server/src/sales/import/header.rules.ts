// Finds the separator and the columns of a sales file by its first row.
import { errorCode } from "@psp/contract/errors.ts";
import { normalizeText } from "@psp/contract/kit/text-bounds.ts";
import { requiredSalesColumns, type SalesColumn, salesHeadings } from "@psp/contract/sales/sales.import.ts";
import { AppError } from "../../kit/app-error.ts";
import { createCsvReader, type CsvRow, type Delimiter } from "../../kit/csv/csv-reader.ts";

export type SalesHeader = {
  delimiter: Delimiter;
  /** Row number of the header. */
  number: number;
  columns: ReadonlyMap<SalesColumn, number>;
  width: number;
  unused: string[];
};

const maxHeading = 100;
const maxUnused = 20;

const plain = (heading: string) =>
  normalizeText(heading.slice(0, maxHeading))
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

const meanings: ReadonlyMap<string, { column: SalesColumn; order: number }> = new Map(
  Object.entries(salesHeadings).flatMap(([column, list]) =>
    list.map((heading, order) => [plain(heading), { column: column as SalesColumn, order }] as const),
  ),
);

/** Throws 102 with the missing columns. `sep` is the separator from the file's `sep=` line. */
export function findSalesHeader(head: string, isWhole: boolean, sep: Delimiter | null): SalesHeader {
  const delimiters: readonly Delimiter[] = sep ? [sep] : [";", ",", "\t"];
  const candidates = delimiters.map((delimiter) => headerOf(head, isWhole, delimiter));
  const best = candidates.reduce((a, b) => ((b?.columns.size ?? -1) > (a?.columns.size ?? -1) ? b : a));
  const missing = requiredSalesColumns.filter((column) => !best?.columns.has(column));
  if (best && missing.length === 0) return best;
  const names = missing.map((column) => salesHeadings[column][0]).join(", ");
  throw fileFault(`The first row has no ${missing.length === 1 ? "column" : "columns"} ${names}`);
}

export function fileFault(reason: string, more: Record<string, unknown> = {}): AppError {
  return new AppError(errorCode.invalidArgument, { field: "file", reason, ...more });
}

function headerOf(head: string, isWhole: boolean, delimiter: Delimiter): SalesHeader | null {
  const reader = createCsvReader(delimiter);
  const row: CsvRow | undefined = [...reader.push(head), ...(isWhole ? reader.end() : [])][0];
  if (row === undefined || row.fault !== null) return null;
  const found = new Map<SalesColumn, { index: number; order: number }>();
  for (const [index, cell] of row.cells.entries()) {
    const meaning = meanings.get(plain(cell));
    const known = meaning && found.get(meaning.column);
    if (meaning && (known === undefined || meaning.order < known.order))
      found.set(meaning.column, { index, order: meaning.order });
  }
  const columns = new Map([...found].map(([column, { index }]) => [column, index]));
  const used = new Set(columns.values());
  const unused = row.cells.filter((cell, index) => !used.has(index) && cell.trim() !== "");
  return {
    delimiter,
    number: row.number,
    columns,
    width: row.cells.length,
    unused: unused.slice(0, maxUnused).map((cell) => cell.trim().slice(0, maxHeading).toWellFormed()),
  };
}
