// What was typed and not saved, kept in this tab over a reload or a crash: bound to the account that typed it, gone with its logout.
// Forms decide what they keep; passwords and other secrets are never among it.

const prefix = "psp-draft:";
/** When somebody last logged out on this browser: tabs that slept through it find out by this. */
const logoutKey = "psp-logged-out-at";

/** `account` is empty for forms that need no sign-in. */
export type DraftKey = { account: string; type: string; id: string };

type Kept = { at: number; draft: unknown };

const nameOf = ({ account, type, id }: DraftKey) => `${prefix}${account}:${type}:${id}`;

/** What was kept under this key; null for nothing, or for what can't be read any more. */
export function readDraft(key: DraftKey): unknown {
  return valid(sessionStorage.getItem(nameOf(key)))?.draft ?? null;
}

export function keepDraft(key: DraftKey, draft: unknown): void {
  try {
    sessionStorage.setItem(nameOf(key), JSON.stringify({ at: Date.now(), draft } satisfies Kept));
  } catch {
    // The storage is full or shut: the form itself still holds the input.
  }
}

export function dropDraft(key: DraftKey): void {
  sessionStorage.removeItem(nameOf(key));
}

/** At a logout: all tabs of this browser. */
export function forgetDrafts(): void {
  localStorage.setItem(logoutKey, String(Date.now()));
  dropWhere(() => true);
}

/** At the start, for a tab that was not awake at the logout. */
export function dropForgottenDrafts(): void {
  dropWhere((name) => valid(sessionStorage.getItem(name)) === null);
}

/** At a login: what others typed is not for this account. */
export function dropOthersDrafts(account: string): void {
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
