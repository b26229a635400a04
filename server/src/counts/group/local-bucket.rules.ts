// Aligns the buckets of different zones by their local time.
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import { dayMs, type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import { findBucketStart } from "../bucket.rules.ts";

/**
 * Start of the local hour, day, week or month, in ms since 1970 as if it were UTC. Both occurrences of a repeated hour have the same
 * key, and so do both parts of an hour that a clock change splits.
 */
export function bucketKey(zone: Zone, by: BucketSize, ms: number): number {
  const local = by === "hour" ? zone.localMs(ms) : zone.dayAt(ms) * dayMs;
  return findBucketStart(zoneOf(null), by, local);
}
