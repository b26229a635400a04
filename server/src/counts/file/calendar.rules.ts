// Buckets of the local calendar, shared by all zones in rows of groups and columns of wide files.
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import { dayMs, hourMs, zoneOf } from "@psp/contract/kit/zone.ts";
import { countBuckets, type Range } from "../bucket.rules.ts";
import { bucketKey } from "../group/local-bucket.rules.ts";
import type { ZonePlan } from "./rows.rules.ts";
import { at, createSteps, type Steps } from "./steps.rules.ts";

/** Local times, in ms since 1970 as if they were UTC. */
export type Calendar = { by: BucketSize; steps: Steps };

const utc = zoneOf(null);

type Bounded = Pick<ZonePlan, "zone" | "days"> & { range: Range };

/** The local time from the first bucket of any zone to the last one. */
export function calendarRange(by: BucketSize, zones: readonly Bounded[]): Range {
  const some = zones.filter(({ range }) => range.from < range.to);
  if (some.length === 0) return { from: 0, to: 0 };
  const from = Math.min(...some.map(({ days }) => days.first)) * dayMs;
  const ends = some.map(({ zone, range }) =>
    by === "hour" ? bucketKey(zone, by, range.to - 1) + hourMs : (zone.dayAt(range.to - 1) + 1) * dayMs,
  );
  return { from, to: Math.max(...ends) };
}

export const countCalendar = (by: BucketSize, range: Range): number => countBuckets(utc, by, range);

export const createCalendar = (by: BucketSize, range: Range): Calendar => ({ by, steps: createSteps(utc, by, range) });

/** Maps the buckets of a zone to those of the calendar. */
export function placesIn({ by, steps: { range, ofDay } }: Calendar, steps: Steps): Int32Array {
  const { zone } = steps;
  const places = new Int32Array(steps.count);
  for (let index = 0; index < steps.count; index += 1) {
    const ms = at(steps.edges, index);
    places[index] = by === "hour" ? (bucketKey(zone, by, ms) - range.from) / hourMs : ofDay(zone.dayAt(ms));
  }
  return places;
}
