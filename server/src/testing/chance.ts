// A small, fast, seeded random generator.

export type Chance = {
  /** A whole number from 0 to n - 1. */
  below(n: number): number;
};

export function createChance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { below: (n) => Math.floor(next() * n) };
}

/** Throws if the list is empty. */
export function pick<T>(list: readonly T[], { below }: Chance): T {
  const found = list[below(list.length)];
  if (found === undefined) throw new Error("Nothing to choose from");
  return found;
}
