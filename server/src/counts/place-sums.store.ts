// Sums the counts of many locations, each in a range of its own, in a few queries.
import { sql } from "kysely";
import { toPgColumn } from "../db/arrays.ts";
import type { Reader } from "../db/database.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import { type HoursKeys } from "../db/applied-hours.ts";
import { findLocationHours, type LocationHours } from "../opening/opening.store.ts";
import {
  addSums,
  createExpectedTimeCalculator,
  createZeroSums,
  daySumColumns,
  forEachStart,
  splitDays,
  type Sums,
  toSums,
} from "./aggregate.store.ts";
import type { Range } from "./bucket.rules.ts";
import {
  clipSlices,
  computeSumsFrom,
  findStays,
  type SensorSlice,
  type Stay,
  toSlices,
  scaleExpected,
  toExpectedSpans,
} from "./stay.store.ts";

export type LocationStays = { id: string; zone: Zone; stays: readonly Stay[]; hours: LocationHours | null };
export type LocationRange = { place: LocationStays; range: Range };

type Located = HoursKeys & { id: string; timezone: string | null };

/** Loads the stays and opening hours of locations, in their order. */
export async function findLocationStays(reader: Reader, locations: readonly Located[]): Promise<LocationStays[]> {
  const places = locations.map((one) => ({ ...one, locationId: one.id, zone: zoneOf(one.timezone) }));
  const [stays, hours] = await Promise.all([
    findStays(
      reader,
      locations.map(({ id }) => id),
    ),
    findLocationHours(reader, places),
  ]);
  return places.map(({ id, zone }, index) => ({
    id,
    zone,
    stays: stays.get(id) ?? [],
    hours: hours[index] ?? null,
  }));
}

export function addExpectedTime({ place, range }: LocationRange, sums: Sums, nowMs: number) {
  return {
    ...sums,
    expectedMs: createExpectedTimeCalculator(toExpectedSpans(place.stays, place.hours))(
      range.from,
      Math.min(range.to, nowMs),
    ),
  };
}

/** Counts the time before the first sensor as expected. `sums` exclude the time that is left out. */
export function scaleToRange<S extends { expectedMs: number }>(
  { place, range }: LocationRange,
  sums: S,
  nowMs: number,
  leftOut: readonly Range[] = [],
): S {
  const within = { from: range.from, to: Math.min(range.to, nowMs) };
  const spans = toExpectedSpans(place.stays, place.hours);
  return { ...sums, expectedMs: scaleExpected(sums.expectedMs, spans, within, leftOut) };
}

type Pair = { num: number; index: number };
type Indexed = SensorSlice & { index: number };

export async function sumLocations(reader: Reader, asked: readonly LocationRange[]): Promise<Sums[]> {
  const sums = asked.map(createZeroSums);
  await visitDays(reader, asked, "whole", (index, _day, sum) => {
    const into = sums[index];
    if (into) addSums(into, sum);
  });
  return sums;
}

export async function sumLocationsByDay(reader: Reader, asked: readonly LocationRange[]): Promise<Map<number, Sums>[]> {
  const days = asked.map(() => new Map<number, Sums>());
  await visitDays(reader, asked, "days", (index, day, sum) => {
    const sums = days[index]?.get(day) ?? createZeroSums();
    addSums(sums, sum);
    days[index]?.set(day, sums);
  });
  return days;
}

export async function visitLocationStarts(
  reader: Reader,
  asked: readonly LocationRange[],
  visit: (index: number, startMs: number, sum: Sums) => void,
): Promise<void> {
  const slices = asked.flatMap(({ place, range }, index) =>
    clipSlices(toSlices(place.stays, place.hours), range.from, range.to).map((slice) => ({ ...slice, index })),
  );
  await forEachStart(reader, slices, (startMs, sum, { index }) => visit(index, startMs, sum));
}

/** Sums of a sensor at a location, which `daySumColumns` add up again. */
const pairSumColumns = sql`sum(n_in)::bigint as n_in, sum(n_out)::bigint as n_out, sum(known_ms)::bigint as known_ms,
  sum(open_in)::bigint as open_in, sum(open_out)::bigint as open_out, sum(open_known_ms)::bigint as open_known_ms`;

type Stored = { fromDay: number; toDay: number; pairs: Pair[] };

/** From so many sensors on, two connections read at the same time, because the database uses one core for each. */
const pairsInHalves = 2_000;

function inHalves({ pairs, ...days }: Stored): Stored[] {
  if (pairs.length < pairsInHalves) return [{ pairs, ...days }];
  const middle = Math.ceil(pairs.length / 2);
  return [pairs.slice(0, middle), pairs.slice(middle)].map((half) => ({ pairs: half, ...days }));
}

/** `visit` must ignore `day` if `by` is "whole". */
async function visitDays(
  reader: Reader,
  asked: readonly LocationRange[],
  by: "whole" | "days",
  visit: (index: number, day: number, sum: Sums) => void,
): Promise<void> {
  const stored = new Map<string, Stored>();
  const cut: Indexed[] = [];
  for (const [index, { place, range }] of asked.entries()) {
    const { zone, stays, hours } = place;
    const dated = {
      kind: "location",
      zone,
      slices: toSlices(stays, hours),
      sumsFrom: computeSumsFrom(stays),
      sumsFit: true,
    } as const;
    const parts = splitDays(dated, range);
    cut.push(...parts.cut.map((slice) => ({ ...slice, index })));
    for (const { nums, fromDay, toDay } of parts.whole) {
      const group = stored.getOrInsertComputed(`${fromDay}/${toDay}`, () => ({ fromDay, toDay, pairs: [] }));
      for (const num of nums) group.pairs.push({ num, index });
    }
  }
  const readStored = async ({ fromDay, toDay, pairs }: Stored) => {
    const ids = `{${pairs.map(({ index }) => asked[index]?.place.id ?? "null").join(",")}}`;
    const pair = sql`unnest(${toPgColumn(pairs, ({ num }) => num)}::int[], ${toPgColumn(pairs, ({ index }) => index)}::int[],
      ${ids}::uuid[]) p (num, index, id)`;
    const ofPair = sql`from count_day where sensor_num = p.num and day >= ${fromDay} and day < ${toDay} and location_id = p.id`;
    // The lateral join makes the planner use one index range per pair instead of reading the sums of all sensors.
    const query =
      by === "days"
        ? sql<Sums & { index: number; day: number }>`
            select p.index, d.* from ${pair} cross join lateral (select day, ${daySumColumns} ${ofPair} group by day) d`
        : sql<Sums & { index: number; day: number }>`
            select p.index, 0 as day, ${daySumColumns} from ${pair} cross join lateral (select ${pairSumColumns} ${ofPair}) d
            where n_in is not null group by p.index`;
    const { rows } = await query.execute(reader);
    for (const { index, day: on, ...sum } of rows) visit(index, on, toSums(sum, asked[index]?.place.hours ?? null));
  };
  for (const some of stored.values()) await Promise.all(inHalves(some).map(readStored));
  await forEachStart(reader, cut, (startMs, sum, { index }) =>
    visit(index, asked[index]?.place.zone.dayAt(startMs) ?? 0, sum),
  );
}
