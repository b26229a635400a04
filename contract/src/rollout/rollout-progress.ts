// Progress of a firmware rollout.
import type { Rollout } from "../firmware/firmware.ts";

/**
 * Sensors on which this rollout installed the firmware, and the total. Excludes sensors that already ran the version and
 * canceled installations.
 */
export function rolloutProgress({ assigned, canceled, ranBefore, done }: Rollout): { done: number; all: number } {
  return { done, all: assigned - canceled - ranBefore };
}
