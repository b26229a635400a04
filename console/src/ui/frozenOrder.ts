// Keeps rows where they are while the pointer rests on the list: news may change a row's content, never its place.
import { useState } from "react";

export type PlacedRow<Row> = { readonly row: Row; readonly gone: boolean };

/**
 * Merges new rows into the order shown before: known rows keep their place with new content, vanished ones stay as
 * `gone`, new ones come last.
 */
export function keepPlaces<Row>(
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

/** Rows in the order to show. `viewKey` names page, sort and filters: another view is never held back. */
export function useFrozenOrder<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  frozen: boolean,
  viewKey: string,
): readonly PlacedRow<Row>[] {
  const [shown, setShown] = useState({ rows, viewKey, frozen, placed: rows.map((row) => ({ row, gone: false })) });
  if (shown.rows === rows && shown.viewKey === viewKey && shown.frozen === frozen) return shown.placed;
  const hold = frozen && shown.viewKey === viewKey && shown.placed.length > 0;
  const placed = hold ? keepPlaces(shown.placed, rows, rowId) : rows.map((row) => ({ row, gone: false }));
  setShown({ rows, viewKey, frozen, placed });
  return placed;
}
