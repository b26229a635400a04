// Reading an SAP export: its encoding, which column is which, how many rows there are, and what each row says (decisions 5).
import { serverErrors } from "@psp/contract/errors.ts";
import {
  type ImportColumn,
  importHeadings,
  importLimits,
  type ImportRow,
  importRowSchema,
} from "@psp/contract/account/account.import.ts";
import { composed, isBounded } from "@psp/contract/kit/text-bounds.ts";
import { AppError } from "../../kit/app-error.ts";
import { createCsvReader, type CsvRow, type Delimiter, delimiterOf } from "../../kit/csv-reader.ts";

/** The bytes of an upload, as often as needed. */
export type SapFile = { read(): AsyncIterable<Uint8Array> };
type Encoding = "utf-8" | "windows-1252";
type Columns = ReadonlyMap<ImportColumn, number>;
export type Sheet = { encoding: Encoding; delimiter: Delimiter; columns: Columns; width: number; rows: number };

/** What a row is: a person to invite, no one to invite, or a fault in words. */
export type Verdict =
  | { kind: "invite"; number: number; row: ImportRow }
  | { kind: "irrelevant"; number: number; email: string }
  | { kind: "error"; number: number; email: string; reason: string };

/** A cell of more characters is no address and no heading. */
const maxCell = 1024;
/** Characters of the first row that are looked at. */
const maxHead = 65_536;

/** Looks through the whole file before anything is made of it. Throws 102 for what is no such export or too long. */
export async function surveySheet(file: SapFile): Promise<Sheet> {
  const encoding = await encodingOf(file);
  let head = "";
  for await (const part of texts(file, encoding)) {
    head += part;
    if (head.length >= maxHead) break;
  }
  const delimiter = delimiterOf(head, (cells) => columnsOf(cells).size);
  let columns: Columns | null = null;
  let width = 0;
  let rows = 0;
  for await (const part of csvRows(file, encoding, delimiter)) {
    for (const { number, cells, fault } of part) {
      if (number > 1) rows += 1;
      else if (fault === null) {
        columns = columnsOf(cells);
        width = cells.length;
      }
    }
    if (rows > importLimits.rows) throw bad(`The file has more than ${importLimits.rows} rows`);
  }
  const missing = (["name", "email"] as const).filter((column) => !columns?.has(column));
  if (!columns || missing.length > 0)
    throw bad(`The first row has no column ${missing.map((column) => importHeadings[column].join(" / ")).join(", ")}`);
  return { encoding, delimiter, columns, width, rows };
}

/** The rows below the first, part by part as the file is read, in memory that does not grow. */
export async function* sheetRows(file: SapFile, sheet: Sheet): AsyncGenerator<Verdict[]> {
  const seen = new Set<string>();
  for await (const part of csvRows(file, sheet.encoding, sheet.delimiter)) {
    yield part.filter(({ number }) => number > 1).map((row) => judged(row, sheet, seen));
  }
}

function judged(row: CsvRow, sheet: Sheet, seen: Set<string>): Verdict {
  const { number, cells, fault } = row;
  if (fault !== null) return { kind: "error", number, email: "", reason: fault };
  const given = Object.fromEntries(
    Object.keys(importHeadings).map((column) => [column, cells[sheet.columns.get(column as ImportColumn) ?? -1] ?? ""]),
  );
  const address = given["email"] ?? "";
  if (!isBounded(address, maxCell))
    return { kind: "error", number, email: "", reason: `${importHeadings.email[0]}: Invalid email` };
  const email = keyOf(address);
  if (email === "" || seen.has(email)) return { kind: "irrelevant", number, email };
  seen.add(email);
  if (cells.slice(sheet.width).some((cell) => cell.trim() !== ""))
    return { kind: "error", number, email, reason: "There are more cells than columns" };
  const parsed = importRowSchema.safeParse(given);
  if (parsed.success) return { kind: "invite", number, row: parsed.data };
  return { kind: "error", number, email, reason: [...new Set(parsed.error.issues.map(reasonOf))].join("; ") };
}

function reasonOf({ path, message, ...issue }: { path: PropertyKey[]; message: string; params?: unknown }): string {
  const heading = importHeadings[path[0] as ImportColumn][0];
  const { code } = (issue.params ?? {}) as { code?: unknown };
  return `${heading}: ${code === 400 ? serverErrors[400].message : message}`;
}

/** Addresses are compared without case. */
export function keyOf(email: string): string {
  return composed(email).toLowerCase();
}

const plain = (heading: string) =>
  composed(heading)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, "");
const columnByHeading = new Map(
  Object.entries(importHeadings).flatMap(([column, list]) =>
    list.map((heading): [string, ImportColumn] => [plain(heading), column as ImportColumn]),
  ),
);

/** Which cell holds what; of two columns that mean the same the first counts. */
function columnsOf(cells: readonly string[]): Columns {
  const columns = new Map<ImportColumn, number>();
  for (const [index, heading] of cells.entries()) {
    const column = isBounded(heading, maxCell) ? columnByHeading.get(plain(heading)) : undefined;
    if (column !== undefined && !columns.has(column)) columns.set(column, index);
  }
  return columns;
}

/** UTF-8 if all of it is; else Windows-1252, in which everything is something. UTF-16 is refused in words. */
async function encodingOf(file: SapFile): Promise<Encoding> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isFirst = true;
  for await (const part of file.read()) {
    const [a, b] = part;
    if (isFirst && ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)))
      throw bad("The file is UTF-16: save it as UTF-8");
    isFirst = false;
    if (!decodes(decoder, part)) return "windows-1252";
  }
  return decodes(decoder) ? "utf-8" : "windows-1252";
}

function decodes(decoder: TextDecoder, part?: Uint8Array): boolean {
  try {
    decoder.decode(part, { stream: part !== undefined });
    return true;
  } catch {
    return false;
  }
}

async function* texts(file: SapFile, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const part of file.read()) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

async function* csvRows(file: SapFile, encoding: Encoding, delimiter: Delimiter): AsyncGenerator<CsvRow[]> {
  const reader = createCsvReader(delimiter);
  for await (const part of texts(file, encoding)) yield reader.push(part);
  yield reader.end();
}

function bad(reason: string): AppError {
  return new AppError(102, { field: "file", reason });
}
