// Parses a row of a sales file into an entry, or returns what is wrong with it.
import { isBounded, normalizeText } from "@psp/contract/kit/text-bounds.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { type SalesColumn, salesHeadings, type SalesProblemKind } from "@psp/contract/sales/sales.import.ts";
import { salesNumbers } from "@psp/contract/sales/sales.ts";
import type { CsvRow } from "../../kit/csv/csv-reader.ts";
import { type Entry, isCurrency, judgePeriod } from "../sales.rules.ts";
import type { SalesHeader } from "./header.rules.ts";
import { isPreciseCurrency, parseDecimal } from "./number.rules.ts";
import { periodsOf } from "./time.rules.ts";

export type Fault = { kind: SalesProblemKind; reason: string };
export type Cells = Record<SalesColumn, string>;
export type ReadRow = { row: number } & ({ cells: Cells } | { fault: Fault });

const maxCell = 200;
const columns = Object.keys(salesHeadings) as SalesColumn[];

export function readRow({ number, cells, fault }: CsvRow, header: SalesHeader): ReadRow {
  const unreadable = (reason: string): ReadRow => ({ row: number, fault: { kind: "unreadable", reason } });
  if (fault !== null) return unreadable(fault);
  if (cells.slice(header.width).some((cell) => cell.trim() !== "")) return unreadable("More cells than columns");
  const texts = columns.map((column) => [column, cells[header.columns.get(column) ?? -1] ?? ""] as const);
  const long = texts.find(([, text]) => !isBounded(text, maxCell) || !text.isWellFormed() || text.includes("\0"));
  if (long) return unreadable(`${salesHeadings[long[0]][0]}: The text is too long or has invalid characters`);
  return { row: number, cells: Object.fromEntries(texts.map(([key, text]) => [key, normalizeText(text)])) as Cells };
}

/** `isTaken` tells whether an earlier row has the same start. */
export function readEntry(
  zone: Zone,
  cells: Cells,
  nowMs: number,
  isTaken: (startMs: number) => boolean,
): { entry: Entry } | { fault: Fault } {
  const fault = (kind: SalesProblemKind, reason: string) => ({ fault: { kind, reason } });
  const periods = periodsOf(zone, cells);
  if (typeof periods === "string") return fault("wrongTime", periods);
  const period = periods.find(({ startMs }) => !isTaken(startMs)) ?? periods[0];
  if (period === undefined) return fault("wrongTime", "The time can't be read");
  const judged = judgePeriod(zone, period, nowMs);
  if ("fault" in judged) return fault("wrongTime", judged.fault);
  const currency = cells.currency.toUpperCase();
  if (!isCurrency(currency)) return fault("wrongCurrency", "Currency: Use a code such as EUR");
  const amounts = readAmounts(cells, currency);
  return "reason" in amounts
    ? fault("wrongNumber", amounts.reason)
    : { entry: { ...period, ...judged, ...amounts, currency } };
}

function readAmounts(cells: Cells, currency: string) {
  const transactions = readNumber("transactions", parseDecimal(cells.transactions));
  if ("reason" in transactions) return transactions;
  const revenue = readNumber("revenue", parseDecimal(cells.revenue, isPreciseCurrency(currency)));
  if ("reason" in revenue) return revenue;
  const hours = cells.staffHours === "" ? { value: null } : readNumber("staffHours", parseDecimal(cells.staffHours));
  if ("reason" in hours) return hours;
  return { transactions: transactions.value, revenue: revenue.value, staffHours: hours.value };
}

function readNumber(column: keyof typeof salesNumbers, value: number | null): { value: number } | { reason: string } {
  const name = salesHeadings[column][0];
  if (value === null)
    return {
      reason: `${name}: Not a number, or ambiguous. Write it without thousands separators, such as 1234 or 1234.5`,
    };
  const parsed = salesNumbers[column].safeParse(value);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    reason: `${name}: ${Number.isInteger(value) || column !== "transactions" ? (issue?.message ?? "") : "Must be a whole number"}`,
  };
}
