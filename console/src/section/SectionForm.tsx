// Generic form of a settings section, built from its description (SE-06, SE-07).
import type { Section } from "@psp/contract/section/field.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Stack } from "@mui/material";
import { useState } from "react";
import { DiscardDialog, toDiscardDialogProps } from "../ui/form/ConfirmDialog.tsx";
import { useDirtyGuard } from "../ui/form/DirtyGuard.ts";
import { ErrorSummary } from "../ui/form/ErrorSummary.tsx";
import { FormColumns } from "../ui/form/FormColumns.tsx";
import { SaveBar } from "../ui/form/SaveBar.tsx";
import { type SectionFormState, SectionFormProvider } from "./fields/fieldContext.ts";
import { focusIfLost } from "./fields/focusAfter.ts";
import { useOtherSections } from "./section.queries.ts";
import { sectionText as text } from "./section.text.ts";
import { changedLabelsOf, elementId, firstFieldPath, type FieldPathError } from "./section.values.ts";
import { SectionSideCards, SectionCards } from "./SectionCards.tsx";
import type { SelectedItem } from "./SectionPicture.tsx";
import { ApplyingNotice, AwayNotice, LoadNotice, RestartNotice } from "./SectionNotices.tsx";
import type { usePendingChange } from "./useApplying.ts";
import { useBlurredFields } from "./useBlurredFields.ts";
import { type SectionDraft, useSectionDraft } from "./useSectionDraft.ts";
import { useSectionSaving } from "./useSectionSaving.tsx";

type SectionFormProps = {
  sensor: Sensor;
  section: Section;
  answer: ServedSection;
  ready: boolean;
  mayEdit: boolean;
  offline: string | undefined;
  change: ReturnType<typeof usePendingChange>;
  reload: () => Promise<{ data: ServedSection | undefined; error: Error | null }>;
};

export function SectionForm(props: SectionFormProps) {
  const { sensor, section, answer, ready, mayEdit, offline, change, reload } = props;
  const others = useOtherSections(sensor._id, section);
  const draft = useSectionDraft(sensor._id, section, answer);
  const { values, base, isDirty } = draft;
  const left = useBlurredFields();
  const [selected, select] = useState<SelectedItem | null>(null);
  const restarted = useRestarted(offline !== undefined);
  const returned = useReturned(offline !== undefined, isDirty);
  const readOnly = !ready || !mayEdit;
  const drop = () => {
    left.forget();
    saving.forget();
    returned.seen();
    draft.discard();
  };
  /** Keeps the focus in the form when a notice disappears with its button. */
  const withoutNotice = (change: () => void) => focusIfLost(change, elementId(firstFieldPath(section, values)));
  const saving = useSectionSaving({
    sensorId: sensor._id,
    section,
    answer,
    draft,
    others,
    reload,
    drop: () => withoutNotice(drop),
    onSaved({ rev, applied, confirmWithinS }) {
      left.forget();
      returned.seen();
      restarted.forget();
      if (applied === "confirm") change.begin(rev, confirmWithinS);
      else change.forget();
    },
  });
  const onRestarted = (closeDialog: () => void) =>
    withoutNotice(() => {
      closeDialog();
      restarted.begin();
    });
  const { faults, attempt } = saving;
  const form: SectionFormState = {
    section,
    values,
    stored: base.values,
    others,
    info: answer.info,
    readOnly,
    edit(fieldPath, to) {
      saving.touch(fieldPath);
      draft.edit(to);
    },
    errorAt: (fieldPath) =>
      attempt > 0 || left.wasLeft(fieldPath)
        ? faults.find((fault) => fault.fieldPath === fieldPath)?.message
        : undefined,
    leave: left.leave,
    select: (list, id) => select((before) => (before?.list === list && before.id === id ? before : { list, id })),
  };
  const parts = { sensor, form, selected, select };
  return (
    <SectionFormProvider value={form}>
      <FormColumns sticky aside={<SectionSideCards {...parts} />}>
        <Stack sx={{ minWidth: 0 }}>
          <Stack sx={{ gap: 4, maxWidth: 640 }}>
            {ready && !mayEdit ? <Alert severity="info">{text.readOnly}</Alert> : null}
            {offline === undefined ? null : <AwayNotice sensor={sensor} sentence={offline} />}
            <ApplyingNotice applying={change.applying} outcome={change.outcome} />
            {answer.restartNeeded === true && !restarted.is ? (
              <RestartNotice sensor={sensor} restart={readOnly ? undefined : { offReason: offline, onRestarted }} />
            ) : null}
            {returned.is ? (
              <LoadNotice sentence={text.back} onLoad={() => void saving.loadNew()} />
            ) : isDirty && answer.rev !== base.rev && answer.source === "device" ? (
              <LoadNotice sentence={text.changed} onLoad={() => void saving.loadNew()} />
            ) : null}
            {attempt > 0 ? <ErrorSummary least={1} attempt={attempt} errors={faults.map(summaryOf)} /> : null}
            <SectionCards {...parts} />
          </Stack>
          {readOnly ? null : (
            <SaveBar
              alwaysVisible
              changes={isDirty ? changedLabelsOf(section, base.values, values) : []}
              saving={saving.isSending}
              savedCount={saving.counts.saved}
              failedCount={saving.counts.failed}
              restored={draft.restored}
              disabledReason={offline}
              onSave={() => void saving.save()}
              onDiscard={drop}
            />
          )}
        </Stack>
      </FormColumns>
      {saving.dialogs}
      <LeaveGuard draft={draft} />
    </SectionFormProvider>
  );
}

const summaryOf = ({ fieldPath, message }: FieldPathError) => ({
  fieldId: fieldPath === null ? null : elementId(fieldPath),
  message,
});

/** Asks before the page is left, because passwords are not part of the stored draft. */
function LeaveGuard({ draft }: { draft: SectionDraft }) {
  const guard = useDirtyGuard(draft.isDirty);
  const unkept = draft.hasSecrets ? text.passwordsLost : undefined;
  return <DiscardDialog {...toDiscardDialogProps(guard, draft.discard, draft.keeps)} unkept={unkept} />;
}

function useReturned(isOffline: boolean, isDirty: boolean) {
  const [wasOffline, setWasOffline] = useState(isOffline);
  const [is, setIs] = useState(false);
  if (wasOffline !== isOffline) {
    setWasOffline(isOffline);
    setIs(wasOffline && isDirty);
  }
  return { is: is && isDirty, seen: () => setIs(false) };
}

/** `is` is true from a restart request until the sensor has reconnected. */
function useRestarted(isOffline: boolean) {
  const [state, setState] = useState<"no" | "asked" | "away">("no");
  if (state === "asked" && isOffline) setState("away");
  if (state === "away" && !isOffline) setState("no");
  return { is: state !== "no", begin: () => setState("asked"), forget: () => setState("no") };
}
