// Decides from session takeovers whether two devices share one identity.

/** A connection that ended because another one used the same identity; `to` is the newer one's address. */
export type Takeover = { atMs: number; from: string; to: string };

/** `addresses`: of both devices; equal if both are behind one router. */
export type SharedIdentity = { count: number; sinceMs: number; lastMs: number; addresses: [string, string] };

export const rememberedMs = 10 * 60_000;
const quickMs = 60_000;
const minReturns = 5;
const minQuickTakeovers = 10;

/**
 * Evaluates the takeovers of the last ten minutes, in order. A single device that lost its network takes over its own old connection now
 * and then. Two devices take over from each other all the time: an address returns after another one took over, five times in ten
 * minutes, or there are ten takeovers within a minute. Null if neither holds.
 */
export function detectSharedIdentity(takeovers: readonly Takeover[]): SharedIdentity | null {
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
  if (recent < minQuickTakeovers && returned < minReturns) return null;
  return { count: takeovers.length, sinceMs: first.atMs, lastMs: last.atMs, addresses: [last.from, last.to] };
}
