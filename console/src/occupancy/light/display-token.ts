// Stores a display token, which is valid for one location and one link.

type Kept = { token: string; /** The end of the link's key, which differs in every link. */ of: string };

const keyOf = (id: string) => `psp-display-${id}`;
const endOf = (k: string) => k.slice(-24);

/** Null if no token is stored, or if it belongs to another link. Without `k`, returns any stored token. */
export function readToken(id: string, k: string | null): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(id)) ?? "null") as Partial<Kept> | null;
    if (typeof kept?.token !== "string") return null;
    return k === null || kept.of === endOf(k) ? kept.token : null;
  } catch {
    return null;
  }
}

/** If storage isn't available, the next visit exchanges the link's key again. */
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
