// A section while it is edited: the sensor's values until the first change, from then on the entries over what was read before it;
// kept over a reload without its passwords.
import { withoutSecrets } from "@psp/contract/section/saving.ts";
import type { Section, Values } from "@psp/contract/section/field.ts";
import { isTree, withoutValueAt, withValueAt } from "@psp/contract/section/values.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useCallback, useEffect, useState } from "react";
import { useDraftKey } from "../entity/draft.ts";
import { dropDraft, keepDraft, readDraft } from "../session/drafts.ts";
import { isSame, rebased } from "./section.values.ts";

/** What was read, and what the device will compare with what it has. */
export type Base = { rev: number; values: Values };
type Edits = { values: Values; base: Base };

const isBase = (kept: unknown): kept is Base =>
  isTree(kept) && typeof kept["rev"] === "number" && isTree(kept["values"]);

function isEdits(kept: unknown): kept is Edits {
  return isTree(kept) && isTree(kept["values"]) && isBase(kept["base"]);
}

/** Entries that say what is there already are none. */
const editsOver = (base: Base, values: Values): Edits | null => (isSame(values, base.values) ? null : { values, base });

/** A change of the whole, given what is there now. */
export type Change = (values: Values) => Values;

export function useSectionDraft(sensorId: string, section: Section, answer: ServedSection) {
  const key = useDraftKey(`section ${section.key}`, sensorId);
  const [edits, setEdits] = useState<Edits | null>(() => {
    const kept = readDraft(key);
    return isEdits(kept) ? kept : null;
  });
  const [restored, setRestored] = useState(edits !== null);
  const keptValues = edits === null ? null : withoutSecrets(section, edits.values);
  /** Something of the entries is found again after a reload. */
  const keeps = edits !== null && !isSame(keptValues, edits.base.values);
  const kept = keeps
    ? JSON.stringify({ values: keptValues, base: edits.base } satisfies Record<keyof Edits, unknown>)
    : "";
  useEffect(() => {
    if (kept === "") dropDraft(key);
    else keepDraft(key, JSON.parse(kept));
  }, [key, kept]);

  const edit = useCallback(
    (change: Change) =>
      setEdits((before) => {
        const base = before?.base ?? { rev: answer.rev, values: answer.values };
        return editsOver(base, change(before?.values ?? base.values));
      }),
    [answer],
  );
  /** Sets what stands at a path; undefined takes it away. */
  const set = useCallback(
    (path: string, value: unknown) =>
      edit((values) => (value === undefined ? withoutValueAt(values, path) : withValueAt(values, path, value))),
    [edit],
  );
  const discard = () => {
    // At once: the form may be gone before it is drawn again.
    dropDraft(key);
    setRestored(false);
    setEdits(null);
  };
  /** `sent` was saved; what was typed meanwhile is a change of what is stored now. */
  const saved = (sent: Values, stored: Base) => {
    setRestored(false);
    setEdits((before) => (before === null || before.values === sent ? null : editsOver(stored, before.values)));
  };
  /** Makes the same changes to what is there now. Answers what is to be sent: what was typed while that was read only stays here. */
  const rebase = (now: Base): Values => {
    const over = (edits: Edits) => rebased(section, edits.values, edits.base.values, now.values);
    const mine = edits === null ? now.values : over(edits);
    setEdits((before) => before && editsOver(now, before === edits ? mine : over(before)));
    return mine;
  };
  return {
    values: edits?.values ?? answer.values,
    base: edits?.base ?? { rev: answer.rev, values: answer.values },
    isDirty: edits !== null,
    keeps,
    /** Passwords are among the entries. */
    hasSecrets: edits !== null && !isSame(keptValues, edits.values),
    restored: restored && edits !== null,
    edit,
    set,
    discard,
    saved,
    rebase,
  };
}

export type SectionDraft = ReturnType<typeof useSectionDraft>;
