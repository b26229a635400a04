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

/** What the rows belong to, so that another view is never held back by the one before. */
type View = {
  /** Names page, sort and filters. */
  key: string;
  /** The rows are still those of the view before: the answer to the present question is on its way. */
  awaited: boolean;
};

/** Rows in the order to show. Keep `rows` stable. */
export function useFrozenOrder<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  frozen: boolean,
  view: View,
): readonly PlacedRow<Row>[] {
  const asTheyCome = () => rows.map((row) => ({ row, gone: false }));
  const [shown, setShown] = useState({ rows, key: view.awaited ? null : view.key, frozen, placed: asTheyCome() });
  const key = view.awaited ? shown.key : view.key;
  if (shown.rows === rows && shown.key === key && shown.frozen === frozen) return shown.placed;
  const hold = frozen && shown.key === key && shown.placed.length > 0;
  const placed = hold ? keepPlaces(shown.placed, rows, rowId) : asTheyCome();
  setShown({ rows, key, frozen, placed });
  return placed;
}
