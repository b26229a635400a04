// Work that many may do at the same time, but each within a bound: a place for each, and a refusal when none is left.
import { tooMany } from "../kit/app-error.ts";

type Limits = { max: number; maxPerKey: number; retryAfterS?: number };

export function createKeyedSemaphore({ max, maxPerKey, retryAfterS = 10 }: Limits) {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Takes a place for this key and returns the function that releases it; 429 when the key, or everybody together, has all of theirs. */
    take(key: string): () => void {
      const own = taken.get(key) ?? 0;
      if (all >= max || own >= maxPerKey) throw tooMany(retryAfterS);
      taken.set(key, own + 1);
      all += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = (taken.get(key) ?? 1) - 1;
        if (rest > 0) taken.set(key, rest);
        else taken.delete(key);
      };
    },
  };
}
