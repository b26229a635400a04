// Runs a batch over the selected sensors, with the texts for its outcome (SE-03).
import type { BatchSelection } from "../../entity/batch/item-batch.ts";
import { batchTarget, useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { sensorBatchText, sensorOutcome } from "./sensor.batch.text.ts";
import { runOverSensors, type SensorChanges, type SensorTarget } from "./sensor.batch.ts";

const fields = { ids: "sensorIDs", query: "sensorQuery" } as const;

export function useBatchRun({ chosen, count }: { chosen: BatchSelection; count: number }, done: "updated" | "deleted") {
  const batch = useQueryBatch<SensorChanges | null>(count, {
    run: (expected, ...change) => runOverSensors(batchTarget<SensorTarget>(chosen, expected, fields), ...change),
    invalidates: ["sensor", "measurement", "artifact"],
    countChangedText: sensorBatchText.changedMeanwhile,
  });
  return { ...batch, texts: sensorOutcome(done, chosen.selection.mode === "query") };
}
