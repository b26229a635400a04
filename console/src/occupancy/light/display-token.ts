// The token of a display in its browser: kept for one location, and only as long as the link that it came from is the same.

type Kept = { token: string; /** The end of the link's key, which differs in every link. */ of: string };

const keyOf = (id: string) => `psp-display-${id}`;
const endOf = (k: string) => k.slice(-24);

/** The token for this location; null when there is none, or when the page was opened by another link. `k` may be missing. */
export function readToken(id: string, k: string | null): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(id)) ?? "null") as Partial<Kept> | null;
    if (typeof kept?.token !== "string") return null;
    return k === null || kept.of === endOf(k) ? kept.token : null;
  } catch {
    return null;
  }
}

/** Where the browser keeps nothing, the link is exchanged again the next time. */
export function keepToken(id: string, k: string, token: string): void {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify({ token, of: endOf(k) } satisfies Kept));
  } catch {
    // Full, or forbidden.
  }
}

export function forgetToken(id: string): void {
  try {
    localStorage.removeItem(keyOf(id));
  } catch {
    // As above.
  }
}
