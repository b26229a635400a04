// Detects suspect replacements of stored counts. A clock that was set back sends the same times again.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Overwrite, RecordBuffer } from "../../device/capability.ts";
import type { UnpackedCount } from "../count.store.ts";

/** Number of consecutive new records that may replace counts without the flag `cor`. One more makes all of them suspect. */
const allowed = 2;

export const overwriteReason = "Several records in a row replaced earlier ones. The clock may have been set back";

export type OverwriteCheck = {
  reason: string | null;
  undone: { record: CountRecord; before: UnpackedCount[] }[];
};

const fine: OverwriteCheck = { reason: null, undone: [] };

/**
 * Decides whether a record with a new number may replace counts, and updates the run of replacements in its buffer. `before`: the
 * counts stored for its start. `replaced`: those that it would change. A record for a new time or a new session ends the run.
 */
export function checkOverwrite(
  { overwrites }: RecordBuffer,
  record: CountRecord,
  before: ReadonlyMap<number, UnpackedCount>,
  replaced: readonly UnpackedCount[],
): OverwriteCheck {
  if (before.size === 0) {
    overwrites.run = [];
    overwrites.isSuspect = false;
  }
  if (record.cor === true || !replaced.some(({ ahead }) => !ahead)) return fine;
  if (overwrites.isSuspect) return { reason: overwriteReason, undone: [] };
  if (overwrites.run.length < allowed) {
    overwrites.run.push({ record, before: [...before.values()] });
    return fine;
  }
  overwrites.isSuspect = true;
  // Undone in reverse order, so that a start that was replaced twice gets its first counts back.
  const undone = overwrites.run.toReversed() as (Overwrite & { before: UnpackedCount[] })[];
  return { reason: overwriteReason, undone };
}
