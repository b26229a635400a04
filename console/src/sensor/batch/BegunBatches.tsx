// Batches of this account that still run on the server when the console is opened: shown until their end (ADR 0023).
import { listSensorBatches } from "@psp/contract/sensor/sensor.batch.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/call.ts";
import { useBatchJobs } from "../../ui/batch/BatchJobs.tsx";
import { createBatchJob } from "../../ui/batch/batchJob.ts";
import { sensorBatchText, sensorOutcome } from "./sensor.batch.text.ts";
import { followBatch } from "./sensor.batch.ts";

/** Asks once. */
export function BegunBatches() {
  const jobs = useBatchJobs();
  const client = useQueryClient();
  useEffect(() => {
    if (jobs === null) return;
    let left = false;
    void (async () => {
      const runs = await call(listSensorBatches).catch(() => []);
      for (const run of left ? [] : runs.filter(({ finishedAt }) => finishedAt === null)) {
        const follow = followBatch(run._id);
        const job = createBatchJob(run.total, (control) =>
          follow(control).finally(() => void client.invalidateQueries({ queryKey: ["sensor"] })),
        );
        job.start();
        jobs.adopt({ job, ...wordsOf(run) });
      }
    })();
    return () => {
      left = true;
    };
  }, [jobs, client]);
  return null;
}

function wordsOf({ kind, changes, total }: { kind: string; changes: Record<string, unknown> | null; total: number }) {
  if (kind === "delete") return { title: sensorBatchText.deleteTitle(total), texts: sensorOutcome("deleted", false) };
  const names: Record<string, string> = sensorBatchText.fields;
  const fields = Object.keys(changes ?? {}).map((field) => names[field] ?? field);
  return { title: sensorBatchText.title(fields.join(", "), total), texts: sensorOutcome("updated", false) };
}
