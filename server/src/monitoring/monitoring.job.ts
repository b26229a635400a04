// Looks at monitored sensors and at devices every few seconds, and then mails what came up: facts count within a minute of their arrival.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { mailAlerts } from "./alert/alert.service.ts";
import { judgeDueDevices } from "./device-issues/device-issues.service.ts";
import { evaluateDue } from "./monitoring.service.ts";

const everyMs = 10_000;

export function monitoringJob(ctx: Context): Job {
  return {
    name: "monitoring",
    everyMs,
    async run(stopping) {
      await evaluateDue(ctx, stopping);
      await judgeDueDevices(ctx, stopping);
      await mailAlerts(ctx, stopping);
    },
  };
}
