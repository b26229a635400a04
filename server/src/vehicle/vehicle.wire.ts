// Converts vehicles to the API format; no other file does so.
import type { Vehicle, VehicleLoad } from "@psp/contract/vehicle/vehicle.ts";
import type { Context } from "../context.ts";
import {
  type Load,
  toOccupancyPercentage,
  toVehicleKey,
  type Vehicle as ComputedVehicle,
} from "../feed/vehicle.rules.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { VehicleRow } from "./vehicle.store.ts";

function toLoad(load: Load | null): VehicleLoad | null {
  return load && { ...load, percent: toOccupancyPercentage(load), seatsFree: Math.max(0, load.seats - load.persons) };
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The part that changes with each level, for live messages and the list. */
export function toLiveVehicle({ id, ownerId, state, load, pos, atMs, carriages }: ComputedVehicle) {
  return {
    _id: toVehicleKey(ownerId, id),
    state,
    load: toLoad(load),
    position: pos && {
      lat: pos.lat,
      lng: pos.lng,
      ...(pos.heading === undefined ? {} : { heading: pos.heading }),
      ...(pos.speed === undefined ? {} : { speed: pos.speed }),
      at: new Date(pos.atMs).toISOString(),
    },
    at: toTime(atMs),
    coaches: carriages.map((carriage) => ({
      sensorIDs: carriage.sensorIds,
      sequence: carriage.sequence,
      name: carriage.name,
      state: carriage.state,
      load: toLoad(carriage.load),
      at: toTime(carriage.atMs),
    })),
  };
}

export function toVehicle(ctx: Context, row: VehicleRow, vehicle: ComputedVehicle): Vehicle {
  return { ...toLiveVehicle(vehicle), vehicleId: row.vehicle_id, owner: toOwnerRef(ctx, row), line: row.line };
}
