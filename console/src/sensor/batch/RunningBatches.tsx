// Shows progress of the account's batches that are already running when the console is opened (ADR 0015).
import { listSensorBatches } from "@psp/contract/sensor/sensor.batch.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { loadChunk } from "../../address/loadChunk.ts";
import { call } from "../../api/call.ts";
import { useBatchJobs } from "../../ui/batch/BatchJobs.tsx";

export function RunningBatches() {
  const jobs = useBatchJobs();
  const client = useQueryClient();
  useEffect(() => {
    if (jobs === null) return;
    let left = false;
    void (async () => {
      const runs = await call(listSensorBatches).catch(() => []);
      const running = runs.filter(({ finishedAt }) => finishedAt === null);
      if (running.length === 0) return;
      const { startBatchFollowerJob } = await loadChunk("begun-job", () => import("./begun-job.ts"));
      for (const run of left ? [] : running) jobs.adopt(startBatchFollowerJob(run, client));
    })().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [jobs, client]);
  return null;
}
