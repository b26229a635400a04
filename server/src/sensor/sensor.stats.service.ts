// The dashboard's sensor statistics over visible sensors (docs/rules/sensors.md#statistics).
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import {
  type connectionStates,
  type InstallationState,
  type LastContactFilter,
  lastContactFilters,
} from "@psp/contract/sensor/presence.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Database } from "../db/database.ts";
import { computeContactCutoff, computeSilenceCutoff } from "./sensor.rights.ts";
import { countByStat } from "./sensor.stats.store.ts";
import { createRecentAnswers } from "../kit/limits/recent-answers.ts";

type Stats = Awaited<ReturnType<typeof countStats>>;
const recent = new WeakMap<Database, ReturnType<typeof createRecentStats>>();

/** Statistics of more sensors are reused. */
const mostCountedAgain = 1_000;

/**
 * `connectionTimeout` is in hours. Statistics of many sensors are reused for less than a second, because every open console asks again
 * after a change; the author of a change gets new ones.
 */
export function getSensorStats(ctx: Context, caller: Caller, connectionTimeout: number): Promise<Stats> {
  const answers = recent.get(ctx.db) ?? createRecentStats(ctx);
  recent.set(ctx.db, answers);
  const view = JSON.stringify([caller.path, resolveViewScope(caller, "sensor"), connectionTimeout]);
  return answers.get(caller.id, view, () =>
    ctx.replica.read((db) => countStats({ ...ctx, db }, caller, connectionTimeout)),
  );
}

function createRecentStats({ bus, announcements }: Context) {
  const answers = createRecentAnswers<Stats>({
    isExpensive: ({ totalByType }) => totalByType.reduce((sum, { count }) => sum + count, 0) > mostCountedAgain,
    // The author may have changed something at another process.
    catchUp: announcements.pull,
  });
  bus.on("entityChanged", ({ by }) => {
    if (by !== undefined) answers.forget(by);
  });
  return answers;
}

/** Biggest first, ties in a fixed order, so that the list is stable across refreshes. */
const bySize = (a: { _id: unknown; count: number }, b: { _id: unknown; count: number }) =>
  b.count - a.count || (String(a._id) < String(b._id) ? -1 : 1);

/** Not reused. */
export async function countStats(ctx: Context, caller: Caller, connectionTimeout: number) {
  const now = ctx.clock.date();
  const cutoffs = [
    computeContactCutoff(now, connectionTimeout),
    computeSilenceCutoff(now, "24h"),
    computeSilenceCutoff(now, "7d"),
  ];
  const counts = await countByStat(ctx.db, caller, cutoffs);
  const list = <T extends string>(wanted: string) =>
    counts.flatMap(({ stat, value, n }) => (stat === wanted && n > 0 ? [{ _id: value as T, count: n }] : []));
  const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);
  /** With those that have no value. */
  const complete = <T>(rows: { _id: T; count: number }[], other: T) =>
    [...rows, { _id: other, count: total - sum(rows) }].filter(({ count }) => count > 0).toSorted(bySize);
  const silent = (cutoff: number) =>
    counts.find(({ stat, value }) => stat === "silent" && value === String(cutoff))?.n ?? 0;

  const byType = list<SensorType>("type");
  const total = sum(byType);
  const never = sum(list("never connected"));
  type State = (typeof connectionStates)[number];
  const absent: { _id: State; count: number }[] = [
    { _id: "notResponding", count: sum(list("not responding")) },
    { _id: "disconnected", count: never + silent(0) },
  ];
  const outOfContact: Record<LastContactFilter, number> = { "24h": silent(1), "7d": silent(2), never };
  return {
    totalByInfoFirmware: complete<string | null>(list("version"), null),
    totalByScomState: complete<State>(absent, "connected"),
    totalByType: byType.toSorted(bySize),
    totalByMonitoringLicense: complete([{ _id: true, count: sum(list("monitored")) }], false),
    totalByInstallation: list<InstallationState>("installation").toSorted(bySize),
    totalByLastContact: lastContactFilters.map((_id) => ({ _id, count: outOfContact[_id] })),
  };
}
