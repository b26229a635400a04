// Texts of the sales of locations and of their import.
import type { SalesProblemKind, SalesImportResult } from "@psp/contract/sales/sales.import.ts";

const number = new Intl.NumberFormat("en");
const count = (n: number, one: string, many: string) => (n === 1 ? `1 ${one}` : `${number.format(n)} ${many}`);
const counted = (n: number) => count(n, "entry", "entries");

export const salesText = {
  title: "Sales",
  counted,
  loadFailed: "The sales could not be loaded",
  noneTitle: "No sales yet",
  noneText: "Import sales from a CSV file, or send them with the API, to see how many visitors buy something.",
  noMatchTitle: "No sales found",
  noMatchText: "No sales found for the given days.",
  showAll: "Show all sales",
  secret: "Only people who can edit this location can see its sales.",
  days: "Days",
  day: "Day",
  time: "Time",
  wholeDay: "Whole day",
  transactions: "Transactions",
  revenue: "Revenue",
  staffHours: "Staff hours",
  unknown: "–",
  rowName: (day: string, time: string) => `${day}, ${time}`,

  deleteSales: "Delete sales",
  deleteTitle: "Delete sales",
  deleteQuestion: (name: string) => `You are about to delete the sales of ${name} on these days. You can't undo this.`,
  from: "From",
  to: "To",
  deleteButton: "Delete",
  deleted: (n: number) => (n === 0 ? "There were no sales on these days" : `Deleted ${counted(n)}`),
  deleteFailed: "The sales could not be deleted.",
} as const;

export const salesImportText = {
  action: "Import sales",
  title: "Import sales",
  hint: "Choose a CSV file with the columns Location, Start, Transactions, Revenue and Currency. End, Period and Staff hours are optional. Identify each location by its name, ID or External ID. Start is a local date (2026-11-26) or hour (2026-11-26 10:00).",
  safe: "Nothing is stored until you confirm.",
  file: "CSV file",
  fileRequired: "Choose a file",
  fileEnding: "The file name must end with .csv",
  fileTooLarge: "The file is larger than 10 MB",
  check: "Check file",
  store: (n: number) => `Import ${counted(n)}`,
  other: "Choose another file",
  nothing: "There is nothing to import in this file",
  fixFirst: "Correct the file, or skip the rows with problems",
  skip: (n: number) => `Skip ${count(n, "row with a problem", "rows with problems")}`,
  checked: ({ rows, locations }: SalesImportResult) =>
    `${count(rows, "row", "rows")} for ${count(locations, "location", "locations")}`,
  done: ({ stored, replaced }: SalesImportResult) => `Imported ${counted(stored + replaced)}`,
  counts: [
    ["stored", "New"],
    ["replaced", "Changed"],
    ["unchanged", "Unchanged"],
    ["invalid", "Problems"],
  ] satisfies [keyof SalesImportResult, string][],
  unused: (names: string) => `Columns not used: ${names}`,
  problems: "Problems",
  row: (n: number) => `Row ${number.format(n)}`,
  moreProblems: (n: number) => `${number.format(n)} more`,
  preview: "First rows",
  columns: ["Row", "Location", "Time", "Transactions", "Revenue", "Staff hours", "Result"],
  outcomes: { stored: "New", replaced: "Changed", unchanged: "Unchanged" },
  kinds: {
    unreadable: "can't be read",
    unknownLocation: "unknown location",
    ambiguousLocation: "ambiguous location",
    noRight: "no permission",
    wrongTime: "invalid time",
    wrongNumber: "invalid number",
    wrongCurrency: "invalid currency",
    duplicate: "duplicate",
    overlap: "overlap",
  } satisfies Record<SalesProblemKind, string>,
  kind: (n: number, kind: string) => `${number.format(n)} × ${kind}`,
} as const;
