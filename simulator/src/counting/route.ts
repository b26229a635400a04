// Deterministic route of a vehicle: a half-hour round trip with stops and a tunnel.
import { seededRandom, mixSeeds } from "../random.ts";

export type Position = {
  lat: number;
  lng: number;
  speedMps: number;
  /** 0 north, 90 east. */
  headingDeg: number;
  isInTunnel: boolean;
};

const lapMs = 30 * 60_000;
const stops = 10;
const legMs = lapMs / stops;
const standMs = 30_000;
const tunnelLeg = 6;
const metersPerDegree = 111_320;

/** Fraction of the lap, 0..1; each leg starts with a stop, then accelerates and brakes. */
function progress(at: number): number {
  const inLap = ((at % lapMs) + lapMs) % lapMs;
  const leg = Math.floor(inLap / legMs);
  const moving = Math.max(0, (inLap - leg * legMs - standMs) / (legMs - standMs));
  return (leg + moving * moving * (3 - 2 * moving)) / stops;
}

/** The latest time, until `at`, at which the doors were open. */
export function lastOpenDoors(at: number): number {
  const inLeg = ((at % legMs) + legMs) % legMs;
  return at - Math.max(0, inLeg - standMs);
}

/** Delay of a vehicle behind others, so that they are not all at a stop or in a tunnel at the same time. */
export const delayOf = (seed: number): number => seed % lapMs;

/**
 * A closed curve around a town chosen by the seed, with a radius of about two to four kilometers. Returns meters east
 * and north of the center.
 */
function placeOn(seed: number, share: number): { east: number; north: number } {
  const draw = seededRandom(mixSeeds(seed, 3));
  const radius = 2000 + 2000 * draw();
  const [one, other] = [draw() * 2 * Math.PI, draw() * 2 * Math.PI];
  const angle = share * 2 * Math.PI;
  const r = radius * (1 + 0.22 * Math.sin(2 * angle + one) + 0.1 * Math.sin(5 * angle + other));
  return { east: r * Math.cos(angle), north: r * Math.sin(angle) };
}

export function positionAt(seed: number, at: number): Position {
  const draw = seededRandom(seed);
  const [lat, lng] = [47 + draw() * 6, 7 + draw() * 7];
  const { east, north } = placeOn(seed, progress(at));
  const next = placeOn(seed, progress(at + 1000));
  const [dx, dy] = [next.east - east, next.north - north];
  // A stopped vehicle still points along the road.
  const ahead = placeOn(seed, progress(at) + 0.001);
  const heading = (Math.atan2(ahead.east - east, ahead.north - north) * 180) / Math.PI;
  const inLap = ((at % lapMs) + lapMs) % lapMs;
  const inLeg = (inLap % legMs) / legMs;
  return {
    lat: lat + north / metersPerDegree,
    lng: lng + east / (metersPerDegree * Math.cos((lat * Math.PI) / 180)),
    speedMps: Math.hypot(dx, dy),
    headingDeg: (heading + 360) % 360,
    isInTunnel: Math.floor(inLap / legMs) === tunnelLeg && inLeg > 0.35 && inLeg < 0.85,
  };
}

/** Planar approximation, exact enough for short distances. */
export function metersBetween(one: Pick<Position, "lat" | "lng">, other: Pick<Position, "lat" | "lng">): number {
  const east = (other.lng - one.lng) * Math.cos((one.lat * Math.PI) / 180);
  return metersPerDegree * Math.hypot(other.lat - one.lat, east);
}
