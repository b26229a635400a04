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
