// Batch dialogs that delete sensors or set one of their fields, with examples and undo (SE-03).
import { isRoot } from "@psp/contract/permission/can.ts";
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Link } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { type MouseEvent, useState } from "react";
import { formatSearch } from "../../address/address.ts";
import { useLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { noChangesText } from "../../entity/batch/batch.text.ts";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { Mono } from "../../ui/Mono.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { BatchExamples } from "../../ui/batch/BatchExamples.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { createFirmwareUndoSteps, useFirmwareUndo } from "../firmware/firmware-undo.ts";
import { needsMode, type FieldChoice, SensorBatchField } from "./SensorBatchFields.tsx";
import { sensorBatchText } from "./sensor.batch.text.ts";
import {
  type BatchField,
  type KnownSensors,
  createUndoSteps,
  useKnownSensors,
  formatFieldValue,
} from "./sensor.batch.values.ts";
import { useBatchRun } from "./useBatchRun.tsx";

function useUndo() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  return async (steps: NonNullable<ReturnType<typeof createUndoSteps>>) => {
    let [undone, failed] = [0, 0];
    const isHandOver = steps.some(({ changes }) => changes.owner !== undefined);
    try {
      for (const { changes, ids } of steps) {
        const result = await call(batchUpdateSensors, { body: { sensorIDs: ids, changes } });
        undone += result.success;
        failed += result.fail.length;
      }
      if (failed > 0) toasts.error({ title: sensorBatchText.undoFailed(failed) });
      if (undone > 0) toasts.success(isHandOver ? sensorBatchText.undoneOwner(undone) : sensorBatchText.undone(undone));
    } catch (error) {
      fail(sensorBatchText.undoFailed(steps.reduce((sum, { ids }) => sum + ids.length, 0) - undone))(error);
    }
    void client.invalidateQueries({ queryKey: ["sensor"] });
  };
}

const saysNoChanges: BatchRun = () => Promise.reject(new Error(noChangesText));

export function SetFieldDialog({ field, ...props }: BatchActionDialogProps & { field: BatchField }) {
  const { chosen, onClose } = props;
  const { expected, texts, differs, runWith } = useBatchRun(props, "updated");
  const known = useKnownSensors(chosen.selection, chosen.filters);
  const [choice, setChoice] = useState<FieldChoice | null>(null);
  const [tried, setTried] = useState(false);
  const can = useCan();
  const toasts = useToasts();
  const undo = useUndo();
  const undoFirmware = useFirmwareUndo();
  const given = choice?.changes.artifact;
  const type = chosen.filters["sensorType"];
  const undoOf = (changed: readonly Sensor[]): (() => void) | null => {
    if (given) {
      const steps = createFirmwareUndoSteps(changed, given, isRoot(can.actor));
      return steps.length === 0 ? null : () => void undoFirmware(given, steps);
    }
    const steps = createUndoSteps(field, changed, isRoot(can.actor));
    return steps && (() => void undo(steps));
  };
  const close = (result?: BatchResult) => {
    if (result !== undefined && result.success > 0) {
      const failed = new Set(result.fail.map(({ id }) => id));
      const changed = known?.all?.filter(({ _id }) => !failed.has(_id));
      const takeBack = changed === undefined ? null : undoOf(changed);
      if (takeBack !== null)
        toasts.success(texts.success(result.success), { label: sensorBatchText.undo, onClick: takeBack });
    }
    // Without a chosen change, no request was sent, so there is no result to report.
    onClose(choice === null ? undefined : result);
  };
  return (
    <BatchDialog
      title={sensorBatchText.title(sensorBatchText.fields[field], expected)}
      submitLabel="Save"
      total={expected}
      texts={given ? { ...texts, after: (result) => <Started {...{ result, close }} firmware={given} /> } : texts}
      run={choice === null ? saysNoChanges : runWith(choice.changes)}
      invalid={choice === null ? needsMode(field) : choice.isWrong === true}
      onInvalid={() => setTried(true)}
      onClose={close}
    >
      {differs}
      <SensorBatchField
        field={field}
        type={typeof type === "string" ? type : undefined}
        choice={choice}
        onChoose={setChoice}
        tried={tried}
      />
      <Examples field={field} known={known} count={expected} choice={choice?.isWrong === true ? null : choice} />
    </BatchDialog>
  );
}

type StartedProps = { result: BatchResult; firmware: string; close: (result: BatchResult) => void };

/** Links to the installations and to the rollout. Following either link closes the dialog. */
function Started({ result, firmware, close }: StartedProps) {
  const underWay = formatSearch({ installation: ["waiting", "installing"] });
  const progress = useLink(paths.sensors + underWay, "none");
  const rollout = useLink(paths.firmwareRollout(firmware), "none");
  const leaving = (link: typeof progress) => ({
    ...link,
    onClick(event: MouseEvent<HTMLElement>) {
      link.onClick(event);
      if (event.defaultPrevented) close(result);
    },
  });
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 4, rowGap: 1, mt: 3 }}>
      <span>{sensorBatchText.started(result.success)}</span>
      <Link {...leaving(progress)} sx={standaloneLinkStyles}>
        {sensorBatchText.showProgress}
      </Link>
      <Link {...leaving(rollout)} sx={standaloneLinkStyles}>
        {sensorBatchText.showRollout}
      </Link>
    </Box>
  );
}

type ExamplesProps = { field: BatchField; known: KnownSensors | undefined; count: number; choice: FieldChoice | null };

function Examples({ field, known, count, choice }: ExamplesProps) {
  const rows = (known?.examples ?? []).map((sensor) => ({
    id: sensor._id,
    name: <Mono>{sensor._id}</Mono>,
    now: formatFieldValue(field, sensor),
    afterwards: choice?.wordsFor?.(sensor) ?? choice?.words ?? "…",
  }));
  return <BatchExamples head={["ID", sensorBatchText.now(sensorBatchText.fields[field])]} rows={rows} count={count} />;
}

export function DeleteSensorsDialog(props: BatchActionDialogProps) {
  const { expected, texts, differs, runWith } = useBatchRun(props, "deleted");
  return (
    <BatchDialog
      title={sensorBatchText.deleteTitle(expected)}
      submitLabel="Delete"
      danger
      total={expected}
      texts={texts}
      run={runWith(null)}
      onClose={props.onClose}
    >
      {differs}
      <div>{sensorBatchText.deleteQuestion(expected)}</div>
    </BatchDialog>
  );
}
