// Evaluates devices with new facts; independent of the monitoring license.
import { deviceIssueTypes } from "@psp/contract/monitoring/issue-words.ts";
import type { Context } from "../../context.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { scheduleDeviceChecks } from "../../device/device-check.store.ts";
import { applyChanges, type StateChange, findStateChanges, separateFormerStates } from "../monitoring.service.ts";
import { findEvaluatedSensors } from "../monitoring.store.ts";
import { evaluateDevice } from "./device-issues.rules.ts";
import { findDeviceFacts, takeDueDevices } from "./device-issues.store.ts";

const atOnce = 1_000;

export async function evaluateDueDevices(ctx: Context, stopping?: AbortSignal): Promise<void> {
  for (;;) {
    const taken = await write(ctx, { system: "monitoring" }, (w) => judgePart(ctx, w));
    if (taken < atOnce || stopping?.aborted) return;
  }
}

async function judgePart(ctx: Context, w: UnitOfWork): Promise<number> {
  const nowMs = ctx.clock.now();
  const due = await takeDueDevices(w.tx, new Date(nowMs), atOnce);
  if (due.length === 0) return 0;
  const { subjects, former } = separateFormerStates(await findEvaluatedSensors(w.tx, due), deviceIssueTypes);
  const facts = await findDeviceFacts(w.tx, subjects, nowMs);
  const changes: StateChange[] = [];
  const checks: { num: number; atMs: number }[] = [];
  for (const subject of subjects) {
    const known = facts.get(subject.num);
    if (!known) continue;
    const verdicts = evaluateDevice(known, nowMs);
    changes.push(...findStateChanges(subject, null, verdicts));
    const againAt = Math.min(...deviceIssueTypes.map((type) => verdicts[type].againAt));
    if (againAt < Infinity) checks.push({ num: subject.num, atMs: againAt });
  }
  await scheduleDeviceChecks(w.tx, checks);
  await applyChanges(w, { changes, former }, nowMs);
  return due.length;
}
