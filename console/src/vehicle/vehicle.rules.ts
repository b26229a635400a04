// Fullness and age of the load of vehicles.
import { levelLifetimeMs } from "@psp/contract/vehicle/vehicle-states.ts";
import type { Vehicle, VehicleLoad } from "@psp/contract/vehicle/vehicle.ts";

export type Fullness = "empty" | "free" | "busy" | "full" | "none";

/** Shares of the places in percent. */
const [busyPercent, fullPercent] = [60, 90];

export function fullnessOf(load: VehicleLoad | null): Fullness {
  if (load === null) return "none";
  if (load.persons === 0) return "empty";
  if (load.percent >= fullPercent) return "full";
  return load.percent >= busyPercent ? "busy" : "free";
}

const isOld = (at: string | null, now: number) => at !== null && now - Date.parse(at) >= levelLifetimeMs;

const nothingKnown: Pick<Vehicle, "load" | "state"> = { load: null, state: "unknown" };

/** Makes levels and positions unknown that are too old at `now`. Returns the same object if none is. */
export function ageVehicle(vehicle: Vehicle, now: number): Vehicle {
  const isStale = vehicle.coaches.some(({ at, load }) => load !== null && isOld(at, now));
  const isLost = vehicle.position !== null && isOld(vehicle.position.at, now);
  if (!isStale && !isLost) return vehicle;
  const coaches = vehicle.coaches.map((coach) =>
    coach.load !== null && isOld(coach.at, now) ? { ...coach, ...nothingKnown } : coach,
  );
  return {
    ...vehicle,
    ...(isStale ? nothingKnown : {}),
    position: isLost ? null : vehicle.position,
    coaches,
  };
}
