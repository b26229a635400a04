// Every job of the product, in the order in which a moved test clock runs them; mails come last, so that they carry what the others wrote.
import { personalDataJob } from "./account/personal-data.job.ts";
import type { Context } from "./context.ts";
import { packingJob } from "./count/packing.job.ts";
import { packageSweepJob } from "./firmware/package.job.ts";
import { housekeepingJob } from "./jobs/housekeeping.ts";
import type { Job } from "./jobs/scheduler.ts";
import { mailJob } from "./mail/mailer.ts";
import { reminderJob } from "./rollout/reminder.job.ts";
import { rolloutJob } from "./rollout/rollout.job.ts";
import { abandonedSensorsJob } from "./sensor/sensor.abandoned.job.ts";
import { sensorBatchJob } from "./sensor/sensor.batch.job.ts";

export function productJobs(ctx: Context): Job[] {
  return [
    housekeepingJob(ctx),
    personalDataJob(ctx),
    packingJob(ctx),
    sensorBatchJob(ctx),
    abandonedSensorsJob(ctx),
    rolloutJob(ctx),
    reminderJob(ctx),
    packageSweepJob(ctx),
    mailJob(ctx),
  ];
}
