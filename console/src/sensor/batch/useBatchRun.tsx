// Runs a batch over the selected sensors, with the texts for its outcome (SE-03).
import type { BatchSelection } from "../../entity/batch/item-batch.ts";
import { toBatchTarget, useQueryBatch } from "../../entity/batch/query-batch.tsx";
import { sensorBatchText, sensorOutcomeTexts } from "./sensor.batch.text.ts";
import { createSensorBatchRun, type SensorChanges, type SensorTarget } from "./sensor.batch.ts";

const fields = { ids: "sensorIDs", query: "sensorQuery" } as const;

export function useBatchRun({ chosen, count }: { chosen: BatchSelection; count: number }, done: "updated" | "deleted") {
  const batch = useQueryBatch<SensorChanges | null>(count, {
    run: (expected, ...change) =>
      createSensorBatchRun(toBatchTarget<SensorTarget>(chosen, expected, fields), ...change),
    invalidates: ["sensor", "measurement", "artifact"],
    counted: sensorBatchText.counted,
  });
  return { ...batch, texts: sensorOutcomeTexts(done, chosen.selection.mode === "query") };
}
