// Deterministic visitor traffic: the same seed and date always produce the same counts.
import { dayAt } from "./calendar.ts";
import { localMoment } from "../local-time.ts";
import { seededRandom, mixSeeds, drawPoisson } from "../random.ts";
import type { SensorConditions } from "../faults/world.ts";

type Line = { id: string; name: string; /** Share of the site's people who use this line. */ share: number };
export type Profile = {
  seed: number;
  kind: SiteKind;
  zone: string;
  /** Country whose holidays and seasons apply; without one, all weeks are alike. */
  country?: string | undefined;
  /** Relative to a typical site of this kind. */
  size: number;
  lines: readonly Line[];
  /** Whether the sensor distinguishes adults from children. */
  classes: boolean;
  /** Whether the sensor monitors a zone for occupancy and dwell times. */
  zone1: boolean;
  /** The coach of a train. All coaches of a train are on the same route, and people change only at stops. */
  coach?: CoachPlace | undefined;
};
export type CoachPlace = { vehicle: string; sequence: number };

export type LineTally = {
  id: string;
  /** Actual passages. */
  in: number;
  out: number;
  /** Passages that the sensor detected, and how many of them were adults and children. */
  seenIn: number;
  seenOut: number;
  adult: [number, number];
  child: [number, number];
};
type ZoneTally = {
  min: number;
  max: number;
  avg: number;
  last: number;
  left: number;
  stayS: number;
  maxS: number;
};
export type Tally = { s: number; e: number; lines: LineTally[]; zone: ZoneTally | null };

/** Passages are generated per quarter hour, each with its own second. */
const slotMs = 900_000;
const childShare = 0.13;

type Bin = {
  tally: Tally;
  /** Entries (+) and exits (−) as [time, change]; only for zones. */ moves: [number, number][];
};

/**
 * Passages in `n` intervals of `lengthMs` from `from` (ms UTC). Everyone who enters leaves through the same line before the site
 * closes, so every day is balanced.
 */
export function computeTallies(
  profile: Profile,
  world: SensorConditions,
  from: number,
  lengthMs: number,
  n: number,
): Tally[] {
  const to = from + n * lengthMs;
  const bins: Bin[] = Array.from({ length: n }, (_, index) => emptyBin(profile, from + index * lengthMs, lengthMs));
  const binAt = (at: number): Bin | undefined => bins[Math.floor((at - from) / lengthMs)];
  const site = sites[profile.kind];
  const lookBackMs = (site.maxStayMin + 30) * 60_000;
  let inside = 0;

  for (let slot = Math.floor((from - lookBackMs) / slotMs); slot * slotMs < to; slot++) {
    const slotStart = slot * slotMs;
    const { weekday, minute, dayNumber } = localMoment(profile.zone, slotStart);
    const { isHoliday, factor } = dayAt(profile.kind, profile.country, dayNumber);
    const rate = arrivalRate(site, isHoliday ? 0 : weekday, minute) * factor;
    if (rate === 0) continue;
    const closesInMs = (site.closesAt - minute) * 60_000;
    const mood = 0.85 + 0.3 * (mixSeeds(profile.seed, dayNumber) / 4294967296);
    for (let lineIndex = 0; lineIndex < profile.lines.length; lineIndex++) {
      const share = profile.lines[lineIndex]?.share ?? 0;
      const draw = seededRandom(mixSeeds(profile.seed, lineIndex + 1, slot));
      const people = drawPoisson((rate / 4) * profile.size * mood * share, draw);
      for (let person = 0; person < people; person++) {
        const offset = Math.floor(draw() * slotMs);
        const stayMs = stay(site.meanStayMin, site.maxStayMin, draw());
        const late = draw();
        const isChild = draw() < childShare;
        const notice = draw();
        const inAt = slotStart + offset;
        const outAt = Math.max(
          inAt + 1000,
          Math.min(inAt + stayMs, slotStart + closesInMs + Math.floor(late * 600_000)),
        );
        const who = { lineIndex, isChild, notice };
        if (inAt >= from && inAt < to) pass(binAt(inAt), inAt, 0, who, world);
        else if (inAt < from && outAt >= from) inside++;
        if (outAt >= from && outAt < to) {
          pass(binAt(outAt), outAt, 1, who, world);
          if (profile.zone1) noteStay(binAt(outAt), (outAt - inAt) / 1000);
        }
      }
    }
  }
  if (profile.zone1) for (const bin of bins) inside = closeZone(bin, inside);
  return bins.map((bin) => bin.tally);
}

function stay(meanMin: number, maxMin: number, luck: number): number {
  return Math.floor(Math.min(maxMin, 0.5 - meanMin * Math.log(1 - luck)) * 60_000);
}

function emptyBin(profile: Profile, s: number, lengthMs: number): Bin {
  const lines = profile.lines.map(({ id }): LineTally => ({
    id,
    in: 0,
    out: 0,
    seenIn: 0,
    seenOut: 0,
    adult: [0, 0],
    child: [0, 0],
  }));
  const zone = profile.zone1 ? { min: 0, max: 0, avg: 0, last: 0, left: 0, stayS: 0, maxS: 0 } : null;
  return { tally: { s, e: s + lengthMs, lines, zone }, moves: [] };
}

type Person = { lineIndex: number; isChild: boolean; notice: number };

function pass(bin: Bin | undefined, at: number, way: 0 | 1, person: Person, world: SensorConditions): void {
  const { lineIndex, isChild, notice } = person;
  const line = bin?.tally.lines[lineIndex];
  if (!bin || !line) return;
  if (way === 0) line.in++;
  else line.out++;
  if (bin.tally.zone) bin.moves.push([at, way === 0 ? 1 : -1]);
  const noticed =
    world.plain || (notice < world.sees(at, way === 0 ? "in" : "out") && world.view(at) === 0 && world.powered(at));
  if (!noticed) return;
  if (way === 0) line.seenIn++;
  else line.seenOut++;
  (isChild ? line.child : line.adult)[way]++;
}

function noteStay(bin: Bin | undefined, seconds: number): void {
  const zone = bin?.tally.zone;
  if (!zone) return;
  zone.left++;
  zone.stayS += seconds;
  zone.maxS = Math.max(zone.maxS, seconds);
}

/** Applies entries and exits of one interval to the zone; returns the occupancy at its end. */
function closeZone({ tally, moves }: Bin, insideBefore: number): number {
  const zone = tally.zone;
  if (!zone) return insideBefore;
  let inside = insideBefore;
  let since = tally.s;
  let area = 0;
  zone.min = zone.max = inside;
  for (const [at, change] of moves.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    area += inside * (at - since);
    since = at;
    inside += change;
    zone.min = Math.min(zone.min, inside);
    zone.max = Math.max(zone.max, inside);
  }
  area += inside * (tally.e - since);
  zone.avg = Math.round((area / (tally.e - tally.s)) * 100) / 100;
  zone.last = inside;
  return inside;
}

export function computeTally(profile: Profile, world: SensorConditions, s: number, e: number): Tally {
  const [tally] = computeTallies(profile, world, s, Math.max(1, e - s), 1);
  return tally ?? emptyBin(profile, s, e - s).tally;
}

export const siteKinds = ["shop", "station", "library"] as const;
export type SiteKind = (typeof siteKinds)[number];

type Site = {
  daily: number;
  /** Weight of each local hour, 0 if closed. */
  hours: readonly number[];
  /** Factor of the day, and its hours if they differ from weekdays. */
  saturday: { factor: number; hours?: readonly number[] };
  sunday: { factor: number; hours?: readonly number[] };
  /** Minute of the local day at which everyone leaves. */
  closesAt: number;
  /** Mean and maximum stay in minutes. */
  meanStayMin: number;
  maxStayMin: number;
};

const hours = (from: number, ...weights: number[]): number[] =>
  Array.from({ length: 24 }, (_, hour) => weights[hour - from] ?? 0);

const sites: Record<SiteKind, Site> = {
  shop: {
    daily: 620,
    hours: hours(9, 3, 5, 7, 8, 7, 6, 7, 9, 10, 8, 4),
    saturday: { factor: 1.55, hours: hours(9, 3, 6, 9, 11, 11, 10, 10, 9, 7, 4, 2) },
    sunday: { factor: 0.4, hours: hours(12, 3, 6, 8, 7, 5, 2) },
    closesAt: 20 * 60 + 10,
    meanStayMin: 16,
    maxStayMin: 90,
  },
  station: {
    daily: 2600,
    hours: hours(4, 1, 4, 9, 14, 13, 8, 6, 6, 7, 7, 7, 9, 13, 14, 10, 6, 4, 3, 2, 1),
    saturday: { factor: 0.6, hours: hours(5, 1, 2, 4, 6, 8, 9, 10, 10, 9, 9, 9, 9, 8, 7, 6, 5, 4, 3, 2) },
    sunday: { factor: 0.45, hours: hours(6, 1, 2, 4, 6, 8, 9, 9, 9, 9, 9, 9, 8, 7, 6, 4, 3, 2, 1) },
    closesAt: 24 * 60 + 20,
    meanStayMin: 7,
    maxStayMin: 45,
  },
  library: {
    daily: 480,
    hours: hours(8, 4, 8, 10, 10, 8, 9, 10, 9, 8, 7, 5, 4, 2, 1),
    saturday: { factor: 0.7, hours: hours(10, 5, 8, 9, 9, 8, 6, 3) },
    sunday: { factor: 0 },
    closesAt: 22 * 60,
    meanStayMin: 65,
    maxStayMin: 240,
  },
};

const totals = new Map<readonly number[], number>();
function share(weights: readonly number[], minute: number): number {
  const total = totals.getOrInsertComputed(weights, () => weights.reduce((sum, weight) => sum + weight, 0));
  return total ? (weights[Math.floor(minute / 60)] ?? 0) / total : 0;
}

/** Arrivals per hour at a minute of a weekday (0 = Sunday), for a typical site. */
function arrivalRate(site: Site, weekday: number, minute: number): number {
  if (weekday === 6) return site.daily * site.saturday.factor * share(site.saturday.hours ?? site.hours, minute);
  if (weekday === 0) return site.daily * site.sunday.factor * share(site.sunday.hours ?? site.hours, minute);
  return site.daily * share(site.hours, minute);
}
