// When records that replace stored counts are suspect: a clock that was put back repeats times it has counted already.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Overwrite, RecordBuffer } from "../../device/capability.ts";
import type { HotCount } from "../count.store.ts";

/** This many new numbers in succession may replace counts without saying so (`cor`); with one more all of them are suspect. */
const allowed = 2;

export const overwriteReason = "Several records in a row replaced others: the clock may have been put back";

/** Why the record is not stored, or null; and earlier ones of the same run that must be taken back. */
export type Judged = {
  reason: string | null;
  takenBack: { record: CountRecord; before: HotCount[] }[];
};

const fine: Judged = { reason: null, takenBack: [] };

/**
 * Judges a record with a new number, and notes it in its buffer. `before`: counts stored for its start; `replaced`: those of them
 * that it would change. A record of a time that is not stored yet ends the run; so does a new session of the device.
 */
export function judgeOverwrite(
  { overwrites }: RecordBuffer,
  record: CountRecord,
  before: ReadonlyMap<number, HotCount>,
  replaced: readonly HotCount[],
): Judged {
  if (before.size === 0) {
    overwrites.run = [];
    overwrites.isSuspect = false;
  }
  if (record.cor === true || !replaced.some(({ ahead }) => !ahead)) return fine;
  if (overwrites.isSuspect) return { reason: overwriteReason, takenBack: [] };
  if (overwrites.run.length < allowed) {
    overwrites.run.push({ record, before: [...before.values()] });
    return fine;
  }
  overwrites.isSuspect = true;
  // In reverse, so that a start that was replaced twice gets its first counts back.
  const takenBack = overwrites.run.toReversed() as (Overwrite & { before: HotCount[] })[];
  return { reason: overwriteReason, takenBack };
}
