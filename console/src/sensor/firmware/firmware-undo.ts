// Undoes the assignment of firmware to sensors that have not started installing it (docs/rules/batches.md#undo).
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { firmwareUndoText as text } from "../sensor-page.text.ts";

/** Sensors that had the same firmware assigned; `former` is its id, or null for none. */
export type FirmwareUndoStep = { former: string | null; ids: string[] };

/**
 * The assignments that the firmware `given` replaced. Omits sensors whose previous firmware is deleted or not visible to the user:
 * that firmware can't be restored, and removing the assignment would be a different change.
 */
export function createFirmwareUndoSteps(
  before: readonly Sensor[],
  given: string,
  seesAll: boolean,
): FirmwareUndoStep[] {
  const known = before.filter(({ artifact, sensorUpdateTask }) =>
    artifact === null ? seesAll || sensorUpdateTask === null : !artifact.isDeleted && artifact._id !== given,
  );
  const steps = Map.groupBy(known, ({ artifact }) => artifact?._id ?? null);
  return [...steps].map(([former, sensors]) => ({ former, ids: sensors.map(({ _id }) => _id) }));
}

/** The undo affects only sensors that have not started installing; the server selects them. */
export function useFirmwareUndo() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailureToast();
  return async (given: string, steps: readonly FirmwareUndoStep[]) => {
    const total = steps.reduce((sum, { ids }) => sum + ids.length, 0);
    let [undone, failed] = [0, 0];
    try {
      for (const { former, ids } of steps) {
        const sensorQuery = { ids, artifactID: given, installation: ["waiting", "paused"] };
        const { success, fail: refused } = await call(batchUpdateSensors, {
          body: { sensorQuery, changes: { artifact: former } },
        });
        undone += success;
        failed += refused.length;
      }
      if (failed > 0) toasts.error({ title: text.failed(failed) });
      if (undone > 0 || failed === 0) toasts.success(text.done(undone, total - undone - failed));
    } catch (error) {
      fail(text.failed(total - undone))(error);
    }
    void client.invalidateQueries({ queryKey: ["sensor"] });
  };
}
