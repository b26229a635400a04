// Keeps rows in place while the pointer is over the list: updates change their content, but not their position.
import { useState } from "react";

export type PlacedRow<Row> = { readonly row: Row; readonly gone: boolean };

/**
 * Merges new rows into the displayed order: known rows keep their position with new content, missing ones stay as `gone`, new
 * ones are appended.
 */
export function mergeInPlace<Row>(
  before: readonly PlacedRow<Row>[],
  rows: readonly Row[],
  rowId: (row: Row) => string,
): PlacedRow<Row>[] {
  const fresh = new Map(rows.map((row) => [rowId(row), row]));
  const placed: PlacedRow<Row>[] = before.map(({ row }) => {
    const next = fresh.get(rowId(row));
    fresh.delete(rowId(row));
    return next === undefined ? { row, gone: true } : { row: next, gone: false };
  });
  return [...placed, ...[...fresh.values()].map((row) => ({ row, gone: false }))];
}

/** The view that the rows belong to; the order is never kept across views. */
type View = {
  /** Identifies page, sort and filters. */
  key: string;
  /** Whether the rows are still those of the previous view, while the new ones load. */
  isPlaceholder: boolean;
};

/** Rows in display order. `rows` must be referentially stable. */
export function useFrozenOrder<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  frozen: boolean,
  view: View,
): readonly PlacedRow<Row>[] {
  const inGivenOrder = () => rows.map((row) => ({ row, gone: false }));
  const [shown, setShown] = useState({
    rows,
    key: view.isPlaceholder ? null : view.key,
    frozen,
    placed: inGivenOrder(),
  });
  const key = view.isPlaceholder ? shown.key : view.key;
  if (shown.rows === rows && shown.key === key && shown.frozen === frozen) return shown.placed;
  const isHeld = frozen && shown.key === key && shown.placed.length > 0;
  const placed = isHeld ? mergeInPlace(shown.placed, rows, rowId) : inGivenOrder();
  setShown({ rows, key, frozen, placed });
  return placed;
}
