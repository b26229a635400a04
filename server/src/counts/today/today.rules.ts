// Compares the full hours of a day with those of earlier days: hours passed, curves, and the locations that changed most
// (docs/rules/counts.md#today).
import type { ChangedLocation } from "@psp/contract/counts/counts.api.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";
import { addSums, createZeroSums, type Sums } from "../aggregate.store.ts";
import type { Range } from "../bucket.rules.ts";
import { toCountSum } from "../count-sum.rules.ts";
import { type Series, sumsAt } from "../file/steps.rules.ts";

export const hoursPerDay = 24;

/** Sensors send the counts of an hour shortly after its end. */
const settleMs = 5 * 60_000;

/** Full hours of the local day that have passed by the clock of the zone. A repeated hour has passed after its second occurrence. */
export function countFullHours(zone: Zone, day: number, nowMs: number): number {
  let hours = hoursPerDay;
  while (hours > 0 && endOfHours(zone, day, hours) > nowMs - settleMs) hours -= 1;
  return hours;
}

/** The instant, within the local day, at which the clock first shows the hour after so many. */
function endOfHours(zone: Zone, day: number, hours: number): number {
  const [start, end] = [zone.dayStart(day), zone.dayStart(day + 1)];
  if (hours === 0) return start;
  return hours === hoursPerDay ? end : Math.min(end, Math.max(start, zone.instantOf(day * dayMs + hours * hourMs)));
}

export type SharedDay = {
  day: number;
  /** Full hours that have passed at half of the locations. */
  hours: number;
  /** The same in one zone, at most `hours`. */
  hoursIn(zone: Zone): number;
  nextMs: number;
};

/**
 * Chooses the date and the hour that most locations have reached. Those in zones further east are compared until the same hour, those
 * further west until their own one. `locations` has the zone of each; null if there are none.
 */
export function findSharedDay(locations: readonly Zone[], nowMs: number): SharedDay | null {
  const zones = [...Map.groupBy(locations, (zone) => zone)]
    .map(([zone, { length }]) => ({ zone, length }))
    .toSorted((a, b) => b.zone.localMs(nowMs) - a.zone.localMs(nowMs));
  let before = 0;
  const middle = zones.find(({ length }) => (before += length) * 2 >= locations.length)?.zone;
  if (!middle) return null;
  const day = middle.dayAt(nowMs);
  const hours = countFullHours(middle, day, nowMs);
  const own = new Map(zones.map(({ zone }) => [zone, Math.min(hours, countFullHours(zone, day, nowMs))]));
  const ends = [...own].flatMap(([zone, passed]) =>
    zone === middle || passed < hours ? [endOfHours(zone, day, passed + 1) + settleMs] : [],
  );
  return { day, hours, hoursIn: (zone) => own.get(zone) ?? 0, nextMs: Math.min(middle.dayStart(day + 1), ...ends) };
}

export type DayParts = (zone: Zone, day: number, hours: number) => Range;

/** Returns the first hours of local days. Locations share those of their zone, because converting local times is slow. */
export function createDayParts(): DayParts {
  const parts = new Map<string, Range>();
  return (zone, day, hours) =>
    parts.getOrInsertComputed(`${zone.name}/${day}/${hours}`, () => {
      return { from: zone.dayStart(day), to: endOfHours(zone, day, hours) };
    });
}

export function sumHours(series: Series, hours: number): Sums {
  const sums = createZeroSums();
  for (let hour = 0; hour < hours; hour += 1) addSums(sums, sumsAt(series, hour));
  return sums;
}

/** Adds up the same local hours of many locations. An hour that no location knows is null. */
export function createCurve(isOpenOnly: boolean) {
  const curve: (number | null)[] = Array.from({ length: hoursPerDay }, () => null);
  return {
    add(series: Series, hasHour = (_hour: number) => true): void {
      for (let hour = 0; hour < hoursPerDay; hour += 1) {
        if (!hasHour(hour)) continue;
        const { in: people } = toCountSum({ ...sumsAt(series, hour), expectedMs: 1 }, isOpenOnly);
        if (people !== null) curve[hour] = (curve[hour] ?? 0) + people;
      }
    },
    until: (hours: number) => {
      const known = curve.slice(0, hours).filter((people) => people !== null);
      return known.length === 0 ? null : known.reduce((sum, people) => sum + people, 0);
    },
    hours: curve,
  };
}

const ends = 3;
const alphabet = new Intl.Collator("en", { numeric: true });

/** Up to three at each end, and never one location at both. Equal changes are in the order of names. */
export function findEnds(changed: readonly ChangedLocation[]): { best: ChangedLocation[]; worst: ChangedLocation[] } {
  const byName = changed.toSorted((a, b) => alphabet.compare(a.name, b.name) || (a._id < b._id ? -1 : 1));
  const each = Math.min(ends, Math.floor(changed.length / 2));
  const best = byName.toSorted((a, b) => b.change - a.change).slice(0, each);
  const taken = new Set(best);
  const rest = byName.filter((one) => !taken.has(one));
  return { best, worst: rest.toSorted((a, b) => a.change - b.change).slice(0, each) };
}
