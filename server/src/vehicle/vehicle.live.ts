// Loads vehicles whose coaches have changed, for the live channel.
import { findOwners } from "../owned/owner.ts";
import type { Context } from "../context.ts";
import type { ChangedVehicle } from "../live/vehicles-feed.ts";
import { computeVehicles } from "./vehicle.service.ts";
import { findVehiclesOfSensors } from "./vehicle.store.ts";
import { toLiveVehicle } from "./vehicle.wire.ts";

export async function findChangedVehicles(ctx: Context, sensorIds: readonly string[]): Promise<ChangedVehicle[]> {
  const keys = await findVehiclesOfSensors(ctx.db, sensorIds);
  const [vehicles, owners] = await Promise.all([
    computeVehicles(ctx, keys, ctx.clock.now()),
    findOwners(ctx.db, [...new Set(keys.map(({ ownerId }) => ownerId))]),
  ]);
  const changed = new Set(sensorIds);
  return vehicles.flatMap((vehicle) => {
    const owner = owners.get(vehicle.ownerId);
    const obj = toLiveVehicle(vehicle);
    const coaches = obj.coaches.filter(({ sensorIDs }) => sensorIDs.some((id) => changed.has(id)));
    const sensors = vehicle.carriages.flatMap(({ sensorIds: ids }) => ids);
    return owner ? [{ owner, sensorIds: sensors, obj: { ...obj, coaches } }] : [];
  });
}
