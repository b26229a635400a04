// Length of randomized tests: short with a fixed seed in `npm test`, full length with a random seed in `npm run prove`.

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Null in `npm test`. */
    proveSeed: number | null;
  }
}

const proveSeed = inject("proveSeed");
const isWhole = proveSeed !== null;

/** Number of rounds; `few` must suffice to find the faults that were planted to validate the test. */
export function rounds(few: number, many: number): number {
  return isWhole ? many : few;
}

/** Every nth row of a table, from the first; all rows in `npm run prove`. */
export function everyNth<const T>(nth: number, table: readonly T[]): readonly T[] {
  return isWhole ? table : table.filter((_, n) => n % nth === 0);
}

/** `fixed`, or in `npm run prove` a seed derived from PROVE_SEED. */
export function seedOf(fixed: number): number {
  return (fixed + (proveSeed ?? 0)) | 0;
}
