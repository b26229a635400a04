// Asks before a sensor is deleted (spec 2 §2); opens over the list at /sensor/delete/:id.
import { useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { useDeleteSensor, useSensor } from "./sensor.queries.ts";
import { sensorText } from "./sensor.text.ts";

export function DeleteSensorDialog() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const go = useGo();
  const can = useCan();
  const toasts = useToasts();
  const fail = useFailure();
  const [done, setDone] = useState(false);
  const { data: sensor, isError, error } = useSensor(id);
  const { ownerOf, ready } = useOwners(sensor === undefined ? [] : [sensor.owner._id]);
  const remove = useDeleteSensor(id);
  const refused = sensor !== undefined && ready && !can.delete("sensor", ownerOf(sensor.owner._id));
  const close = () => go(paths.sensors, { replace: true });
  // What can't be deleted closes by itself and says why.
  const reason = isError ? failureText(error) : refused ? sensorText.noDelete : null;
  useEffect(() => {
    if (reason === null || done || !remove.isIdle) return;
    setDone(true);
    fail(sensorText.deleteFailed)(new Error(reason));
    close();
  });
  if (sensor === undefined || (reason !== null && remove.isIdle)) return null;
  return (
    <ConfirmDialog
      open={!done}
      title={sensorText.deleteTitle}
      confirmLabel="Delete"
      onConfirm={async () => {
        try {
          await remove.mutateAsync();
          setDone(true);
          toasts.success(sensorText.deleted(id));
          close();
        } catch (failure) {
          fail(sensorText.deleteFailed)(failure);
        }
      }}
      onClose={close}
    >
      {sensorText.deleteQuestion(sensor._id, sensor.owner.name)}
    </ConfirmDialog>
  );
}
