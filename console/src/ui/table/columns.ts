// What a list knows of its columns, its order and the actions of a row.
import type { ReactNode } from "react";

export type Column<Row> = {
  id: string;
  header: string;
  /** Content of the cell; strings are cut with an ellipsis and get a tooltip. */
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** px or %; columns without a width share the rest. */
  width?: number | string;
  /** px, of a column whose width is none of its own or in %; 176 by default. */
  minWidth?: number;
  /** Numbers are aligned right. */
  numeric?: boolean;
  /** Before the name of the row, e.g. a rank: no part of its link. */
  before?: (row: Row) => ReactNode;
  /**
   * Where it is in the card of the phone: its title (by default the first column's), the state beside it, a fact below
   * (by default), a fact that says what it is, or nowhere.
   */
  onPhone?: "title" | "state" | "fact" | "labeled" | "none";
  /** Left out where a table has no room for all columns: what else would be cut is more important. */
  onNarrow?: "none";
  /** For `sortRows`: what the column is ordered by. */
  sortValue?: (row: Row) => string | number | null | undefined;
};

/** Marks the cells of a column that is left out first. */
export const extraOf = ({ onNarrow }: { onNarrow?: "none" }) => (onNarrow === undefined ? {} : { "data-extra": "" });

/** First rule first. */
export type Sort = readonly { readonly id: string; readonly desc: boolean }[];

/** The sort after a click on a column: ascending, descending, then none. `adds` (Shift) keeps the other columns. */
export function nextSort(sort: Sort, id: string, adds: boolean): Sort {
  const before = sort.find((rule) => rule.id === id);
  const kept = adds ? sort : sort.filter((rule) => rule === before);
  if (before === undefined) return [...kept, { id, desc: false }];
  if (before.desc) return kept.filter((rule) => rule !== before);
  return kept.map((rule) => (rule === before ? { id, desc: true } : rule));
}

export type RowAction = {
  /** Begins with the verb and names the object: "Delete Branch 01". */
  label: string;
  icon: ReactNode;
  onClick?: () => void;
  /** A link that opens in a new tab. */
  href?: string;
  danger?: boolean;
  disabledReason?: string | undefined;
  /** Shows these words instead of only the icon, e.g. "Review". */
  text?: string;
};

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function compare(a: string | number | null | undefined, b: string | number | null | undefined): number {
  const aMissing = a === null || a === undefined || a === "";
  const bMissing = b === null || b === undefined || b === "";
  if (aMissing || bMissing) return Number(aMissing) - Number(bMissing);
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}

/** Orders rows of which all are here (lists ordered by the server don't need it). Stable; empty values come last when ascending. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort): Row[] {
  const rules = sort.flatMap((rule) => {
    const value = columns.find((column) => column.id === rule.id)?.sortValue;
    return value === undefined ? [] : [{ value, sign: rule.desc ? -1 : 1 }];
  });
  return rows.toSorted((a, b) => {
    for (const { value, sign } of rules) {
      const order = compare(value(a), value(b));
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}
