// 'Set {field} of N sensors' and deleting many: what will be overwritten, progress, outcome, another look when the number differs, undo (SE-03).
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import Alert from "@mui/material/Alert";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useFailure } from "../../api/useFailure.ts";
import { noChanges } from "../../entity/batch/batch.text.ts";
import type { ChosenDialogProps } from "../../entity/batch/list-batch.tsx";
import { useCan } from "../../session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { type Choice, firstChoice, SensorBatchField } from "./SensorBatchFields.tsx";
import { sensorBatchText, sensorOutcome } from "./sensor.batch.text.ts";
import { runOverSensors, targetOf } from "./sensor.batch.ts";
import { type BatchField, type Known, useKnownSensors, undoSteps, wordsOf } from "./sensor.batch.values.ts";

/** What was chosen when the dialog opened; the number changes when the server knows another one. */
function useBatch({ chosen, count }: ChosenDialogProps) {
  const [expected, setExpected] = useState(count);
  const differs = expected === count ? null : sensorBatchText.changedMeanwhile(expected);
  return { ...chosen, expected, setExpected, differs, isAll: chosen.selection.mode === "query" };
}

/** What a batch changed is asked for again, also by pages that were opened meanwhile. */
function useRefresh(): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [["sensor"], ["measurement"], ["artifact"]]) void client.invalidateQueries({ queryKey });
  };
}

/** Takes a batch back: gives every sensor the value that it had before. */
function useUndo() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailure();
  return async (steps: NonNullable<ReturnType<typeof undoSteps>>) => {
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

const saysNoChanges: BatchRun = () => Promise.reject(new Error(noChanges));

export function SetFieldDialog({ field, ...props }: ChosenDialogProps & { field: BatchField }) {
  const { onClose } = props;
  const batch = useBatch(props);
  const known = useKnownSensors(batch.selection, batch.filters);
  const [choice, setChoice] = useState<Choice | null>(firstChoice(field));
  const can = useCan();
  const toasts = useToasts();
  const refresh = useRefresh();
  const undo = useUndo();
  const target = targetOf(batch.selection, batch.filters, batch.expected);
  const run = choice === null ? saysNoChanges : runOverSensors(target, choice.changes, batch.setExpected);
  const type = batch.filters["sensorType"];
  const outcome = sensorOutcome("updated", batch.isAll);
  const close = (result?: BatchResult) => {
    if (result !== undefined && result.success > 0) {
      const failed = new Set(result.fail.map(({ id }) => id));
      const changed = known?.all?.filter(({ _id }) => !failed.has(_id));
      const steps = changed === undefined ? null : undoSteps(field, changed, isRoot(can.actor));
      if (steps !== null) {
        const action = { label: sensorBatchText.undo, onClick: () => void undo(steps) };
        toasts.success(outcome.success(result.success), action);
      }
    }
    // Nothing was tried without a choice.
    onClose(choice === null ? undefined : result);
  };
  return (
    <BatchDialog
      open
      title={sensorBatchText.title(sensorBatchText.fields[field], batch.expected)}
      submitLabel="Save"
      total={batch.expected}
      texts={outcome}
      run={(control) => run(control).finally(refresh)}
      invalid={choice?.isWrong === true}
      onClose={close}
    >
      {batch.differs === null ? null : <Alert severity="warning">{batch.differs}</Alert>}
      <SensorBatchField
        field={field}
        type={typeof type === "string" ? type : undefined}
        choice={choice}
        onChoose={setChoice}
      />
      <Examples
        field={field}
        known={known}
        count={batch.expected}
        words={choice?.isWrong ? undefined : choice?.words}
      />
    </BatchDialog>
  );
}

/** On the phone the id stands above what changes: three columns would cut everything off. */
const examplesLook = {
  tableLayout: "fixed",
  "& th, & td": { py: 1.5 },
  "& tr:last-of-type td": { borderBottom: 0 },
  "& tr": { display: { xs: "grid", sm: "table-row" }, gridTemplateColumns: "1fr 1fr" },
  "& tr > :first-of-type": { gridColumn: "1 / -1", borderBottomWidth: { xs: 0, sm: 1 } },
} as const;

type ExamplesProps = { field: BatchField; known: Known | undefined; count: number; words: string | undefined };

/** Three of the sensors: what they have now, and what they get. */
function Examples({ field, known, count, words }: ExamplesProps) {
  const rows = known?.examples ?? [];
  if (rows.length === 0) return null;
  const name = sensorBatchText.fields[field];
  return (
    <Table size="small" aria-label={sensorBatchText.preview} sx={examplesLook}>
      <TableHead>
        <TableRow>
          <TableCell sx={{ width: 168 }}>ID</TableCell>
          <TableCell>{sensorBatchText.now(name)}</TableCell>
          <TableCell>{sensorBatchText.afterwards}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {rows.map((sensor) => (
          <TableRow key={sensor._id}>
            <TableCell>
              <Mono>{sensor._id}</Mono>
            </TableCell>
            <TableCell>
              <Ellipsis>{wordsOf(field, sensor)}</Ellipsis>
            </TableCell>
            <TableCell>
              <Ellipsis>{words ?? "…"}</Ellipsis>
            </TableCell>
          </TableRow>
        ))}
        {count > rows.length ? (
          <TableRow>
            <TableCell colSpan={3} sx={{ color: "text.secondary" }}>
              {sensorBatchText.more(count - rows.length)}
            </TableCell>
          </TableRow>
        ) : null}
      </TableBody>
    </Table>
  );
}

export function DeleteSensorsDialog(props: ChosenDialogProps) {
  const batch = useBatch(props);
  const refresh = useRefresh();
  const run = runOverSensors(targetOf(batch.selection, batch.filters, batch.expected), null, batch.setExpected);
  return (
    <BatchDialog
      open
      title={sensorBatchText.deleteTitle(batch.expected)}
      submitLabel="Delete"
      danger
      total={batch.expected}
      texts={sensorOutcome("deleted", batch.isAll)}
      run={(control) => run(control).finally(refresh)}
      onClose={props.onClose}
    >
      {batch.differs === null ? null : <Alert severity="warning">{batch.differs}</Alert>}
      <div>{sensorBatchText.deleteQuestion(batch.expected)}</div>
    </BatchDialog>
  );
}
