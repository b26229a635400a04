// CSV import of sales: columns, limits and result (docs/rules/sales.md#import).
import { z } from "zod";

export const salesImportLimits = { bytes: 10 * 1024 * 1024, rows: 100_000, problems: 200, preview: 50 } as const;

/** Accepted headings. Matching ignores case and everything but letters and digits; our own name comes first. */
export const salesHeadings = {
  location: ["Location", "Location Name", "Location ID", "External ID", "Store", "Shop", "Branch", "Site"],
  start: ["Start", "From", "Date", "Time", "Start Time"],
  end: ["End", "To", "Until", "End Time"],
  period: ["Period", "Interval", "Per"],
  transactions: ["Transactions", "Receipts", "Number of Transactions", "Tickets"],
  revenue: ["Revenue", "Sales", "Turnover", "Net Sales"],
  currency: ["Currency", "Currency Code"],
  staffHours: ["Staff Hours", "Hours Worked", "Working Hours"],
} as const satisfies Record<string, readonly string[]>;
export type SalesColumn = keyof typeof salesHeadings;

export const requiredSalesColumns = ["location", "start", "transactions", "revenue", "currency"] as const;

export const salesUpload = {
  file: "file",
  ending: ".csv",
  maxBytes: salesImportLimits.bytes,
  fields: z.strictObject({}),
} as const;

/** Why a row can't be stored. */
export const salesProblemKinds = [
  "unreadable",
  "unknownLocation",
  "ambiguousLocation",
  "noRight",
  "wrongTime",
  "wrongNumber",
  "wrongCurrency",
  "duplicate",
  "overlap",
] as const;
export type SalesProblemKind = (typeof salesProblemKinds)[number];

const problem = z.object({
  /** As numbered in a spreadsheet. */
  row: z.int(),
  kind: z.enum(salesProblemKinds),
  reason: z.string(),
});
export type SalesProblem = z.output<typeof problem>;

export const salesOutcomes = ["stored", "replaced", "unchanged"] as const;

export const salesImportResult = z.object({
  dryRun: z.boolean(),
  rows: z.int(),
  stored: z.int(),
  replaced: z.int(),
  unchanged: z.int(),
  invalid: z.int(),
  /** Number of locations with at least one valid row. */
  locations: z.int(),
  /** Headings that were not used. */
  unusedColumns: z.array(z.string()),
  /** Number of invalid rows by kind; kinds without any are missing. */
  problemCounts: z.partialRecord(z.enum(salesProblemKinds), z.int()),
  /** The first problems, in the order of the rows. */
  problems: z.array(problem),
  /** The first valid rows, and what becomes of each. */
  preview: z.array(
    z.object({
      row: z.int(),
      location: z.object({ _id: z.string(), name: z.string() }),
      start: z.string(),
      end: z.string(),
      timezone: z.string().nullable(),
      transactions: z.int(),
      revenue: z.number(),
      currency: z.string(),
      staffHours: z.number().nullable(),
      outcome: z.enum(salesOutcomes),
    }),
  ),
});
export type SalesImportResult = z.output<typeof salesImportResult>;
