// Runs a batch over the selected locations.
import type { LocationBatchReply } from "@psp/contract/location/location.batch.api.ts";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { toBatchTarget, useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { location } from "../location.entity.ts";
import { createLocationBatch, type LocationChanges, type LocationTarget } from "./location.batch.ts";
import { locationBatchText as text } from "./location.batch.text.ts";

const fields = { ids: "measIDs", query: "measQuery" } as const;

export function useBatch({ chosen, count }: BatchActionDialogProps, onReply?: (reply: LocationBatchReply) => void) {
  const shown = location.useShown();
  const batch = useQueryBatch<LocationChanges | null>(count, {
    run: (expected, changes, onCount) =>
      createLocationBatch(toBatchTarget<LocationTarget>(chosen, expected, fields), changes, onCount, onReply),
    invalidates: ["measurement", "sensor", "datapoint"],
    countChangedText: text.changedMeanwhile,
  });
  const renderName = (id: string) => shown(id)?.name;
  return { ...batch, isAll: chosen.selection.mode === "query", renderName };
}
