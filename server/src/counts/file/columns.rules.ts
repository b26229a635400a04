// Columns of files over many locations, each with its name in files for programs and its header in files for people.
import type { Cell, Column } from "../../kit/row-stream.ts";
import type { BlockSubject } from "./blocks.service.ts";
import type { FileRow } from "./rows.rules.ts";

/** What the rows of a file are. */
export type Lead = "location" | "group";

type NamedColumn = Column & { name: string };

const locationColumns: readonly NamedColumn[] = [
  { name: "id", header: "ID", width: 38 },
  { name: "name", header: "Name", width: 32 },
  { name: "tags", header: "Tags", width: 24 },
  { name: "owner", header: "Owner", width: 24 },
  { name: "country", header: "Country", width: 16 },
  { name: "zone", header: "Time zone", width: 20 },
];
const groupColumns: readonly NamedColumn[] = [
  { name: "group", header: "Group", width: 32 },
  { name: "locations", header: "Locations", width: 12 },
];

export const leadColumns: Record<Lead, readonly NamedColumn[]> = { location: locationColumns, group: groupColumns };

export function leadCells(subject: BlockSubject, forPeople: boolean): Cell[] {
  if (subject.kind === "group") return [subject.name ?? (forPeople ? "None" : null), subject.locations];
  const { id, name, tags, owner, country, timezone } = subject.location;
  return [id, name, tags.join(", "), owner, country, timezone ?? "UTC"];
}

type Figure = NamedColumn & { cell: (row: FileRow) => string | number | null };

const countFigures: readonly Figure[] = [
  { name: "in", header: "In", cell: (row) => row.in },
  { name: "out", header: "Out", cell: (row) => row.out },
  {
    name: "completeness",
    header: "Completeness",
    width: 14,
    format: "0.0%",
    cell: (row) => row.completeness,
  },
  { name: "closed", header: "Closed", cell: (row) => (row.closed === null ? null : row.closed ? "yes" : "no") },
  { name: "earlier", header: "In before", width: 12, cell: (row) => row.earlier },
  { name: "change", header: "Change in %", width: 12, cell: (row) => row.change },
];

/** Revenue in several currencies has no single number; their codes are listed. */
const salesFigures: readonly Figure[] = [
  { name: "transactions", header: "Transactions", width: 13, cell: ({ sales }) => sales?.transactions ?? null },
  {
    name: "conversion",
    header: "Conversion",
    width: 12,
    format: "0.0%",
    cell: ({ sales }) => sales?.conversion ?? null,
  },
  {
    name: "revenue",
    header: "Revenue",
    width: 14,
    format: "#,##0.00",
    cell: (row) => onlyRevenue(row)?.amount ?? null,
  },
  {
    name: "currency",
    header: "Currency",
    cell: ({ sales }) => sales?.revenue.map(({ currency }) => currency).join(", ") ?? null,
  },
  {
    name: "revenuePerVisitor",
    header: "Revenue per visitor",
    width: 18,
    format: "#,##0.00",
    cell: (row) => onlyRevenue(row)?.perVisitor ?? null,
  },
  { name: "staffHours", header: "Staff hours", width: 12, cell: ({ sales }) => sales?.staffHours ?? null },
];

function onlyRevenue({ sales }: FileRow) {
  const [first, ...more] = sales?.revenue ?? [];
  return more.length === 0 ? first : undefined;
}

const withSales = [...countFigures, ...salesFigures];

export const figuresOf = ({ hasSales }: { hasSales: boolean }): readonly Figure[] =>
  hasSales ? withSales : countFigures;
