// The dashboard's figures about sensors, counted over what the caller sees (spec 2 §3).
import { viewSet } from "@psp/contract/permission/can.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Database } from "../db/database.ts";
import { countGroups } from "./sensor.store.ts";
import { createSingleFlight, type SingleFlight } from "../limits/single-flight.ts";

type Stats = Awaited<ReturnType<typeof countStats>>;
const flights = new WeakMap<Database, SingleFlight<Stats>>();

/**
 * The figures of the visible sensors; `connectionTimeout` is in hours. Every open console asks again after a message, so
 * those with the same view who ask at the same time share one pass.
 */
export function sensorStats(ctx: Context, caller: Caller, connectionTimeout: number): Promise<Stats> {
  const same = flights.get(ctx.db) ?? createSingleFlight<Stats>();
  flights.set(ctx.db, same);
  const view = JSON.stringify([caller.id, caller.path, viewSet(caller, "sensor"), connectionTimeout]);
  return same(view, () => countStats(ctx, caller, connectionTimeout));
}

/** The biggest first; what is of one size always in one order, or a refreshed list would change places. */
const bySize = (a: { _id: unknown; count: number }, b: { _id: unknown; count: number }) =>
  b.count - a.count || (String(a._id) < String(b._id) ? -1 : 1);

async function countStats(ctx: Context, caller: Caller, connectionTimeout: number) {
  const contactSince = new Date(ctx.clock.now() - connectionTimeout * 3_600_000);
  const rows = await countGroups(ctx.db, caller, contactSince);
  const total = <T>(pick: (row: (typeof rows)[number]) => T) => {
    const sums = new Map<T, number>();
    for (const row of rows) sums.set(pick(row), (sums.get(pick(row)) ?? 0) + row.n);
    return [...sums].map(([_id, count]) => ({ _id, count })).toSorted(bySize);
  };
  return {
    totalByInfoFirmware: total((row) => row.version),
    totalByScomState: total((row) => row.state as "connected" | "notResponding" | "disconnected"),
    totalByType: total((row) => row.type as "APS" | "PS.C1" | "ZOD"),
    totalByMonitoringLicense: total((row) => row.monitored),
  };
}
