// Props of lists, and the state shared by tables and cards.
import type { KeyboardEvent, ReactNode } from "react";
import type { Selection } from "./Selection.ts";
import type { Column, RowAction, Sort } from "./columns.ts";
import type { PlacedRow } from "./frozenOrder.ts";
import type { RowFocus } from "./rowFocus.ts";

export type DataTableProps<Row> = {
  /** Accessible name, e.g. "Sensors". */
  label: string;
  /** Must be referentially stable. The first column is the row's name. */
  columns: readonly Column<Row>[];
  /** The rows of this page, in order. Must be referentially stable. */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Name of the row, for its checkbox "Select …". */
  rowLabel: (row: Row) => string;
  /** Shows skeleton rows as long as `rows` is empty. */
  loading?: boolean;
  /** Number of skeleton rows; default 8. */
  skeletonRows?: number;
  sort?: Sort;
  /** A click sorts by one column; a shift-click adds a column. */
  onSortChange?: (sort: Sort) => void;
  selection?: Selection;
  onSelectionChange?: (selection: Selection) => void;
  /** Number of rows that match the filters; required with `selection`. */
  total?: number;
  onRowClick?: (row: Row) => void;
  /** URL that `onRowClick` opens; makes the row's name a link. A row without a URL can't be opened. */
  rowHref?: (row: Row) => string | undefined;
  searchText?: string | undefined;
  /** Id of the previously opened row; focused once it is rendered. */
  returnTo?: string | undefined;
  rowActions?: (row: Row) => readonly RowAction[];
  /** Identifies page and filters. As long as it stays the same, rows keep their order while the pointer is over the list. */
  viewKey?: string;
  /** Whether the rows are still those of the previous view, while the new ones load. */
  isPlaceholder?: boolean;
  empty?: ReactNode;
};

export type ListView<Row> = {
  props: DataTableProps<Row>;
  placed: readonly PlacedRow<Row>[];
  focus: RowFocus;
  pageIds: readonly string[];
  /** Selects or deselects a row; with `range`, all rows from the previously selected one to this one. */
  onSelect: (id: string, on: boolean, range: boolean) => void;
  onSelectPage: (on: boolean) => void;
  onRowKeyDown: (event: KeyboardEvent<HTMLElement>, row: Row) => void;
};

/** Opens a row like its link: with Ctrl or ⌘ in a new tab. */
export function openRow<Row>(
  { onRowClick, rowHref }: Pick<DataTableProps<Row>, "onRowClick" | "rowHref">,
  row: Row,
  { ctrlKey, metaKey }: { ctrlKey: boolean; metaKey: boolean },
): void {
  const href = rowHref?.(row);
  if ((ctrlKey || metaKey) && href !== undefined) window.open(href, "_blank", "noopener");
  else onRowClick?.(row);
}
