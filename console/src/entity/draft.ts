// A form over an object that goes on living: untouched fields follow the news, changed ones keep what the person typed.
import { useCallback, useMemo, useState } from "react";

type SetField<T> = <K extends keyof T & string>(name: K, value: T[K]) => void;

/** The fields of a form over something that doesn't exist yet. */
export function useFields<T extends object>(empty: T): { values: T; set: SetField<T> } {
  const [values, setValues] = useState(empty);
  const set = useCallback<SetField<T>>((name, value) => setValues((before) => ({ ...before, [name]: value })), []);
  return { values, set };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

type Edits<T> = {
  values: Partial<T>;
  /** What each changed field showed when it was first touched. */
  seen: Partial<T>;
  base: number;
};

/** `current` are the object's own values (keep it stable between changes), `version` the object's. */
export function useDraft<T extends Record<string, unknown>>(current: T, version: number) {
  const [edits, setEdits] = useState<Edits<T> | null>(null);
  const set = useCallback(
    <K extends keyof T & string>(name: K, value: T[K]) =>
      setEdits((before) => {
        const { [name]: _mine, ...values } = before?.values ?? {};
        const { [name]: seen, ...others } = before?.seen ?? {};
        // Typed back to what it is: untouched again.
        if (same(value, current[name])) return { values, seen: others, base: before?.base ?? version };
        const first = changedOf(before, current).length === 0;
        return {
          values: { ...values, [name]: value },
          seen: { ...others, [name]: seen === undefined ? current[name] : seen },
          base: first ? version : (before?.base ?? version),
        };
      }),
    [current, version],
  );
  const discard = useCallback(() => setEdits(null), []);
  /** `sent` was saved and this is stored now; what was typed meanwhile is a change of it. */
  const saved = useCallback(
    (sent: Partial<T>, stored: T, storedVersion: number) =>
      setEdits((before) => {
        const names = Object.keys(before?.values ?? {}) as (keyof T & string)[];
        const left = names.filter((name) => !(name in sent) || !same(before?.values[name], sent[name]));
        if (before === null || left.length === 0) return null;
        const pick = (from: Partial<T>) => Object.fromEntries(left.map((name) => [name, from[name]])) as Partial<T>;
        return { values: pick(before.values), seen: pick(stored), base: storedVersion };
      }),
    [],
  );
  return useMemo(() => {
    /** What the fields show. */
    const values = { ...current, ...edits?.values };
    /** Names of the fields that differ from the object. */
    const changed = changedOf(edits, current);
    /** Changed fields for which somebody else saved a new value meanwhile. */
    const fresh = changed.filter((name) => !same(edits?.seen[name], current[name]));
    /** The object's version when the first change was made: saving says so, and somebody else's change is noticed. */
    const baseVersion = changed.length === 0 ? version : (edits?.base ?? version);
    /** Takes the other one's value of a field instead of one's own. */
    const accept = (name: keyof T & string) =>
      setEdits((before) => {
        if (before === null) return null;
        const { [name]: _mine, ...values } = before.values;
        const { [name]: _seen, ...seen } = before.seen;
        // A person who has seen all the news may save over them.
        const base = fresh.every((one) => one === name) ? version : before.base;
        return { values, seen, base } as Edits<T>;
      });
    // `outdated`: somebody else saved since the first change.
    return { values, changed, baseVersion, outdated: baseVersion !== version, fresh, accept, set, saved, discard };
  }, [current, edits, version, set, saved, discard]);
}

export type Draft<T extends Record<string, unknown>> = ReturnType<typeof useDraft<T>>;

function changedOf<T extends Record<string, unknown>>(edits: Edits<T> | null, current: T): (keyof T & string)[] {
  const mine = edits?.values ?? {};
  return (Object.keys(mine) as (keyof T & string)[]).filter((name) => !same(edits?.values[name], current[name]));
}
