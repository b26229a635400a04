// Decides from session takeovers whether two devices share one identity.

/**
 * A connection that ended because another one used the same identity. `from` and `to` are the addresses of the old and the new
 * connection.
 */
export type Takeover = { atMs: number; from: string; to: string };

/** `addresses` are those of both devices, and are equal if both are behind one router. */
export type SharedIdentity = { count: number; sinceMs: number; lastMs: number; addresses: [string, string] };

export const takeoverWindowMs = 10 * 60_000;
const quickMs = 60_000;
const minReturns = 5;
const minQuickTakeovers = 10;

/**
 * Detects two devices with one identity from the takeovers of the last ten minutes, in order. A single device that lost its network
 * takes over its own old connection now and then. Two devices take over from each other all the time. They are detected if an address
 * returns five times in ten minutes, or if there are ten takeovers within a minute.
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
