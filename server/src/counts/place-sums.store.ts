// Sums of many locations at once, each in its own range: a few statements however many they are.
import { sql } from "kysely";
import { column } from "../db/arrays.ts";
import type { Reader } from "../db/database.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { add, forEachStart, splitDays, type Sums, zero } from "./aggregate.store.ts";
import type { Range } from "./bucket.rules.ts";
import { cutSlices, type Slice, slicesOf, type Stay, sumsFromOf } from "./stay.store.ts";

export type Place = { id: string; zone: Zone; stays: readonly Stay[] };
/** A place, once in a list, with the range that is asked of it. */
export type PlaceRange = { place: Place; range: Range };

type Pair = { num: number; index: number };
type Indexed = Slice & { index: number };

/** The sums of each, in the order asked. */
export async function sumPlaces(reader: Reader, asked: readonly PlaceRange[]): Promise<Sums[]> {
  const sums = asked.map(zero);
  await visitDays(reader, asked, "whole", (index, _day, sum) => {
    const into = sums[index];
    if (into) add(into, sum);
  });
  return sums;
}

/** The sums of each by local day, in the order asked. */
export async function sumPlacesByDay(reader: Reader, asked: readonly PlaceRange[]): Promise<Map<number, Sums>[]> {
  const days = asked.map(() => new Map<number, Sums>());
  await visitDays(reader, asked, "days", (index, day, sum) => {
    const sums = days[index]?.get(day) ?? zero();
    add(sums, sum);
    days[index]?.set(day, sums);
  });
  return days;
}

/** Calls back with every stored start of each place, for ranges of a few days. */
export async function visitPlaceStarts(
  reader: Reader,
  asked: readonly PlaceRange[],
  visit: (index: number, startMs: number, sum: Sums) => void,
): Promise<void> {
  const slices = asked.flatMap(({ place, range }, index) =>
    cutSlices(slicesOf(place.stays), range.from, range.to).map((slice) => ({ ...slice, index })),
  );
  await forEachStart(reader, slices, (startMs, sum, { index }) => visit(index, startMs, sum));
}

/** `day` means nothing where whole ranges are asked for. */
async function visitDays(
  reader: Reader,
  asked: readonly PlaceRange[],
  by: "whole" | "days",
  visit: (index: number, day: number, sum: Sums) => void,
): Promise<void> {
  const stored = new Map<string, { fromDay: number; toDay: number; pairs: Pair[] }>();
  const cut: Indexed[] = [];
  for (const [index, { place, range }] of asked.entries()) {
    const { zone, stays } = place;
    const dated = {
      kind: "location",
      zone,
      slices: slicesOf(stays),
      sumsFrom: sumsFromOf(stays),
      sumsFit: true,
    } as const;
    const parts = splitDays(dated, range);
    cut.push(...parts.cut.map((slice) => ({ ...slice, index })));
    for (const { nums, fromDay, toDay } of parts.whole) {
      const group = stored.getOrInsertComputed(`${fromDay}/${toDay}`, () => ({ fromDay, toDay, pairs: [] }));
      for (const num of nums) group.pairs.push({ num, index });
    }
  }
  const [day, groups] = by === "days" ? [sql`day`, sql`group by day`] : [sql`0 as day`, sql``];
  for (const { fromDay, toDay, pairs } of stored.values()) {
    const ids = `{${pairs.map(({ index }) => asked[index]?.place.id ?? "null").join(",")}}`;
    // The lateral join keeps the planner at one index range per pair: it would rather read the sums of all sensors.
    const { rows } = await sql<Sums & { index: number; day: number }>`
      select p.index, d.* from unnest(${column(pairs, ({ num }) => num)}::int[], ${column(pairs, ({ index }) => index)}::int[],
        ${ids}::uuid[]) p (num, index, id)
      cross join lateral (
        select ${day}, sum(n_in)::bigint as "in", sum(n_out)::bigint as "out", sum(known_ms)::bigint as "knownMs" from count_day
        where sensor_num = p.num and day >= ${fromDay} and day < ${toDay} and location_id = p.id ${groups}
      ) d where d."in" is not null`.execute(reader);
    for (const { index, day: on, ...sum } of rows) visit(index, on, sum);
  }
  await forEachStart(reader, cut, (startMs, sum, { index }) =>
    visit(index, asked[index]?.place.zone.dayAt(startMs) ?? 0, sum),
  );
}
