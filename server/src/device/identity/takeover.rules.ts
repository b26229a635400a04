// When connections that push each other out mean that two devices share one identity.

/** A connection that ended because another one came with the same identity; `to` is the address of the newer one. */
export type Takeover = { atMs: number; from: string; to: string };

/** `addresses`: of the two devices, the same one twice behind one router. */
export type SharedIdentity = { count: number; sinceMs: number; lastMs: number; addresses: [string, string] };

export const rememberedMs = 10 * 60_000;
const quickMs = 60_000;
const returns = 5;
const quick = 10;

/**
 * Judges the takeovers of the last ten minutes, in order. A single device that lost its network takes over its own old connection now
 * and then. Two devices push each other out all the time: an address comes back after another one had its place, five times
 * in ten minutes, or there are ten takeovers within a minute. Null where neither holds.
 */
export function judgeTakeovers(takeovers: readonly Takeover[]): SharedIdentity | null {
  const [first] = takeovers;
  const last = takeovers.at(-1);
  if (!first || !last) return null;
  const recent = takeovers.filter(({ atMs }) => last.atMs - atMs < quickMs).length;
  const seen = new Set<string>();
  let returned = 0;
  for (const { from, to } of takeovers) {
    if (from !== to && seen.has(to)) returned += 1;
    seen.add(from).add(to);
  }
  if (recent < quick && returned < returns) return null;
  return { count: takeovers.length, sinceMs: first.atMs, lastMs: last.atMs, addresses: [last.from, last.to] };
}
