// Saving a section: judged here, asked about, sent whole; and what is said where the server or the sensor refuses it. The entries
// stay in every case.
import { faultsOfValues } from "@psp/contract/section/check/check.ts";
import type { Section, Values } from "@psp/contract/section/field.ts";
import type { SetResult } from "@psp/contract/section/rpc.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@mui/material";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { ConfirmDialog, useOneAtATime } from "../../ui/form/ConfirmDialog.tsx";
import { sensorText } from "../sensor.text.ts";
import { faultsIn, isChangedMeanwhile, refusalText, sectionKey, setSection } from "./section.queries.ts";
import { sectionText as text } from "./section.text.ts";
import { type PlacedFault, placed, sentValues, storedAfter } from "./section.values.ts";
import { useQuestions } from "./useQuestions.tsx";
import type { SectionDraft } from "./useSectionDraft.ts";

type SavingProps = {
  sensorId: string;
  section: Section;
  answer: ServedSection;
  draft: SectionDraft;
  /** Values of other sections, by key. */
  others: Values;
  /** Reads the section once more, whatever is known. */
  reload: () => Promise<{ data: ServedSection | undefined; error: Error | null }>;
  /** Drops the entries. */
  drop: () => void;
  onSaved: (result: SetResult) => void;
};

export function useSectionSaving(props: SavingProps) {
  const { sensorId, section, answer, draft, others } = props;
  const { values, base } = draft;
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailure();
  const { run } = useOneAtATime();
  const [isSending, setSending] = useState(false);
  const { mayGo, dialog } = useQuestions(section);
  const [attempt, setAttempt] = useState(0);
  const [counts, setCounts] = useState({ saved: 0, failed: 0 });
  const [refused, setRefused] = useState<readonly PlacedFault[]>([]);
  const [isConflict, setConflict] = useState(false);
  const wrong = placed(section, values, faultsOfValues(section, values, { stored: base.values, others }));

  const refuse = (error: unknown) => {
    setCounts((before) => ({ ...before, failed: before.failed + 1 }));
    if (isChangedMeanwhile(error)) return setConflict(true);
    const faults = faultsIn(error);
    if (faults.length > 0) {
      setRefused(placed(section, values, faults));
      setAttempt((before) => before + 1);
      return;
    }
    const sentence = refusalText(error);
    if (sentence === undefined) fail(sensorText.updateFailed)(error);
    else toasts.error({ title: sensorText.updateFailed, text: sentence, key: sensorText.updateFailed });
  };

  const send = async (rev: number) => {
    const sent = sentValues(section, values, base.values);
    setRefused([]);
    setSending(true);
    toasts.close(sensorText.updateFailed);
    try {
      const result = await setSection(sensorId, section.key, sent, rev);
      const stored = { rev: result.rev, values: storedAfter(section, sent, base.values) };
      client.setQueryData(sectionKey(sensorId, section.key), (known: ServedSection | undefined) => ({
        ...(known ?? answer),
        ...stored,
        lastChange: null,
        restartNeeded: known?.restartNeeded === true || result.applied === "restart",
        at: new Date().toISOString(),
      }));
      draft.saved(values, stored);
      setAttempt(0);
      setCounts((before) => ({ ...before, saved: before.saved + 1 }));
      props.onSaved(result);
      void props.reload();
    } catch (error) {
      refuse(error);
    } finally {
      setSending(false);
    }
  };

  const save = () =>
    run(async () => {
      setAttempt((before) => before + 1);
      if (wrong.length > 0) return;
      if (await mayGo(base.values, values)) await send(base.rev);
    });

  /** Over whatever is there now. */
  const overwrite = () =>
    run(async () => {
      setConflict(false);
      const { data: now, error } = await props.reload();
      if (error === null) await send(now?.rev ?? base.rev);
      else refuse(error);
    });

  const loadNew = () => {
    setConflict(false);
    props.drop();
    void props.reload();
  };

  return {
    save,
    loadNew,
    isSending,
    attempt,
    counts,
    /** What is wrong, found here or refused. */
    faults: [...wrong, ...refused],
    /** What was refused is said until something is changed there. */
    touch: (place: string) =>
      setRefused((before) => {
        const left = before.filter((fault) => fault.place === null || !isAround(fault.place, place));
        return left.length === before.length ? before : left;
      }),
    forget: () => {
      setAttempt(0);
      setRefused([]);
    },
    dialogs: (
      <>
        {dialog}
        <ConfirmDialog
          open={isConflict}
          title={text.changed}
          confirmLabel={text.overwrite}
          cancelLabel={text.cancel}
          onConfirm={() => void overwrite()}
          onClose={() => setConflict(false)}
          moreActions={
            <Button color="inherit" variant="outlined" onClick={loadNew}>
              {text.loadNew}
            </Button>
          }
        >
          {text.changedText}
        </ConfirmDialog>
      </>
    ),
  };
}

/** The one place is the other, or a part of it. */
const isAround = (one: string, other: string) =>
  one === other || other.startsWith(`${one}.`) || one.startsWith(`${other}.`);
