// Open live sockets per account in all processes, for the console's online dot (AC-16).

export type PresenceTracker = ReturnType<typeof createPresenceTracker>;
export type AccountSockets = [accountId: string, sockets: number];

type Heard = { sockets: number; atMs: number };

export function createPresenceTracker() {
  const own = new Map<string, number>();
  /** By process and account. */
  const others = new Map<string, Map<string, Heard>>();
  /** Accounts whose last socket here closed while others seemed to be open in another process. */
  const left = new Set<string>();
  let onChange: (sockets: AccountSockets) => void = () => undefined;

  function of(accountId: string): number {
    const elsewhere = others.values().reduce((sum, accounts) => sum + (accounts.get(accountId)?.sockets ?? 0), 0);
    return (own.get(accountId) ?? 0) + elsewhere;
  }
  /** Returns the number of sockets in all processes. */
  function add(accountId: string, step: number): number {
    const next = Math.max(0, (own.get(accountId) ?? 0) + step);
    if (next === 0) own.delete(accountId);
    else own.set(accountId, next);
    onChange([accountId, next]);
    const all = of(accountId);
    if (next === 0 && all > 0) left.add(accountId);
    else left.delete(accountId);
    return all;
  }
  return {
    opened: (accountId: string) => add(accountId, 1),
    closed: (accountId: string) => add(accountId, -1),
    of,
    ofThisProcess: (): AccountSockets[] => [...own],
    onChange: (listener: typeof onChange) => void (onChange = listener),
    /**
     * What another process reported at this time; 0 ends an entry. Returns accounts whose last sockets here and there closed at the same
     * time, so that neither process has noticed that none is left.
     */
    hear(process: string, reported: readonly AccountSockets[], atMs: number): string[] {
      const accounts = others.getOrInsertComputed(process, () => new Map());
      for (const [accountId, sockets] of reported)
        if (sockets === 0) accounts.delete(accountId);
        else accounts.set(accountId, { sockets, atMs });
      return reported.flatMap(([accountId]) => (of(accountId) === 0 && left.delete(accountId) ? [accountId] : []));
    },
    /** Forgets what was reported before that time. Returns accounts without a socket now. */
    expire(beforeMs: number): string[] {
      const expired = new Set<string>();
      for (const [process, accounts] of others) {
        for (const [accountId, { atMs }] of accounts)
          if (atMs < beforeMs && accounts.delete(accountId)) expired.add(accountId);
        if (accounts.size === 0) others.delete(process);
      }
      return [...expired].filter((accountId) => of(accountId) === 0);
    },
  };
}
