// Erases personal data hourly.
import type { Context } from "../../context.ts";
import type { Job } from "../../kit/job.ts";
import { purgePersonalData } from "./personal-data.service.ts";

const everyMs = 3_600_000;

export function personalDataJob(ctx: Context): Job {
  return {
    name: "personal data",
    everyMs,
    async run(stopping) {
      const stuck = await purgePersonalData(ctx, stopping);
      if (stuck > 0)
        throw new Error(`Personal data of ${stuck} rows could not be removed; it is tried again each hour.`);
    },
  };
}
