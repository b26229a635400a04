// Batches of this account that still run on the server when the console is opened: shown until their end (ADR 0015).
import { listSensorBatches } from "@psp/contract/sensor/sensor.batch.api.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { loadPiece } from "../../address/loadPiece.ts";
import { call } from "../../api/call.ts";
import { useBatchJobs } from "../../ui/batch/BatchJobs.tsx";

/** Asks once. */
export function BegunBatches() {
  const jobs = useBatchJobs();
  const client = useQueryClient();
  useEffect(() => {
    if (jobs === null) return;
    let left = false;
    void (async () => {
      const runs = await call(listSensorBatches).catch(() => []);
      const running = runs.filter(({ finishedAt }) => finishedAt === null);
      if (running.length === 0) return;
      const { begunJob } = await loadPiece("begun-job", () => import("./begun-job.ts"));
      for (const run of left ? [] : running) jobs.adopt(begunJob(run, client));
    })().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [jobs, client]);
  return null;
}
