// Use cases of vehicles; reads only.
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { uuid } from "@psp/contract/kit/ids.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type * as calls from "@psp/contract/vehicle/vehicle.api.ts";
import type { Vehicle, VehicleDay } from "@psp/contract/vehicle/vehicle.ts";
import type { Context } from "../context.ts";
import { toCoach } from "../feed/feed.service.ts";
import { toVehicleKey, toVehicles, type Vehicle as ComputedVehicle } from "../feed/vehicle.rules.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { slotMs, toSlots } from "./day.rules.ts";
import * as store from "./vehicle.store.ts";
import { toVehicle } from "./vehicle.wire.ts";

export async function listVehicles(
  ctx: Context,
  caller: Caller,
  { skip = 0, limit = ctx.config.pageSize, ...query }: HandlerInput<typeof calls.listVehicles>["query"],
) {
  const { includeTotals, sortBy, sortDesc, ...filter } = query;
  const now = ctx.clock.now();
  const sort = sortKeys({ sortBy, sortDesc });
  const [rows, total] = await Promise.all([
    store.findVehiclePage(ctx.db, caller, filter, now, { sort, skip, limit }),
    includeTotals ? store.countVehicles(ctx.db, caller, filter, now) : undefined,
  ]);
  const objects = await complete(ctx, rows, now);
  return total === undefined ? { objects } : { objects, total };
}

async function complete(ctx: Context, rows: store.VehicleRow[], now: number): Promise<Vehicle[]> {
  const keys = rows.map(({ owner_id, vehicle_id }) => ({ ownerId: owner_id, vehicleId: vehicle_id }));
  const computed = await computeVehicles(ctx, keys, now);
  const byKey = new Map(computed.map((one) => [toVehicleKey(one.ownerId, one.id), one]));
  return rows.flatMap((row) => {
    const vehicle = byKey.get(toVehicleKey(row.owner_id, row.vehicle_id));
    return vehicle ? [toVehicle(ctx, row, vehicle)] : [];
  });
}

export async function computeVehicles(
  ctx: Context,
  keys: readonly store.VehicleKey[],
  now: number,
): Promise<ComputedVehicle[]> {
  return toVehicles((await store.findCoachesOf(ctx.db, keys, now)).map(toCoach), now);
}

/** Throws 105 unless the caller may view this vehicle. */
export async function getVehicle(ctx: Context, caller: Caller, id: string): Promise<Vehicle> {
  const now = ctx.clock.now();
  const key = parseKey(id);
  const row = key && (await store.findVehicle(ctx.db, caller, key, now));
  const [vehicle] = row ? await complete(ctx, [row], now) : [];
  if (!vehicle) throw new AppError(errorCode.notFound);
  return vehicle;
}

function parseKey(id: string): store.VehicleKey | null {
  const at = id.indexOf("_");
  const owner = uuid.safeParse(id.slice(0, at));
  const vehicleId = id.slice(at + 1);
  return at > 0 && owner.success && vehicleId !== "" && vehicleId.isWellFormed() && !vehicleId.includes("\0")
    ? { ownerId: owner.data, vehicleId }
    : null;
}

export async function getDay(
  ctx: Context,
  caller: Caller,
  id: string,
  query: HandlerInput<typeof calls.getVehicleDay>["query"],
): Promise<VehicleDay> {
  await getVehicle(ctx, caller, id);
  const key = parseKey(id);
  const day = parseDay(query.date);
  if (!key || day === null) throw new AppError(errorCode.invalidArgument);
  const zone = zoneOf(query.zone ?? null);
  const [fromMs, toMs, now] = [zone.dayStart(day), zone.dayStart(day + 1), ctx.clock.now()];
  const [rows, present] = await Promise.all([
    store.findLoads(ctx.db, key, new Date(fromMs), new Date(toMs)),
    now >= fromMs && now < toMs ? store.findSensorNums(ctx.db, key) : [],
  ]);
  const loads = rows.map(({ slot_at, sensor_num, ...load }) => ({
    ...load,
    slotMs: slot_at.getTime(),
    sensorNum: sensor_num,
  }));
  return {
    date: query.date,
    zone: zone.name,
    slotMinutes: slotMs / 60_000,
    slots: toSlots(loads, { fromMs, toMs, untilMs: now, present }),
  };
}
