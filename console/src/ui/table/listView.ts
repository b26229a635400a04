// What a list gets from its page, and what its table and card forms share.
import type { KeyboardEvent, ReactNode } from "react";
import type { Selection } from "./Selection.ts";
import type { Column, RowAction, Sort } from "./columns.ts";
import type { PlacedRow } from "./frozenOrder.ts";
import type { RowFocus } from "./rowFocus.ts";

export type DataTableProps<Row> = {
  /** Accessible name, e.g. "Sensors". */
  label: string;
  /** Keep the array stable. The first column is the name people know. */
  columns: readonly Column<Row>[];
  /** The rows of this page, in order. Keep the array stable. */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Names the row in "Select …". */
  rowLabel: (row: Row) => string;
  /** Skeleton rows instead of nothing. */
  loading?: boolean;
  /** How many skeleton rows; default 8. */
  skeletonRows?: number;
  sort?: Sort;
  /** Click sorts by one column, shift-click adds it. */
  onSortChange?: (sort: Sort) => void;
  selection?: Selection;
  onSelectionChange?: (selection: Selection) => void;
  /** How many rows match the filters; needed with `selection`. */
  total?: number;
  onRowClick?: (row: Row) => void;
  /** The address that `onRowClick` leads to: the name of the row is a link then. */
  rowHref?: (row: Row) => string;
  /** What was searched for in the names of the rows. */
  searched?: string | undefined;
  /** A row that was left and is come back to: it gets the focus once it is there. */
  returnTo?: string | undefined;
  rowActions?: (row: Row) => readonly RowAction[];
  /** Names page and filters: while it stays the same, hovering holds the order. */
  viewKey?: string;
  /** The rows are still those of the view before, until this one's are there. */
  awaited?: boolean;
  /** Shown instead of rows when there are none. */
  empty?: ReactNode;
};

/** What rows and cards share. */
export type ListView<Row> = {
  props: DataTableProps<Row>;
  placed: readonly PlacedRow<Row>[];
  focus: RowFocus;
  pageIds: readonly string[];
  /** Chooses or drops a row; with `range` everything since the last one. */
  onSelect: (id: string, on: boolean, range: boolean) => void;
  onSelectPage: (on: boolean) => void;
  onRowKeyDown: (event: KeyboardEvent<HTMLElement>, row: Row) => void;
};

/** Opens a row as its link would: with Ctrl or the Command key in a tab of its own. */
export function openRow<Row>(
  { onRowClick, rowHref }: Pick<DataTableProps<Row>, "onRowClick" | "rowHref">,
  row: Row,
  { ctrlKey, metaKey }: { ctrlKey: boolean; metaKey: boolean },
): void {
  if ((ctrlKey || metaKey) && rowHref !== undefined) window.open(rowHref(row), "_blank", "noopener");
  else onRowClick?.(row);
}
