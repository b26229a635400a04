// Decides what becomes of new sales entries, and writes them. Shared by the call for one location and the import.
import type { StoredSales } from "@psp/contract/sales/sales.ts";
import type { Reader } from "../db/database.ts";
import type { UnitOfWork } from "../db/write.ts";
import { decideOutcome, type Entry, type Outcome, type Period } from "./sales.rules.ts";
import * as store from "./sales.store.ts";

/** A location with its owner at the moment of writing. */
export type Place = { id: string; owner: { id: string; path: string } };
export type Addition = { place: Place; entry: Entry };
export type Decision = Outcome | { conflict: Period };
export type Plan = { decisions: Decision[]; covered: store.SaleKey[]; shadowed: store.SaleKey[] };

/** Rows per statement. */
const rowsAtOnce = 5000;

/** Compares entries that don't overlap each other with what is stored. */
export async function planSales(reader: Reader, additions: readonly Addition[]): Promise<Plan> {
  const plan: Plan = { decisions: [], covered: [], shadowed: [] };
  for (const part of chunksOf(additions)) {
    const rows = part.map(({ place, entry }) => ({ ...entry, locationId: place.id }));
    const known = Map.groupBy(await store.findOverlappingRows(reader, rows), (row) => row.place);
    for (const [index, { place, entry }] of part.entries()) {
      const there = known.get(index) ?? [];
      const keyOf = ({ ownerId, startMs }: store.OverlappingRow) => ({ locationId: place.id, ownerId, startMs });
      const [own, foreign] = [true, false].map((isOwn) =>
        there.filter((row) => (row.ownerId === place.owner.id) === isOwn),
      ) as [store.OverlappingRow[], store.OverlappingRow[]];
      const decision = decideOutcome(entry, own);
      plan.decisions.push(decision);
      if (typeof decision !== "string" || decision === "unchanged") continue;
      plan.covered.push(...own.filter((row) => row.startMs !== entry.startMs).map(keyOf));
      plan.shadowed.push(...foreign.filter((row) => !row.isShadowed).map(keyOf));
    }
  }
  return plan;
}

/** Writes the planned entries, and one audit row for each location that changes. The locations must be locked. */
export async function writeSales(w: UnitOfWork, additions: readonly Addition[], plan: Plan): Promise<void> {
  const changes = additions.flatMap((one, index) => {
    const outcome = plan.decisions[index];
    return outcome === "stored" || outcome === "replaced" ? [{ ...one, outcome }] : [];
  });
  for (const part of chunksOf(plan.covered)) await store.deleteRows(w.tx, part);
  for (const part of chunksOf(plan.shadowed)) await store.markShadowed(w.tx, part);
  for (const part of chunksOf(changes))
    await store.saveRows(
      w.tx,
      part.map(({ place, entry }) => ({ ...entry, locationId: place.id, ownerId: place.owner.id })),
    );
  for (const [place, list] of Map.groupBy(changes, (one) => one.place)) {
    const times = list.map(({ entry }) => entry);
    w.audit({
      action: "storeSales",
      object: { type: "measurement", _id: place.id },
      owner: place.owner,
      // Amounts are left out, because the audit log is also read by accounts that may only view the location.
      after: {
        ...countOutcomes(list.map(({ outcome }) => outcome)),
        from: iso(times.reduce((first, { startMs }) => Math.min(first, startMs), Infinity)),
        to: iso(times.reduce((last, { endMs }) => Math.max(last, endMs), 0)),
      },
    });
  }
}

export const iso = (ms: number) => new Date(ms).toISOString();

export function countOutcomes(decisions: readonly Decision[]): StoredSales {
  const counts: StoredSales = { stored: 0, replaced: 0, unchanged: 0 };
  for (const decision of decisions) if (typeof decision === "string") counts[decision] += 1;
  return counts;
}

function* chunksOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += rowsAtOnce) yield list.slice(from, from + rowsAtOnce);
}
