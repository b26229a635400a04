// Creates a run for each report that is due, and plans the next check, in one transaction.
import { createHash } from "node:crypto";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { findFirstZone, loadCreator } from "../creator.service.ts";
import { findMissedDue, planCheck } from "../due.rules.ts";
import * as store from "./run.store.ts";

const atOnce = 200;

/** Returns false if there may be more. */
export async function createDueRuns(ctx: Context): Promise<boolean> {
  return ctx.db.transaction().execute(async (tx) => {
    const nowMs = ctx.clock.now();
    const due = await store.lockReportsToCheck(tx, new Date(nowMs), atOnce);
    const runs: store.NewRun[] = [];
    const checks: store.CheckedReport[] = [];
    for (const report of due) {
      const { id, schedule, handledTo } = report;
      const zone = await resolveZone(ctx, tx, report);
      const dueMs = findMissedDue(schedule, zone, handledTo.getTime(), nowMs);
      if (dueMs !== null)
        runs.push({
          id: uuidv7(nowMs),
          reportId: id,
          dueAt: new Date(dueMs),
          isManual: false,
          shareKey: shareKey(report),
        });
      const { nextMs, checkMs } = planCheck(schedule, zone, nowMs);
      checks.push({
        id,
        handledTo: dueMs === null ? handledTo : new Date(dueMs),
        nextAt: new Date(nextMs),
        checkAt: new Date(checkMs),
      });
    }
    await store.insertRuns(tx, runs);
    await store.saveChecks(tx, checks);
    return due.length < atOnce;
  });
}

/** UTC if the creator may view no location. */
async function resolveZone(ctx: Context, tx: Tx, { schedule, creatorId }: store.DueReport): Promise<Zone> {
  if (schedule.zone !== null) return zoneOf(schedule.zone);
  const creator = await loadCreator(tx, creatorId);
  return (creator && (await findFirstZone({ ...ctx, db: tx }, creator.caller))) ?? zoneOf(null);
}

/** Reports of the same owner with the same query need the same counts. */
export function shareKey({ ownerId, query }: Pick<store.DueReport, "ownerId" | "query">): string {
  return createHash("sha256")
    .update(`${ownerId} ${JSON.stringify(query)}`)
    .digest("base64url");
}
