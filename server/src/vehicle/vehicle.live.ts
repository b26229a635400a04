// Loads vehicles whose coaches have changed, for the live channel.
import { findOwners } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import { toVehicleKey } from "../feed/vehicle.rules.ts";
import type { ChangedVehicle, CoachChanges } from "../live/vehicles-feed.ts";
import { computeVehicles } from "./vehicle.service.ts";
import { findVehiclesOfSensors } from "./vehicle.store.ts";
import { toLiveVehicle } from "./vehicle.wire.ts";

export async function findChangedVehicles(ctx: Context, { sensors, left }: CoachChanges): Promise<ChangedVehicle[]> {
  const present = await findVehiclesOfSensors(ctx.db, [...sensors.keys()]);
  const former = new Map(left.map((key) => [toVehicleKey(key.ownerId, key.vehicleId), key]));
  const keys = new Map([...former, ...present.map((key) => [toVehicleKey(key.ownerId, key.vehicleId), key] as const)]);
  const [vehicles, owners] = await Promise.all([
    computeVehicles(ctx, [...keys.values()], ctx.clock.now()),
    findOwners(ctx.db, [...new Set([...keys.values()].map(({ ownerId }) => ownerId))]),
  ]);
  const found = vehicles.flatMap((vehicle): ChangedVehicle[] => {
    const owner = owners.get(vehicle.ownerId);
    const obj = toLiveVehicle(vehicle);
    const coaches = obj.coaches.filter(({ sensorIDs }) => sensorIDs.some((id) => sensors.has(id)));
    const isMoved = vehicle.carriages.some(({ sensorIds }) => sensorIds.some((id) => sensors.get(id)));
    const op = isMoved || former.has(obj._id) ? "create" : "update";
    return owner ? [{ owner, op, obj: { ...obj, coaches } }] : [];
  });
  const remaining = new Set(found.map(({ obj }) => obj._id));
  const gone = [...former].flatMap(([_id, { ownerId }]): ChangedVehicle[] => {
    const owner = owners.get(ownerId);
    return owner && !remaining.has(_id) ? [{ owner, op: "delete", obj: { _id, coaches: [] } }] : [];
  });
  return [...found, ...gone];
}
