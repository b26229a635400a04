// Draft of a section: the values from the device, with the user's edits. Edits survive a reload, except for passwords.
import { withoutSecrets } from "@psp/contract/section/saving.ts";
import type { Section, Values } from "@psp/contract/section/field.ts";
import { isPlainObject, withoutValueAt, withValueAt } from "@psp/contract/section/values.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useCallback, useEffect, useState } from "react";
import { useDraftKey } from "../entity/draft.ts";
import { dropDraft, keepDraft, readDraft } from "../api/session/drafts.ts";
import { isSameValue, mergeChanges } from "./section.values.ts";

/** Values that were read, with their revision for optimistic locking. */
export type DraftBase = { rev: number; values: Values };
type Edits = { values: Values; base: DraftBase };

const isDraftBase = (kept: unknown): kept is DraftBase =>
  isPlainObject(kept) && typeof kept["rev"] === "number" && isPlainObject(kept["values"]);

function isEdits(kept: unknown): kept is Edits {
  return isPlainObject(kept) && isPlainObject(kept["values"]) && isDraftBase(kept["base"]);
}

const editsOver = (base: DraftBase, values: Values): Edits | null =>
  isSameValue(values, base.values) ? null : { values, base };

export type ValuesUpdater = (values: Values) => Values;

export function useSectionDraft(sensorId: string, section: Section, answer: ServedSection) {
  const key = useDraftKey(`section ${section.key}`, sensorId);
  const [edits, setEdits] = useState<Edits | null>(() => {
    const kept = readDraft(key);
    return isEdits(kept) ? kept : null;
  });
  const [restored, setRestored] = useState(edits !== null);
  const keptValues = edits === null ? null : withoutSecrets(section, edits.values);
  /** Whether anything would be restored after a reload. */
  const keeps = edits !== null && !isSameValue(keptValues, edits.base.values);
  const kept = keeps
    ? JSON.stringify({ values: keptValues, base: edits.base } satisfies Record<keyof Edits, unknown>)
    : "";
  useEffect(() => {
    if (kept === "") dropDraft(key);
    else keepDraft(key, JSON.parse(kept));
  }, [key, kept]);

  const edit = useCallback(
    (change: ValuesUpdater) =>
      setEdits((before) => {
        const base = before?.base ?? { rev: answer.rev, values: answer.values };
        return editsOver(base, change(before?.values ?? base.values));
      }),
    [answer],
  );
  const set = useCallback(
    (path: string, value: unknown) =>
      edit((values) => (value === undefined ? withoutValueAt(values, path) : withValueAt(values, path, value))),
    [edit],
  );
  const discard = () => {
    // Drops the stored draft immediately, because the form may unmount before the next render.
    dropDraft(key);
    setRestored(false);
    setEdits(null);
  };
  /** Call after `sent` was saved. Input since then becomes a change relative to `stored`. */
  const saved = (sent: Values, stored: DraftBase) => {
    setRestored(false);
    setEdits((before) => (before === null || before.values === sent ? null : editsOver(stored, before.values)));
  };
  /** Rebases the edits on newer values. Returns the values to send; input typed meanwhile stays in the draft. */
  const rebase = (now: DraftBase): Values => {
    const over = (edits: Edits) => mergeChanges(section, edits.values, edits.base.values, now.values);
    const mine = edits === null ? now.values : over(edits);
    setEdits((before) => before && editsOver(now, before === edits ? mine : over(before)));
    return mine;
  };
  return {
    values: edits?.values ?? answer.values,
    base: edits?.base ?? { rev: answer.rev, values: answer.values },
    isDirty: edits !== null,
    keeps,
    hasSecrets: edits !== null && !isSameValue(keptValues, edits.values),
    restored: restored && edits !== null,
    edit,
    set,
    discard,
    saved,
    rebase,
  };
}

export type SectionDraft = ReturnType<typeof useSectionDraft>;
