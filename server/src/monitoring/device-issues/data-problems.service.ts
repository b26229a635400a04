// Lists problems with the data of sensors for users.
import type { listDataProblems } from "@psp/contract/monitoring/data-problems.api.ts";
import type { HandlerInput, ReplyOf } from "@psp/contract/kit/endpoint.ts";
import type { Context } from "../../context.ts";
import { isClockWrong } from "../../device/clock/clock.rules.ts";
import type { Caller } from "../../kit/caller.ts";
import { sharedIdentityTimeoutMs } from "./device-issues.rules.ts";
import * as store from "./device-issues.store.ts";

const keptMs = 30 * 24 * 3_600_000;
const maxReasons = 5;

/** Returns problems of at most 500 visible sensors; further ones are omitted. */
export async function getDataProblems(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof listDataProblems>["query"],
): Promise<ReplyOf<typeof listDataProblems>> {
  const nowMs = ctx.clock.now();
  const sensors = await store.findDevices(ctx.db, caller, query);
  const facts = await store.findDeviceFacts(ctx.db, sensors, nowMs);
  const rejected = await store.findRejectedRecords(ctx.db, sensors, nowMs - keptMs);
  const latest = await store.findLatestRejected(
    ctx.db,
    sensors.filter(({ num }) => rejected.has(num)),
  );
  return sensors.flatMap(({ num, id, canEdit }) => {
    const known = facts.get(num);
    const sum = rejected.get(num);
    const last = latest.get(num);
    const offMs = known?.clockOffMs ?? null;
    const shared = known?.shared ?? null;
    const restartedMs = known?.restartedMs ?? null;
    const problem = {
      sens: id,
      rejected:
        sum && last
          ? {
              count: sum.count,
              since: new Date(sum.oldestMs).toISOString(),
              reasons: sum.reasons.slice(0, maxReasons),
              last: { at: last.at.toISOString(), reason: last.reason, record: canEdit ? last.record : null },
            }
          : null,
      clockOffMs: isClockWrong(offMs) ? offMs : null,
      restartedAt: restartedMs !== null && restartedMs > nowMs - keptMs ? new Date(restartedMs).toISOString() : null,
      identity:
        shared && shared.lastMs > nowMs - sharedIdentityTimeoutMs
          ? { lastAt: new Date(shared.lastMs).toISOString(), addresses: shared.addresses }
          : null,
    };
    const { sens: _, ...found } = problem;
    return Object.values(found).every((value) => value === null) ? [] : [problem];
  });
}
