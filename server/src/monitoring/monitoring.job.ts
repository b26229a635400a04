// Runs monitoring and its mails every few seconds, so that new facts take effect within a minute.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { mailAlerts } from "./alert/alert.service.ts";
import { evaluateDueDevices } from "./device-issues/device-issues.service.ts";
import { endInvalidAssignments } from "./open-issues/assignees.service.ts";
import { evaluateDueSensors } from "./monitoring.service.ts";

const everyMs = 10_000;

export function monitoringJob(ctx: Context): Job {
  // Also true at the start, because rights may have changed before.
  let haveRightsChanged = true;
  ctx.bus.on("rightsChanged", () => {
    haveRightsChanged = true;
  });
  return {
    name: "monitoring",
    everyMs,
    async run(stopping) {
      await evaluateDueSensors(ctx, stopping);
      await evaluateDueDevices(ctx, stopping);
      await mailAlerts(ctx, stopping);
      if (!haveRightsChanged) return;
      haveRightsChanged = false;
      await endInvalidAssignments(ctx, stopping);
    },
  };
}
