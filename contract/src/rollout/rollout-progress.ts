// Computes the progress of a firmware rollout.
import type { Rollout } from "../firmware/firmware.ts";

/**
 * `done` counts the sensors on which this rollout installed the firmware. `all` excludes canceled installations and sensors that
 * already ran this version.
 */
export function rolloutProgress({ assigned, canceled, ranBefore, done }: Rollout): { done: number; all: number } {
  return { done, all: assigned - canceled - ranBefore };
}
