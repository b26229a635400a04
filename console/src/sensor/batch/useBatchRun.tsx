// A batch over chosen sensors: how many they are by now, what is said of its end, and everything asked again after it (SE-03).
import { Alert } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Chosen } from "../../entity/batch/item-batch.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import { sensorBatchText, sensorOutcome } from "./sensor.batch.text.ts";
import { runOverSensors, type SensorChanges, targetOf } from "./sensor.batch.ts";

/** What was chosen when the dialog opened; the number changes when the server knows another one. */
export function useBatchRun(
  { chosen: { selection, filters }, count }: { chosen: Chosen; count: number },
  done: "updated" | "deleted",
) {
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
