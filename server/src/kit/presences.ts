// Open live sockets per account, for the console's online dot (AC-16).

export type PresenceTracker = ReturnType<typeof createPresenceTracker>;

export function createPresenceTracker() {
  const open = new Map<string, number>();
  const add = (accountId: string, step: number) => {
    const next = Math.max(0, (open.get(accountId) ?? 0) + step);
    if (next === 0) open.delete(accountId);
    else open.set(accountId, next);
    return next;
  };
  return {
    opened: (accountId: string) => add(accountId, 1),
    closed: (accountId: string) => add(accountId, -1),
    of: (accountId: string) => open.get(accountId) ?? 0,
  };
}
