// Adds changes of sensors to the sums of the statistics (docs/rules/sensors.md#statistics).
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { deleteEmptySums, sumUpChanges } from "./sensor.stats.store.ts";

const cleanEveryMs = 3_600_000;

export function sensorStatsJob({ db, clock }: Context): Job {
  let cleanAt = 0;
  return {
    name: "sensor statistics",
    everyMs: 1000,
    async run(stopping) {
      while ((await sumUpChanges(db)) && !stopping?.aborted);
      if (clock.now() < cleanAt) return;
      await deleteEmptySums(db);
      cleanAt = clock.now() + cleanEveryMs;
    },
  };
}
