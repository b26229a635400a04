// The dashboard's sensor statistics over visible sensors (docs/rules/sensors.md#statistics).
import { type LastContactFilter, lastContactFilters } from "@psp/contract/sensor/presence.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Database } from "../db/database.ts";
import { computeContactCutoff } from "./sensor.rights.ts";
import { countSensorsForStats } from "./sensor.store.ts";
import { createRecentAnswers } from "../kit/limits/recent-answers.ts";

type Stats = Awaited<ReturnType<typeof countStats>>;
const recent = new WeakMap<Database, ReturnType<typeof createRecentStats>>();

/**
 * `connectionTimeout` is in hours. Expensive statistics are reused for less than a second, because every open console asks again after a
 * change; the author of a change gets new ones.
 */
export function getSensorStats(ctx: Context, caller: Caller, connectionTimeout: number): Promise<Stats> {
  const answers = recent.get(ctx.db) ?? createRecentStats(ctx);
  recent.set(ctx.db, answers);
  const view = JSON.stringify([caller.path, resolveViewScope(caller, "sensor"), connectionTimeout]);
  return answers.get(caller.id, view, () =>
    ctx.replica.read((db) => countStats({ ...ctx, db }, caller, connectionTimeout)),
  );
}

function createRecentStats({ bus }: Context) {
  const answers = createRecentAnswers<Stats>();
  bus.on("entityChanged", ({ by }) => {
    if (by !== undefined) answers.forget(by);
  });
  return answers;
}

/** Biggest first, ties in a fixed order, so that the list is stable across refreshes. */
const bySize = (a: { _id: unknown; count: number }, b: { _id: unknown; count: number }) =>
  b.count - a.count || (String(a._id) < String(b._id) ? -1 : 1);

async function countStats(ctx: Context, caller: Caller, connectionTimeout: number) {
  const now = ctx.clock.date();
  const rows = await countSensorsForStats(ctx.db, caller, now, computeContactCutoff(now, connectionTimeout));
  const total = <T>(pick: (row: (typeof rows)[number]) => T) => {
    const sums = new Map<T, number>();
    for (const row of rows) sums.set(pick(row), (sums.get(pick(row)) ?? 0) + row.n);
    return [...sums].map(([_id, count]) => ({ _id, count })).toSorted(bySize);
  };
  const byContact = new Map(total((row) => row.contact).map(({ _id, count }) => [_id, count]));
  const aWeek = byContact.get("7d") ?? 0;
  const outOfContact: Record<LastContactFilter, number> = {
    "24h": aWeek + (byContact.get("24h") ?? 0),
    "7d": aWeek,
    never: byContact.get("never") ?? 0,
  };
  return {
    totalByInfoFirmware: total((row) => row.version),
    totalByScomState: total((row) => row.state as "connected" | "notResponding" | "disconnected"),
    totalByType: total((row) => row.type as "APS" | "PS.C1" | "ZOD"),
    totalByMonitoringLicense: total((row) => row.monitored),
    totalByInstallation: total((row) => row.installation).flatMap(({ _id, count }) => (_id ? [{ _id, count }] : [])),
    totalByLastContact: lastContactFilters.map((_id) => ({ _id, count: outOfContact[_id] })),
  };
}
