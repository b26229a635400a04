// General form of a sensor. Fields without edits show live updates; only changes are sent (SE-08).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Box, Button } from "@mui/material";
import { isRoot } from "@psp/contract/permission/can.ts";
import { useMemo, useRef } from "react";
import { type Draft, useDraft, useDraftKey } from "../../entity/draft.ts";
import { usePageForm } from "../../entity/page-form.tsx";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { usePendingChip, addPendingChips } from "../../ui/choice/ChipsField.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { createFirmwareUndoSteps, useFirmwareUndo } from "../firmware/firmware-undo.ts";
import { firmwareUndoText } from "../sensor-page.text.ts";
import { sensor as entity, useUpdateSensor } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";
import { SensorAssignment, SensorLicenses, SensorRegistration } from "./SensorCards.tsx";
import {
  validateGroups,
  labelOf,
  type SensorFields,
  toSensorUpdate,
  toFields,
  createSensorUndo,
} from "./sensor.form.ts";

/** Labels for the save bar; a group being typed counts as a change. */
const changesOf = (changed: Draft<SensorFields>["changed"], typed: string) =>
  changed.length === 0 && typed.trim() !== "" ? [sensorText.groups] : changed.map(labelOf);

/** `complete` is false while the sensor is only a placeholder from a list. */
export function SensorForm({ sensor, complete }: { sensor: Sensor; complete: boolean }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const owner = ownerOf(sensor.owner._id);
  const readOnly = !ready || !complete || !can.edit("sensor", owner);
  // Updates that don't affect the form, such as presence, must not reset it.
  const facts = JSON.stringify(toFields(sensor));
  const current = useMemo(() => JSON.parse(facts) as ReturnType<typeof toFields>, [facts]);
  const draft = useDraft(current, sensor.version, useDraftKey("sensor", sensor._id));
  const { values, changed, outdated } = draft;
  const pending = usePendingChip();
  const update = useUpdateSensor(sensor._id);
  const groups = addPendingChips(values.groups, pending.text);
  const wrongGroups = validateGroups(groups);
  const all = groups.length === values.groups.length ? changed : [...new Set([...changed, "groups" as const])];
  const changes = changesOf(changed, pending.text);
  // For undo: the sensor before the last save, if that save assigned firmware.
  const setBefore = useRef<Sensor | null>(null);
  const offerUndo = useOfferedUndo();
  const { drop, lastChange, foot } = usePageForm({
    entity,
    row: sensor,
    draft,
    toFields,
    update,
    changes,
    changeOf() {
      if (wrongGroups !== undefined) return undefined;
      setBefore.current = changed.includes("firmware") && values.firmware !== null ? sensor : null;
      return toSensorUpdate({ ...values, groups }, all);
    },
    onSaved() {
      pending.saved(pending.text);
      offerUndo(setBefore.current, values.firmware?.id);
    },
    undoOf: () => createSensorUndo(current, all),
    onDropped: pending.drop,
  });
  return (
    <Box>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {readOnly && ready && complete ? <Alert severity="info">{sensorText.readOnly}</Alert> : null}
        {outdated ? <Outdated lastChange={lastChange} onShow={drop} /> : null}
        <SensorAssignment
          sensor={sensor}
          owner={owner}
          draft={draft}
          current={current}
          readOnly={readOnly}
          groupsError={wrongGroups}
          pending={pending.field}
        />
        <SensorRegistration sensor={sensor} draft={draft} current={current} readOnly={readOnly} />
        {can.license() ? <SensorLicenses sensor={sensor} dirty={changes.length > 0} /> : null}
      </Box>
      {foot}
    </Box>
  );
}

/** Shows a toast that offers to undo a firmware assignment. */
function useOfferedUndo() {
  const can = useCan();
  const toasts = useToasts();
  const undo = useFirmwareUndo();
  return (before: Sensor | null, given: string | undefined) => {
    if (before === null || given === undefined) return;
    const steps = createFirmwareUndoSteps([before], given, isRoot(can.actor));
    if (steps.length === 0) return;
    const onClick = () => void undo(given, steps);
    toasts.success(firmwareUndoText.set, { label: firmwareUndoText.undo, onClick });
  };
}

function Outdated({ lastChange, onShow }: { lastChange: string | undefined; onShow: () => void }) {
  return (
    <Alert severity="warning">
      <div>{sensorText.newValues}</div>
      {lastChange === undefined ? null : <div>{lastChange}</div>}
      <Button size="small" color="inherit" variant="outlined" onClick={onShow} sx={{ mt: 2 }}>
        {sensorText.showNew}
      </Button>
    </Alert>
  );
}
