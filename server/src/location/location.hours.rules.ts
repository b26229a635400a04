// Groups the former opening hours of a batch, so that it can be undone (docs/rules/batches.md#undo).
import { type FormerHours, undoableHours } from "@psp/contract/location/location.batch.api.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";

type Row = { opening_hours: OpeningHours | null };

export function formerHoursOf(changed: readonly { id: string }[], rows: ReadonlyMap<string, Row>): FormerHours {
  return group(changed.map(({ id }) => ({ openingHours: rows.get(id)?.opening_hours ?? null, ids: [id] })));
}

/** Leaves them out beyond the limits of undo, and for batches of other fields. */
export function mergeFormerHours(outcomes: readonly { formerHours?: FormerHours }[]): { formerHours?: FormerHours } {
  const parts = outcomes.flatMap(({ formerHours }) => formerHours ?? []);
  const formerHours = group(parts);
  const count = formerHours.reduce((sum, { ids }) => sum + ids.length, 0);
  const isUndoable = count <= undoableHours.locations && formerHours.length <= undoableHours.different;
  return parts.length > 0 && isUndoable ? { formerHours } : {};
}

function group(parts: FormerHours): FormerHours {
  const groups = Map.groupBy(parts, ({ openingHours }) => JSON.stringify(openingHours));
  return [...groups.values()].map((same) => ({
    openingHours: same[0]?.openingHours ?? null,
    ids: same.flatMap(({ ids }) => ids),
  }));
}
