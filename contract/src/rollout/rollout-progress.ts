// The share of a rollout that is done, as its page shows it.
import type { Rollout } from "../firmware/firmware.ts";

/**
 * Sensors on which this rollout installed the firmware, of all on which it was to do so. Left out are those that ran the
 * version before it was set, and those whose installation was canceled.
 */
export function rolloutProgress({ assigned, canceled, ranBefore, done }: Rollout): { done: number; all: number } {
  return { done, all: assigned - canceled - ranBefore };
}
