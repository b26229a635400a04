// Columns, sort order and row actions of lists.
import type { ReactNode } from "react";

export type Column<Row> = {
  id: string;
  header: string;
  /** Cell content; strings are truncated with an ellipsis and get a tooltip. */
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** px or %; columns without a width share the rest. */
  width?: number | string;
  /** px, for columns without a width or with a width in %; default 176. */
  minWidth?: number;
  numeric?: boolean;
  /** Shown before the row's name, e.g. a rank; not part of its link. */
  before?: (row: Row) => ReactNode;
  /**
   * Position in the card on phones. `fact` is a line below the title, `labeled` adds the column's header to it, and `none` hides the
   * column. Default: `title` for the first column, `fact` for the others.
   */
  onPhone?: "title" | "state" | "fact" | "labeled" | "none";
  /** Hides a less important column in tables without room for all columns. */
  onNarrow?: "none";
};

/** Marks the cells of columns hidden in narrow tables. */
export const narrowHiddenProps = ({ onNarrow }: { onNarrow?: "none" }) =>
  onNarrow === undefined ? {} : { "data-extra": "" };

/** The first rule takes precedence. */
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
  /** Starts with the verb and names the object: "Delete Branch 01". */
  label: string;
  icon: ReactNode;
  onClick?: () => void;
  /** Makes the action a link that opens in a new tab. */
  href?: string;
  danger?: boolean;
  disabledReason?: string | undefined;
  /** Shows this text instead of only the icon, e.g. "Review". */
  text?: string;
};
