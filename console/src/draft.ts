// A form over an object that goes on living: untouched fields follow the news, changed ones keep what the person typed.
import { useCallback, useMemo, useState } from "react";

export type Draft<T> = {
  /** What the fields show. */
  values: T;
  /** Names of the fields that differ from the object. */
  changed: (keyof T & string)[];
  /** The object's version when the first change was made: saving says so, and somebody else's change is noticed. */
  baseVersion: number;
  /** Somebody else saved since the first change. */
  outdated: boolean;
  set: <K extends keyof T & string>(name: K, value: T[K]) => void;
  discard: () => void;
};

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** `current` are the object's own values (keep it stable between changes), `version` the object's. */
export function useDraft<T extends Record<string, unknown>>(current: T, version: number): Draft<T> {
  const [draft, setDraft] = useState<{ values: Partial<T>; base: number } | null>(null);
  const set = useCallback(
    <K extends keyof T & string>(name: K, value: T[K]) =>
      setDraft((before) => ({
        values: { ...before?.values, [name]: value } as Partial<T>,
        base: before?.base ?? version,
      })),
    [version],
  );
  const discard = useCallback(() => setDraft(null), []);
  return useMemo(() => {
    const values = { ...current, ...draft?.values };
    const changed = (Object.keys(draft?.values ?? {}) as (keyof T & string)[]).filter(
      (name) => !same(values[name], current[name]),
    );
    const baseVersion = changed.length === 0 ? version : (draft?.base ?? version);
    return { values, changed, baseVersion, outdated: baseVersion !== version, set, discard };
  }, [current, draft, version, set, discard]);
}
