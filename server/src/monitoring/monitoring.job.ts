// Looks at monitored sensors every few seconds, and then mails what came up: facts count within a minute of their arrival (decisions 13).
import type { Context } from "../context.ts";
import type { Job } from "../jobs/scheduler.ts";
import { mailAlerts } from "./alert/alert.service.ts";
import { evaluateDue } from "./monitoring.service.ts";

const everyMs = 10_000;

export function monitoringJob(ctx: Context): Job {
  return {
    name: "monitoring",
    everyMs,
    async run(stopping) {
      await evaluateDue(ctx, stopping);
      await mailAlerts(ctx, stopping);
    },
  };
}
