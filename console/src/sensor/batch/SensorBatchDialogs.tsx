// What can be done with the selected sensors of the list, with a reason where none at all could be changed so, and the dialogs:
// 'Set {field} of N sensors' with what will be overwritten, and deleting many; progress, outcome, another look when the number
// differs, undo (SE-03).
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { changeOwnerSets, deleteSet, editSet, isRoot } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { Alert, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Search } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { useFailure } from "../../api/useFailure.ts";
import { noChanges } from "../../entity/batch/batch.text.ts";
import {
  type ChosenDialogProps,
  type ListAction,
  type ListBatch,
  useListBatch,
} from "../../entity/batch/list-batch.tsx";
import { useCan } from "../../session/useCan.ts";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensorText } from "../sensor.text.ts";
import { type Choice, firstChoice, SensorBatchField } from "./SensorBatchFields.tsx";
import { sensorBatchText, sensorOutcome } from "./sensor.batch.text.ts";
import { runOverSensors, type SensorChanges, targetOf } from "./sensor.batch.ts";
import { type BatchField, type Known, undoSteps, useKnownSensors, wordsOf } from "./sensor.batch.values.ts";

/** `filters` and `total` of the list that is shown. */
export function useSensorBatch(filters: Search, total: number): ListBatch {
  const { actor, viewType } = useCan();
  const hasFirmware = useHasFirmware(viewType("artifact"));
  const noEdit = isEmptySet(editSet(actor, "sensor")) ? sensorText.noEdit : undefined;
  const noOwner = isEmptySet(changeOwnerSets(actor, "sensor").from) ? sensorBatchText.noChangeOwner : undefined;
  const noDelete = isEmptySet(deleteSet(actor, "sensor")) ? sensorText.noDelete : undefined;
  const set = (label: string, field: BatchField, disabledReason: string | undefined = noEdit): ListAction => ({
    label,
    disabledReason,
    dialog: (props) => <SetFieldDialog field={field} {...props} />,
  });
  const actions: ListAction[] = [
    ...(hasFirmware ? [set(sensorBatchText.setFirmware, "artifact")] : []),
    set(sensorBatchText.setOwner, "owner", noEdit ?? noOwner),
    set(sensorBatchText.setLocation, "measID"),
    set(sensorBatchText.setReRegistration, "claimable"),
    set(sensorBatchText.setGroups, "groups"),
    {
      label: sensorBatchText.remove,
      danger: true,
      disabledReason: noDelete,
      dialog: (props) => <DeleteSensorsDialog {...props} />,
    },
  ];
  return useListBatch(filters, actions, { total });
}

/** Is there any firmware to set? (spec 2 §2) */
function useHasFirmware(mayView: boolean): boolean {
  const { data } = useQuery({
    queryKey: ["artifact", "total"],
    queryFn: async ({ signal }) => {
      const page = await call(listFirmware, { query: { limit: "1", includeTotals: "true" }, signal });
      return Array.isArray(page) ? page.length : (page.total ?? 0);
    },
    enabled: mayView,
    staleTime: 60_000,
  });
  return (data ?? 0) > 0;
}

/** What was chosen when the dialog opened; the number changes when the server knows another one. */
function useBatch({ chosen: { selection, filters }, count }: ChosenDialogProps, done: "updated" | "deleted") {
  const client = useQueryClient();
  const [expected, setExpected] = useState(count);
  const target = targetOf(selection, filters, expected);
  // What was changed is asked for again, also by pages that were opened meanwhile.
  const refresh = () => {
    for (const queryKey of [["sensor"], ["measurement"], ["artifact"]]) void client.invalidateQueries({ queryKey });
  };
  return {
    expected,
    texts: sensorOutcome(done, selection.mode === "query"),
    differs: expected === count ? null : <Alert severity="warning">{sensorBatchText.changedMeanwhile(expected)}</Alert>,
    runWith:
      (changes: SensorChanges | null): BatchRun =>
      (control) =>
        runOverSensors(target, changes, setExpected)(control).finally(refresh),
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

function SetFieldDialog({ field, ...props }: ChosenDialogProps & { field: BatchField }) {
  const { chosen, onClose } = props;
  const { expected, texts, differs, runWith } = useBatch(props, "updated");
  const known = useKnownSensors(chosen.selection, chosen.filters);
  const [choice, setChoice] = useState<Choice | null>(firstChoice(field));
  const can = useCan();
  const toasts = useToasts();
  const undo = useUndo();
  const type = chosen.filters["sensorType"];
  const close = (result?: BatchResult) => {
    if (result !== undefined && result.success > 0) {
      const failed = new Set(result.fail.map(({ id }) => id));
      const changed = known?.all?.filter(({ _id }) => !failed.has(_id));
      const steps = changed === undefined ? null : undoSteps(field, changed, isRoot(can.actor));
      if (steps !== null) {
        const action = { label: sensorBatchText.undo, onClick: () => void undo(steps) };
        toasts.success(texts.success(result.success), action);
      }
    }
    // Nothing was tried without a choice.
    onClose(choice === null ? undefined : result);
  };
  return (
    <BatchDialog
      open
      title={sensorBatchText.title(sensorBatchText.fields[field], expected)}
      submitLabel="Save"
      total={expected}
      texts={texts}
      run={choice === null ? saysNoChanges : runWith(choice.changes)}
      invalid={choice?.isWrong === true}
      onClose={close}
    >
      {differs}
      <SensorBatchField
        field={field}
        type={typeof type === "string" ? type : undefined}
        choice={choice}
        onChoose={setChoice}
      />
      <Examples field={field} known={known} count={expected} words={choice?.isWrong ? undefined : choice?.words} />
    </BatchDialog>
  );
}

/** On the phone the id is above what changes: three columns would cut everything off. */
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

function DeleteSensorsDialog(props: ChosenDialogProps) {
  const { expected, texts, differs, runWith } = useBatch(props, "deleted");
  return (
    <BatchDialog
      open
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
