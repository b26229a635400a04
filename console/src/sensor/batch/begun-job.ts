// Creates a console job that follows a batch running on the server. Loaded lazily.
import type { SensorBatchRun } from "@psp/contract/sensor/sensor.batch.api.ts";
import type { QueryClient } from "@tanstack/react-query";
import { createBatchJob } from "../../ui/batch/batchJob.ts";
import { sensorBatchText, sensorOutcomeTexts } from "./sensor.batch.text.ts";
import { createBatchFollower } from "./sensor.batch.ts";

export function startBatchFollowerJob(run: SensorBatchRun, client: QueryClient) {
  const follow = createBatchFollower(run);
  const job = createBatchJob(run.total, (control) =>
    follow(control).finally(() => void client.invalidateQueries({ queryKey: ["sensor"] })),
  );
  job.start();
  return { job, ...wordsOf(run) };
}

function wordsOf({ kind, changes, total }: { kind: string; changes: Record<string, unknown> | null; total: number }) {
  if (kind === "delete")
    return { title: sensorBatchText.deleteTitle(total), texts: sensorOutcomeTexts("deleted", false) };
  const names: Record<string, string> = sensorBatchText.fields;
  const fields = Object.keys(changes ?? {}).map((field) => names[field] ?? field);
  return { title: sensorBatchText.title(fields.join(", "), total), texts: sensorOutcomeTexts("updated", false) };
}
