// Sets the length of randomized tests: short with a fixed seed in `npm test`, and full with a random seed in `npm run prove`.

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of `npm run prove`; null in `npm test`. */
    proveSeed: number | null;
  }
}

const proveSeed = inject("proveSeed");
const isWhole = proveSeed !== null;

/**
 * Number of rounds: `few` in `npm test`, `many` in `npm run prove`. Choose `few` so that it finds the bugs planted to validate
 * the test.
 */
export function rounds(few: number, many: number): number {
  return isWhole ? many : few;
}

/** Returns every nth row of a table, beginning with the first; in `npm run prove`, returns all rows. */
export function everyNth<const T>(nth: number, table: readonly T[]): readonly T[] {
  return isWhole ? table : table.filter((_, n) => n % nth === 0);
}

/** Returns `fixed` in `npm test`, and a seed derived from PROVE_SEED in `npm run prove`. */
export function seedOf(fixed: number): number {
  return (fixed + (proveSeed ?? 0)) | 0;
}
