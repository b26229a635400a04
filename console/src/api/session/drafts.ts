// Unsaved form input in session storage. It is bound to the account, survives reloads, and is deleted on logout. Forms decide
// what is stored; they must not store secrets.

const prefix = "psp-draft:";
/** Time of the last logout in this browser, for tabs that were suspended during the logout. */
const logoutKey = "psp-logged-out-at";

/** `account` is empty for forms without login. */
export type DraftKey = { account: string; type: string; id: string };

type Kept = { at: number; draft: unknown };

const nameOf = ({ account, type, id }: DraftKey) => `${prefix}${account}:${type}:${id}`;

export function readDraft(key: DraftKey): unknown {
  return valid(sessionStorage.getItem(nameOf(key)))?.draft ?? null;
}

export function keepDraft(key: DraftKey, draft: unknown): void {
  try {
    sessionStorage.setItem(nameOf(key), JSON.stringify({ at: Date.now(), draft } satisfies Kept));
  } catch {
    // Storage may be full or blocked.
  }
}

export function dropDraft(key: DraftKey): void {
  sessionStorage.removeItem(nameOf(key));
}

/** Call on logout. The stored time makes the drafts of other tabs invalid, too. */
export function dropAllDrafts(): void {
  localStorage.setItem(logoutKey, String(Date.now()));
  dropWhere(() => true);
}

/** Call on start. Deletes the drafts that a logout in another tab has made invalid. */
export function dropInvalidDrafts(): void {
  dropWhere((name) => valid(sessionStorage.getItem(name)) === null);
}

export function dropDraftsOfOthers(account: string): void {
  dropWhere((name) => !name.startsWith(`${prefix}${account}:`));
}

function dropWhere(isDropped: (name: string) => boolean): void {
  const names = Object.keys(sessionStorage).filter((name) => name.startsWith(prefix));
  for (const name of names) if (isDropped(name)) sessionStorage.removeItem(name);
}

function valid(text: string | null): Kept | null {
  if (text === null) return null;
  try {
    const kept = JSON.parse(text) as Partial<Kept> | null;
    if (typeof kept?.at !== "number" || kept.at <= Number(localStorage.getItem(logoutKey) ?? 0)) return null;
    return { at: kept.at, draft: kept.draft ?? null };
  } catch {
    return null;
  }
}
