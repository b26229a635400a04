// How far a campaign goes: a short way with a fixed seed in `npm test`, the whole way with a random one in `npm run prove`.

const isWhole = process.env["PROVE"] === "on";

/** This many rounds: `few` are enough to find the faults that were seeded to judge the campaign. */
export function rounds(few: number, many: number): number {
  return isWhole ? many : few;
}

/** Every nth entry of a long table, beginning with the first; in `npm run prove` all of them. */
export function everyNth<T>(nth: number, table: readonly T[]): readonly T[] {
  return isWhole ? table : table.filter((_, n) => n % nth === 0);
}

/** The seed of a campaign: `fixed`, or in `npm run prove` another one, which is the same again with the same PROVE_SEED. */
export function seedOf(fixed: number): number {
  return isWhole ? (fixed + Number(process.env["PROVE_SEED"] ?? 0)) | 0 : fixed;
}
