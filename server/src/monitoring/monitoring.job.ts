// Runs monitoring and its mails every few seconds, so that new facts take effect within a minute.
import type { Context } from "../context.ts";
import type { Job } from "../kit/job.ts";
import { mailAlerts } from "./alert/alert.service.ts";
import { evaluateDueDevices } from "./device-issues/device-issues.service.ts";
import { endInvalidAssignments } from "./open-issues/assignees.service.ts";
import { evaluateDueSensors } from "./monitoring.service.ts";

const everyMs = 10_000;
const assignmentsEveryMs = 3_600_000;

export function monitoringJob(ctx: Context): Job {
  // Also true at the start, because rights may have changed before.
  let haveRightsChanged = true;
  let assignmentsCheckedMs = -Infinity;
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
      const nowMs = ctx.clock.now();
      if (!haveRightsChanged && nowMs < assignmentsCheckedMs + assignmentsEveryMs) return;
      haveRightsChanged = false;
      assignmentsCheckedMs = -Infinity;
      await endInvalidAssignments(ctx, stopping);
      // Only now, so that a failed check is repeated in the next run.
      assignmentsCheckedMs = nowMs;
    },
  };
}
