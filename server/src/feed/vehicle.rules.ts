// Computes the occupancy of vehicles from the latest levels of their coaches, without a database (docs/rules/occupancy.md#vehicle-feed).
import type { OccupancyStatus } from "@psp/contract/feed/feed.ts";
import { idOf, itemsAt, valueAt } from "@psp/contract/section/values.ts";
import { isRealPosition, type LivePosition } from "@psp/contract/device/live-level.ts";
import { levelLifetimeMs, type VehicleState } from "@psp/contract/vehicle/vehicle-states.ts";
import type { Zones } from "./feed.tables.ts";

/** `group` is the settings section of that name, as the sensor returned it. */
export type Coach = {
  sensorId: string;
  ownerId: string;
  group: unknown;
  zones: Zones | null;
  pos: LivePosition | null;
  atMs: number | null;
  /** Whether the sensor has been disconnected for so long that the vehicle may be out of service. */
  isOff: boolean;
};

export type Load = { persons: number; seats: number; standing: number };
/** `load` is null if unknown. `name` is null if several coaches have this position. */
export type Carriage = {
  sequence: number;
  name: string | null;
  sensorIds: string[];
  load: Load | null;
  state: VehicleState;
  atMs: number | null;
};
export type Vehicle = {
  id: string;
  ownerId: string;
  carriages: Carriage[];
  load: Load | null;
  state: VehicleState;
  pos: (LivePosition & { atMs: number }) | null;
  /** Time of the latest message of any of its coaches. */
  atMs: number | null;
};

const maxSequence = 20;
const maxIdLength = 64;
const maxPlaces = 1_000_000;
/** Above this share of occupied seats, another person will hardly find a seat. */
const seatedPercent = 95;
/** Up to this share of occupied seats, many seats are available. */
const manySeatsPercent = 50;

/** Sorted by id and owner; coaches without vehicle id are skipped. Coaches of different owners are never in one vehicle. */
export function toVehicles(coaches: readonly Coach[], nowMs: number): Vehicle[] {
  const placed = coaches.flatMap((coach) => {
    const place = placeOf(coach.group);
    return place === null ? [] : [{ ...coach, ...place }];
  });
  return [...Map.groupBy(placed, ({ vehicleId, ownerId }) => toVehicleKey(ownerId, vehicleId)).values()]
    .map((own) => toVehicle(own, nowMs))
    .toSorted((one, other) => compare(one.id, other.id) || compare(one.ownerId, other.ownerId));
}

/** Id of a vehicle in the API. Account ids contain no underscore. */
export const toVehicleKey = (ownerId: string, vehicleId: string): string => `${ownerId}_${vehicleId}`;

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

function toVehicle(own: PlacedCoach[], nowMs: number): Vehicle {
  const [{ vehicleId: id, ownerId } = { vehicleId: "", ownerId: "" }] = own;
  const isOff = own.every((coach) => coach.isOff && !isFresh(coach.atMs, nowMs));
  const carriages = carriagesOf(own, nowMs, isOff);
  const load = sumOf(carriages.map((one) => one.load));
  const heard = own.filter(({ atMs }) => atMs !== null).toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0));
  const newest = heard.find(({ atMs, pos }) => pos !== null && isRealPosition(pos) && isFresh(atMs, nowMs));
  return {
    id,
    ownerId,
    carriages,
    load,
    state: stateOf(load, isOff),
    pos: newest?.pos ? { ...newest.pos, atMs: newest.atMs ?? 0 } : null,
    atMs: heard[0]?.atMs ?? null,
  };
}

/** A single sensor that is off leaves its coach unknown: the sensor may be broken while the vehicle is running. */
function stateOf(load: Load | null, isVehicleOff: boolean): VehicleState {
  if (load) return load.persons === 0 ? "empty" : "occupied";
  return isVehicleOff ? "outOfService" : "unknown";
}

type Place = { vehicleId: string; sequence: number; name: string | null };
type PlacedCoach = Coach & Place;

function placeOf(group: unknown): Place | null {
  const vehicleId = valueAt(group, "coach.vehicleId");
  const sequence = valueAt(group, "coach.carriageSequence");
  const name = valueAt(group, "coach.name");
  if (typeof vehicleId !== "string" || !isWhole(sequence)) return null;
  if (vehicleId === "" || vehicleId.length > maxIdLength) return null;
  if (sequence < 1 || sequence > maxSequence) return null;
  return { vehicleId, sequence, name: typeof name === "string" && name !== "" ? name : null };
}

/**
 * Includes every position up to the last one, because readers drop lists with gaps. The load of a position without a sensor is
 * unknown.
 */
function carriagesOf(coaches: readonly PlacedCoach[], nowMs: number, isOff: boolean): Carriage[] {
  const last = Math.max(...coaches.map(({ sequence }) => sequence));
  return Array.from({ length: last }, (_, index) => {
    const sequence = index + 1;
    // Several sensors in one position see parts of one coach.
    const own = coaches.filter((coach) => coach.sequence === sequence);
    const load = own.length === 0 ? null : sumOf(own.map((coach) => loadOf(coach, nowMs)));
    const times = own.flatMap(({ atMs }) => atMs ?? []);
    return {
      sequence,
      name: own.length === 1 ? (own[0]?.name ?? null) : null,
      sensorIds: own.map(({ sensorId }) => sensorId),
      load,
      state: stateOf(load, isOff),
      atMs: times.length === 0 ? null : Math.max(...times),
    };
  });
}

function sumOf(loads: readonly (Load | null)[]): Load | null {
  return loads.reduce(
    (sum, load) =>
      sum &&
      load && {
        persons: sum.persons + load.persons,
        seats: sum.seats + load.seats,
        standing: sum.standing + load.standing,
      },
    { persons: 0, seats: 0, standing: 0 },
  );
}

/** Null unless every vehicle section has valid capacities and was seen within the last minutes. */
function loadOf({ group, zones, atMs }: Coach, nowMs: number): Load | null {
  if (zones === null || !isFresh(atMs, nowMs)) return null;
  const people = new Map(zones.map(({ id, n }) => [id, n]));
  const sections = itemsAt(group, "sections").map((section): Load | null => {
    const persons = people.get(idOf(section) ?? "");
    const [seats, standing] = [valueAt(section, "seats"), valueAt(section, "standing")];
    return persons !== undefined && isWhole(seats) && isWhole(standing) ? { persons, seats, standing } : null;
  });
  const load = sumOf(sections);
  return load && load.seats + load.standing > 0 ? load : null;
}

const isFresh = (atMs: number | null, nowMs: number): boolean => atMs !== null && nowMs - atMs < levelLifetimeMs;

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxPlaces;
}

/** Compares integers, so that the limits are exact. */
export function toOccupancyStatus({ load, state }: Pick<Vehicle, "load" | "state">): OccupancyStatus {
  if (load === null) return state === "outOfService" ? "NOT_ACCEPTING_PASSENGERS" : "NO_DATA_AVAILABLE";
  const { persons, seats, standing } = load;
  if (persons === 0) return "EMPTY";
  if (persons >= seats + standing) return "FULL";
  // Without standing places, the status is FEW_SEATS_AVAILABLE until the vehicle is full.
  if (standing > 0 && persons * 100 > seats * seatedPercent) return "STANDING_ROOM_ONLY";
  return persons * 100 > seats * manySeatsPercent ? "FEW_SEATS_AVAILABLE" : "MANY_SEATS_AVAILABLE";
}

/** Percentage of all seats and standing places that are occupied; more than 100 if overcrowded. */
export function toOccupancyPercentage({ persons, seats, standing }: Load): number {
  return Math.round((persons * 100) / (seats + standing));
}
