// Computes the occupancy of vehicles from the latest levels of their coaches, without a database (docs/rules/occupancy.md#vehicle-feed).
import type { OccupancyStatus } from "@psp/contract/feed/feed.ts";
import { idOf, itemsAt, valueAt } from "@psp/contract/section/values.ts";
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import type { Zones } from "./feed.tables.ts";

/** `group` is the settings section of that name, as the sensor returned it. */
export type Coach = { group: unknown; zones: Zones | null; pos: LivePosition | null; atMs: number | null };

export type Load = { persons: number; seats: number; standing: number };
/** `load` is null if unknown. `name` is null if several coaches have this position. */
type Carriage = { sequence: number; name: string | null; load: Load | null };
export type Vehicle = {
  id: string;
  carriages: Carriage[];
  load: Load | null;
  pos: LivePosition | null;
  /** Time of the latest message of any of its coaches. */
  atMs: number | null;
};

const silentMs = 5 * 60_000;
const maxSequence = 20;
/** Above this share of occupied seats, another person will hardly find a seat. */
const seatedPercent = 95;
/** Up to this share of occupied seats, many seats are available. */
const manySeatsPercent = 50;

/** Sorted by id; coaches without vehicle id are skipped. */
export function toVehicles(coaches: readonly Coach[], nowMs: number): Vehicle[] {
  const placed = coaches.flatMap((coach) => {
    const place = placeOf(coach.group);
    return place === null ? [] : [{ ...coach, ...place }];
  });
  const byVehicle = [...Map.groupBy(placed, ({ vehicleId }) => vehicleId)];
  return byVehicle
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, own]) => {
      const carriages = carriagesOf(own, nowMs);
      const heard = own.filter(({ atMs }) => atMs !== null).toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0));
      const newest = heard.find(({ atMs, pos }) => pos !== null && isFresh(atMs, nowMs));
      return {
        id,
        carriages,
        load: sumOf(carriages.map(({ load }) => load)),
        pos: newest?.pos ?? null,
        atMs: heard[0]?.atMs ?? null,
      };
    });
}

type Place = { vehicleId: string; sequence: number; name: string | null };
type PlacedCoach = Coach & Place;

function placeOf(group: unknown): Place | null {
  const vehicleId = valueAt(group, "coach.vehicleId");
  const sequence = valueAt(group, "coach.carriageSequence");
  const name = valueAt(group, "coach.name");
  if (typeof vehicleId !== "string" || vehicleId === "" || !isWhole(sequence)) return null;
  if (sequence < 1 || sequence > maxSequence) return null;
  return { vehicleId, sequence, name: typeof name === "string" && name !== "" ? name : null };
}

/**
 * Includes every position up to the last one, because readers drop lists with gaps. The load of a position without a sensor is
 * unknown.
 */
function carriagesOf(coaches: readonly PlacedCoach[], nowMs: number): Carriage[] {
  const last = Math.max(...coaches.map(({ sequence }) => sequence));
  return Array.from({ length: last }, (_, index) => {
    const sequence = index + 1;
    // Several sensors in one position see parts of one coach.
    const own = coaches.filter((coach) => coach.sequence === sequence);
    const load = own.length === 0 ? null : sumOf(own.map((coach) => loadOf(coach, nowMs)));
    return { sequence, name: own.length === 1 ? (own[0]?.name ?? null) : null, load };
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

const isFresh = (atMs: number | null, nowMs: number): boolean => atMs !== null && nowMs - atMs < silentMs;

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Compares integers, so that the limits are exact. */
export function toOccupancyStatus(load: Load | null): OccupancyStatus {
  if (load === null) return "NO_DATA_AVAILABLE";
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
