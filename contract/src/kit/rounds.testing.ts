// How far a campaign goes: a short way with a fixed seed in `npm test`, the whole way with a random one in `npm run prove`.

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of `npm run prove`, null in `npm test`; vitest.config.ts reads it. */
    proveSeed: number | null;
  }
}

const proveSeed = inject("proveSeed");
const isWhole = proveSeed !== null;

/** This many rounds: `few` are enough to find the faults that were seeded to judge the campaign. */
export function rounds(few: number, many: number): number {
  return isWhole ? many : few;
}

/** Every nth entry of a long table, beginning with the first; in `npm run prove` all of them. */
export function everyNth<const T>(nth: number, table: readonly T[]): readonly T[] {
  return isWhole ? table : table.filter((_, n) => n % nth === 0);
}

/** The seed of a campaign: `fixed`, or in `npm run prove` another one, which is the same again with the same PROVE_SEED. */
export function seedOf(fixed: number): number {
  return (fixed + (proveSeed ?? 0)) | 0;
}
