// Every job of the product, in the order in which a moved test clock runs them; mails come last, so that they carry what the others wrote.
import type { Context } from "./context.ts";
import { packingJob } from "./datapoint/packing.job.ts";
import { housekeepingJob } from "./jobs/housekeeping.ts";
import type { Job } from "./jobs/scheduler.ts";
import { mailJob } from "./mail/mailer.ts";

export function productJobs(ctx: Context): Job[] {
  return [housekeepingJob(ctx), packingJob(ctx), mailJob(ctx)];
}
