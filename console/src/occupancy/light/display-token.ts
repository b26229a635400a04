// Stored display token, valid for one location and one link.

type Kept = { token: string; /** The end of the link's key, which differs in every link. */ of: string };

const keyOf = (id: string) => `psp-display-${id}`;
const endOf = (k: string) => k.slice(-24);

/** Null if there is none or the page was opened with another link. `k` may be missing. */
export function readToken(id: string, k: string | null): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(id)) ?? "null") as Partial<Kept> | null;
    if (typeof kept?.token !== "string") return null;
    return k === null || kept.of === endOf(k) ? kept.token : null;
  } catch {
    return null;
  }
}

/** Without storage, the link is exchanged again next time. */
export function keepToken(id: string, k: string, token: string): void {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify({ token, of: endOf(k) } satisfies Kept));
  } catch {
    // Storage may be full or blocked.
  }
}

export function forgetToken(id: string): void {
  try {
    localStorage.removeItem(keyOf(id));
  } catch {
    // Storage may be blocked; then nothing was stored.
  }
}
