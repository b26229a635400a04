// Runs a batch over the selected locations (LO-01).
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { toBatchTarget, useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { location } from "../location.entity.ts";
import { createLocationBatch, type LocationChanges, type LocationTarget } from "./location.batch.ts";
import { locationBatchText } from "./location.batch.text.ts";

const fields = { ids: "measIDs", query: "measQuery" } as const;

/** `onUndoId` gets the id that undoes changed tags and hours, once per call: the batch, and each retry of what failed. */
export function useBatchRun({ chosen, count }: BatchActionDialogProps, onUndoId?: (id: string) => void) {
  const shown = location.useShown();
  const batch = useQueryBatch<LocationChanges | null>(count, {
    run: (expected, changes, onCount) =>
      createLocationBatch(toBatchTarget<LocationTarget>(chosen, expected, fields), changes, { onCount, onUndoId }),
    invalidates: ["measurement", "sensor", "datapoint"],
    counted: locationBatchText.counted,
  });
  const renderName = (id: string) => shown(id)?.name;
  return { ...batch, isAll: chosen.selection.mode === "query", renderName };
}
