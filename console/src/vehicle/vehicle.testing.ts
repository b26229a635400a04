// Vehicles for tests.
import type { Vehicle, VehicleCoach } from "@psp/contract/vehicle/vehicle.ts";

export function plainLoad(persons: number, seats = 60, standing = 40) {
  const percent = Math.round((persons * 100) / (seats + standing));
  return { persons, seats, standing, percent, seatsFree: Math.max(0, seats - persons) };
}

/** A coach with these persons, or an unknown one for null. */
export const plainCoach = (sequence: number, persons: number | null, at: string): VehicleCoach => ({
  sensorIDs: [`00:1E:C0:00:00:0${sequence}`],
  sequence,
  name: `Coach ${sequence}`,
  state: persons === null ? "unknown" : persons === 0 ? "empty" : "occupied",
  load: persons === null ? null : plainLoad(persons),
  at,
});

/** A vehicle whose coaches have these persons. */
export function plainVehicle(
  vehicleId: string,
  persons: readonly (number | null)[],
  at: string,
  more: Partial<Vehicle> = {},
): Vehicle {
  const known = persons.flatMap((n) => n ?? []);
  const isKnown = known.length === persons.length;
  const sum = known.reduce((all, n) => all + n, 0);
  return {
    _id: `owner_${vehicleId}`,
    vehicleId,
    owner: { _id: "owner", name: "Tram Lines", isDeleted: false },
    line: null,
    state: !isKnown ? "unknown" : sum === 0 ? "empty" : "occupied",
    load: isKnown ? plainLoad(sum, 60 * persons.length, 40 * persons.length) : null,
    position: { lat: 50, lng: 9, at },
    at,
    coaches: persons.map((n, index) => plainCoach(index + 1, n, at)),
    ...more,
  };
}
