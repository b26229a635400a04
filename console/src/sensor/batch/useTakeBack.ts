// Takes a batch back: gives every sensor the value that it had before.
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useFailure } from "../../api/useFailure.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensorBatchText } from "./sensor.batch.text.ts";
import type { SensorChanges } from "./sensor.batch.ts";

export function useTakeBack() {
  const client = useQueryClient();
  const toasts = useToasts();
  const fail = useFailure();
  return async (steps: readonly { changes: SensorChanges; ids: string[] }[]) => {
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
