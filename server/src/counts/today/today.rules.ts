// Compares the full hours of a day with those of earlier days: hours passed, curves, and the locations that changed most
// (docs/rules/counts.md#today).
import type { ChangedLocation } from "@psp/contract/counts/counts.api.ts";
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";
import { addSums, createZeroSums, type Sums } from "../aggregate.store.ts";
import type { Range } from "../bucket.rules.ts";
import { toCountSum } from "../counts.service.ts";
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

/** The local day of a zone. */
export type ZoneDay = { zone: Zone; day: number };

/** The hours that have passed in every zone, each on its own day, and when that changes. */
export function countSharedHours(days: readonly ZoneDay[], nowMs: number): { hours: number; nextMs: number | null } {
  if (days.length === 0) return { hours: 0, nextMs: null };
  const passed = days.map((one) => ({ ...one, hours: countFullHours(one.zone, one.day, nowMs) }));
  const hours = Math.min(...passed.map((one) => one.hours));
  // The last zone has to reach the next hour, unless a day ends first.
  const reached = passed
    .filter((one) => one.hours === hours && hours < hoursPerDay)
    .map(({ zone, day }) => endOfHours(zone, day, hours + 1) + settleMs);
  const dayEnds = days.map(({ zone, day }) => zone.dayStart(day + 1));
  return { hours, nextMs: Math.min(...dayEnds, Math.max(...reached)) };
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
    add(series: Series): void {
      for (let hour = 0; hour < hoursPerDay; hour += 1) {
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
