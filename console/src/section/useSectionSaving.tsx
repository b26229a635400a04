// Validates, confirms and saves a section. Refusals by server or sensor never lose input.
import { validateValues } from "@psp/contract/section/check/check.ts";
import type { Section, Values } from "@psp/contract/section/field.ts";
import type { SetResult } from "@psp/contract/section/rpc.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@mui/material";
import { useState } from "react";
import { useFailureToast } from "../api/useFailure.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { ConfirmDialog, useBusyAction } from "../ui/form/ConfirmDialog.tsx";
import { sensorText } from "../sensor/sensor.text.ts";
import { fieldErrorsIn, isRevisionConflict, refusalText, sectionKey, setSection } from "./section.queries.ts";
import { sectionText as text } from "./section.text.ts";
import {
  isSameValue,
  type FieldPathError,
  toFieldPathErrors,
  toRequestValues,
  toStoredValues,
} from "./section.values.ts";
import { useConfirmations } from "./useConfirmations.tsx";
import type { DraftBase, SectionDraft } from "./useSectionDraft.ts";

type SavingProps = {
  sensorId: string;
  section: Section;
  answer: ServedSection;
  draft: SectionDraft;
  others: Values;
  reload: () => Promise<{ data: ServedSection | undefined; error: Error | null }>;
  drop: () => void;
  onSaved: (result: SetResult) => void;
};

export function useSectionSaving(props: SavingProps) {
  const { sensorId, section, answer, draft, others } = props;
  const { values, base } = draft;
  const client = useQueryClient();
  const toasts = useToasts();
  const say = useRefusalToast();
  const { run } = useBusyAction();
  const [isSending, setSending] = useState(false);
  const { mayGo, dialog } = useConfirmations(section);
  const faults = useFaults(section, draft, others);
  const [counts, setCounts] = useState({ saved: 0, failed: 0 });
  const [isConflict, setConflict] = useState(false);

  const refuse = (error: unknown, given: Values) => {
    setCounts((before) => ({ ...before, failed: before.failed + 1 }));
    if (isRevisionConflict(error)) return setConflict(true);
    const found = fieldErrorsIn(error);
    if (found.length > 0) return faults.refuse(given, found);
    say(sensorText.updateFailed, error);
  };

  const send = async (given: Values, over: DraftBase) => {
    const sent = toRequestValues(section, given, over.values);
    faults.clearRefused();
    setSending(true);
    toasts.close(sensorText.updateFailed);
    try {
      const result = await setSection(sensorId, section.key, sent, over.rev);
      const stored = { rev: result.rev, values: toStoredValues(section, sent, over.values) };
      client.setQueryData(sectionKey(sensorId, section.key), (known: ServedSection | undefined) => ({
        ...(known ?? answer),
        ...stored,
        ...changedBy(result, known),
      }));
      draft.saved(given, stored);
      faults.forget();
      setCounts((before) => ({ ...before, saved: before.saved + 1 }));
      props.onSaved(result);
      void props.reload();
    } catch (error) {
      refuse(error, given);
    } finally {
      setSending(false);
    }
  };

  const submit = async (given: Values, over: DraftBase) => {
    const isRight = faults.isRight(given, over.values);
    // Nothing is sent without changes, because a new revision would conflict with the edits of other users.
    if (isRight && isSameValue(given, over.values)) return faults.forget();
    faults.noteAttempt();
    if (isRight && (await mayGo(over.values, given))) await send(given, over);
  };

  const save = () => run(() => submit(values, base));

  /** Applies the edits to the values that the sensor has now, and saves the result. */
  const overwrite = () =>
    run(async () => {
      setConflict(false);
      const { data: now, error } = await props.reload();
      if (error !== null) return refuse(error, values);
      const over = now === undefined ? base : { rev: now.rev, values: now.values };
      await submit(draft.rebase(over), over);
    });

  /** Discards the input only if newer values could be read. */
  const loadNew = () =>
    run(async () => {
      setConflict(false);
      const { data: now, error } = await props.reload();
      if (error !== null) say(text.loadFailed, error);
      else if (now?.source === "device") props.drop();
    });

  return {
    save,
    loadNew,
    isSending,
    counts,
    attempt: faults.attempt,
    faults: faults.all,
    touch: faults.touch,
    forget: faults.forget,
    dialogs: (
      <>
        {dialog}
        <ChangedMeanwhile
          open={isConflict}
          onOverwrite={() => void overwrite()}
          onLoadNew={() => void loadNew()}
          onClose={() => setConflict(false)}
        />
      </>
    ),
  };
}

const changedBy = (result: SetResult, known: ServedSection | undefined) => ({
  lastChange: null,
  restartNeeded: known?.restartNeeded === true || result.applied === "restart",
  at: new Date().toISOString(),
});

function useRefusalToast() {
  const toasts = useToasts();
  const fail = useFailureToast();
  return (title: string, error: unknown) => {
    const sentence = refusalText(error);
    if (sentence === undefined) fail(title)(error);
    else toasts.error({ title, text: sentence, key: title });
  };
}

/** Errors from validation and from refusals. `attempt` makes screen readers announce them again. */
function useFaults(section: Section, { values, base }: SectionDraft, others: Values) {
  const [attempt, setAttempt] = useState(0);
  const [refused, setRefused] = useState<readonly FieldPathError[]>([]);
  const judge = (all: Values, stored: Values) =>
    toFieldPathErrors(section, all, validateValues(section, all, { stored, others }));
  const noteAttempt = () => setAttempt((before) => before + 1);
  return {
    attempt,
    noteAttempt,
    all: [...judge(values, base.values), ...refused],
    isRight: (all: Values, stored: Values) => judge(all, stored).length === 0,
    refuse(given: Values, found: Parameters<typeof toFieldPathErrors>[2]) {
      setRefused(toFieldPathErrors(section, given, found));
      noteAttempt();
    },
    clearRefused: () => setRefused([]),
    /** A refusal's error is shown until its field is changed. */
    touch: (fieldPath: string) =>
      setRefused((before) => {
        const left = before.filter((fault) => fault.fieldPath === null || !isAround(fault.fieldPath, fieldPath));
        return left.length === before.length ? before : left;
      }),
    forget() {
      setAttempt(0);
      setRefused([]);
    },
  };
}

type ChangedMeanwhileProps = { open: boolean; onOverwrite: () => void; onLoadNew: () => void; onClose: () => void };

const ChangedMeanwhile = ({ open, onOverwrite, onLoadNew, onClose }: ChangedMeanwhileProps) => (
  <ConfirmDialog
    open={open}
    title={text.changed}
    confirmLabel={text.overwrite}
    cancelLabel={text.cancel}
    onConfirm={onOverwrite}
    onClose={onClose}
    moreActions={
      <Button color="inherit" variant="outlined" onClick={onLoadNew}>
        {text.loadNew}
      </Button>
    }
  >
    {text.changedText}
  </ConfirmDialog>
);

const isAround = (one: string, other: string) =>
  one === other || other.startsWith(`${one}.`) || one.startsWith(`${other}.`);
