// Form drafts over live objects. Untouched fields follow updates, changed fields keep the input.
// With a key, drafts survive a reload.
import { useCallback, useEffect, useMemo, useState } from "react";
import { type DraftKey, dropDraft, keepDraft, readDraft } from "../api/session/drafts.ts";
import { useUser } from "../api/session/session.tsx";

type SetField<T> = <K extends keyof T & string>(name: K, value: T[K]) => void;

/** Storage key of the account's draft of this object; `id` is "new" for a new one. */
export function useDraftKey(type: string, id: string): DraftKey {
  const account = useUser()._id;
  return useMemo(() => ({ account, type, id }), [account, type, id]);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const kindOf = (value: unknown) => (value === null ? "object" : Array.isArray(value) ? "list" : typeof value);

/** Ignores stored fields that the form no longer has, or whose type has changed. */
function pickKnownFields<T extends object>(kept: unknown, form: T): Partial<T> {
  const found = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
  const known = form as Record<string, unknown>;
  return Object.fromEntries(
    found.filter(([name, value]) => name in known && kindOf(value) === kindOf(known[name])),
  ) as Partial<T>;
}

/** Fields for a new object. The owner is not considered input, because it may be preselected. */
export function useNewObjectFields<T extends object>(empty: T, key?: DraftKey) {
  const [first] = useState(empty);
  const [values, setValues] = useState<T>(() => ({ ...first, ...(key && pickKnownFields(readDraft(key), first)) }));
  const names = Object.keys(first) as (keyof T & string)[];
  const isTyped = names.some((name) => name !== "owner" && !same(values[name], first[name]));
  const [wasKept, setWasKept] = useState(isTyped);
  const set = useCallback<SetField<T>>((name, value) => setValues((before) => ({ ...before, [name]: value })), []);
  useStoredDraft(key, isTyped, values);
  const discard = () => {
    if (key !== undefined) dropDraft(key);
    setWasKept(false);
    setValues(first);
  };
  return { values, set, isTyped, restored: wasKept && isTyped, discard };
}

function useStoredDraft(key: DraftKey | undefined, holds: boolean, draft: unknown): void {
  useEffect(() => {
    if (key === undefined) return;
    if (holds) keepDraft(key, draft);
    else dropDraft(key);
  }, [key, holds, draft]);
}

type Edits<T> = {
  values: Partial<T>;
  /** Value of each changed field when it was first touched. */
  seen: Partial<T>;
  base: number;
};

function readStoredEdits<T extends object>(key: DraftKey, current: T): Edits<T> | null {
  const kept = readDraft(key) as Partial<Edits<T>> | null;
  if (typeof kept?.base !== "number") return null;
  return { values: pickKnownFields(kept.values, current), seen: pickKnownFields(kept.seen, current), base: kept.base };
}

/** `given` are the object's values (stable between changes), `givenVersion` is its version. */
export function useDraft<T extends Record<string, unknown>>(given: T, givenVersion: number, key?: DraftKey) {
  const [stored, setStored] = useState<{ values: T; version: number } | null>(null);
  // After a save, shows the saved values until the query is updated.
  const isAhead = stored !== null && stored.version > givenVersion;
  const current = isAhead ? stored.values : given;
  const version = isAhead ? stored.version : givenVersion;
  const [edits, setEdits] = useState<Edits<T> | null>(() => (key === undefined ? null : readStoredEdits(key, current)));
  const [wasKept, setWasKept] = useState(edits !== null);
  useStoredDraft(key, changedOf(edits, current).length > 0, edits);
  const set = useCallback(
    <K extends keyof T & string>(name: K, value: T[K]) =>
      setEdits((before) => {
        const { [name]: _mine, ...values } = before?.values ?? {};
        const { [name]: seen, ...others } = before?.seen ?? {};
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
  const discard = useCallback(() => {
    // Immediately, because the form may unmount before the next render.
    if (key !== undefined) dropDraft(key);
    setWasKept(false);
    setEdits(null);
  }, [key]);
  /** Call after a save. `sent` are the fields sent, `values` the saved result. Later input is a change relative to `values`. */
  const saved = useCallback(
    (sent: Partial<T>, values: T, storedVersion: number) => {
      setWasKept(false);
      setStored({ values, version: storedVersion });
      setEdits((before) => {
        // If the user reset a field while the save was running, the reset is a change to the saved object.
        const back = (Object.keys(sent) as (keyof T & string)[]).filter(
          (name) => before?.values[name] === undefined && !same(sent[name], current[name]),
        );
        const typed = { ...before?.values, ...Object.fromEntries(back.map((name) => [name, current[name]])) };
        const names = Object.keys(typed) as (keyof T & string)[];
        const left = names.filter((name) => !(name in sent) || !same(typed[name], sent[name]));
        if (left.length === 0) return null;
        const pick = (from: object) => Object.fromEntries(left.map((name) => [name, (from as T)[name]])) as Partial<T>;
        return { values: pick(typed), seen: pick(values), base: storedVersion };
      });
    },
    [current],
  );
  return useMemo(() => {
    const values = { ...current, ...edits?.values };
    const changed = changedOf(edits, current);
    /** Changed fields with a newer saved value from someone else. */
    const fresh = changed.filter((name) => !same(edits?.seen[name], current[name]));
    /** The version when the first change was made, for optimistic locking. */
    const baseVersion = changed.length === 0 ? version : (edits?.base ?? version);
    /** Replaces the input of a field with the newer saved value. */
    const accept = (name: keyof T & string) =>
      setEdits((before) => {
        if (before === null) return null;
        const { [name]: _mine, ...values } = before.values;
        const { [name]: _seen, ...seen } = before.seen;
        // After accepting all updates, the user may save.
        const base = fresh.every((one) => one === name) ? version : before.base;
        return { values, seen, base } as Edits<T>;
      });
    const outdated = baseVersion !== version;
    const restored = wasKept && changed.length > 0;
    const isKept = key !== undefined;
    return { current, isKept, values, changed, baseVersion, outdated, fresh, restored, accept, set, saved, discard };
  }, [current, edits, version, key, wasKept, set, saved, discard]);
}

export type Draft<T extends Record<string, unknown>> = ReturnType<typeof useDraft<T>>;

function changedOf<T extends Record<string, unknown>>(edits: Edits<T> | null, current: T): (keyof T & string)[] {
  const mine = edits?.values ?? {};
  return (Object.keys(mine) as (keyof T & string)[]).filter((name) => !same(edits?.values[name], current[name]));
}
