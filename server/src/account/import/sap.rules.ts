// Parses an SAP export: counts the rows below the header and reads their content.
import {
  type ImportColumn,
  importHeadings,
  importLimits,
  type ImportRow,
  importRowSchema,
} from "@psp/contract/account/account.import.ts";
import { errorCode, serverErrors } from "@psp/contract/errors.ts";
import { normalizeText, isBounded } from "@psp/contract/kit/text-bounds.ts";
import { createCsvReader, type CsvRow } from "../../kit/csv/csv-reader.ts";
import { createImportError, findHeader, type Header, maxCellLength } from "./sap-header.rules.ts";
import { type Encoding, detectEncoding, type CsvFile, parseSepLine, decodeChunks } from "../../kit/csv/csv-text.ts";

export type Sheet = Header & { encoding: Encoding; skipped: number; rows: number };

export type ParsedRow =
  | { kind: "invite"; number: number; row: ImportRow }
  | { kind: "irrelevant"; number: number; email: string }
  | { kind: "error"; number: number; email: string; reason: string };

/** The header must lie within this many characters. */
const maxHead = 65_536;

/** Reads the whole file once before anything is created. Throws 102 if it is not an SAP export or has too many rows. */
export async function scanSheet(file: CsvFile): Promise<Sheet> {
  const encoding = await detectEncoding(file);
  let head = "";
  let isWhole = true;
  for await (const part of decodeChunks(file, encoding)) {
    head += part;
    isWhole = head.length < maxHead;
    if (!isWhole) break;
  }
  const { length: skipped, delimiter } = parseSepLine(head);
  const header = findHeader(head.slice(skipped), isWhole, encoding, delimiter);
  let rows = 0;
  for await (const part of csvRows(file, { ...header, encoding, skipped })) {
    rows += part.filter(({ number }) => number > header.number).length;
    if (rows > importLimits.rows) throw createImportError(`The file has more than ${importLimits.rows} rows`);
  }
  return { ...header, encoding, skipped, rows };
}

export async function* streamRows(file: CsvFile, sheet: Sheet): AsyncGenerator<ParsedRow[]> {
  const seen = new Set<string>();
  for await (const part of csvRows(file, sheet)) {
    yield part.filter(({ number }) => number > sheet.number).map((row) => judged(row, sheet, seen));
  }
}

function judged(row: CsvRow, sheet: Sheet, seen: Set<string>): ParsedRow {
  const { number, cells, fault } = row;
  if (fault !== null) return { kind: "error", number, email: "", reason: fault };
  const given = Object.fromEntries(
    Object.keys(importHeadings).map((column) => [
      column,
      inOneLine(cells[sheet.columns.get(column as ImportColumn) ?? -1] ?? ""),
    ]),
  );
  const address = given["email"] ?? "";
  if (!isBounded(address, maxCellLength))
    return { kind: "error", number, email: "", reason: `${importHeadings.email[0]}: Invalid email` };
  const email = toEmailKey(address);
  if (email === "" || seen.has(email)) return { kind: "irrelevant", number, email };
  seen.add(email);
  if (cells.slice(sheet.width).some((cell) => cell.trim() !== ""))
    return { kind: "error", number, email, reason: "More cells than columns" };
  const parsed = importRowSchema.safeParse(given);
  if (parsed.success) return { kind: "invite", number, row: parsed.data };
  return { kind: "error", number, email, reason: [...new Set(parsed.error.issues.map(reasonOf))].join("; ") };
}

const lineBreak = /[\r\n\v\f\u0085\u2028\u2029]/;

function inOneLine(cell: string): string {
  return lineBreak.test(cell) ? cell.replaceAll(/[\s\u0085]+/g, " ") : cell;
}

function reasonOf({ path, message, ...issue }: { path: PropertyKey[]; message: string; params?: unknown }): string {
  const heading = importHeadings[path[0] as ImportColumn][0];
  const { code } = (issue.params ?? {}) as { code?: unknown };
  return `${heading}: ${code === errorCode.invalidInput ? serverErrors.invalidInput.message : message}`;
}

export function toEmailKey(email: string): string {
  return normalizeText(email).toLowerCase();
}

type Reading = Pick<Sheet, "delimiter" | "encoding" | "skipped">;

async function* csvRows(file: CsvFile, { delimiter, encoding, skipped }: Reading): AsyncGenerator<CsvRow[]> {
  const reader = createCsvReader(delimiter);
  for await (const part of decodeChunks(file, encoding, skipped)) yield reader.push(part);
  yield reader.end();
}
