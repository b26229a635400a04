// Computes the small charts of compared locations: people in per hour, day or month.
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import type { Context } from "../../context.ts";
import { addSums, createZeroSums, type Sums } from "../aggregate.store.ts";
import { generateBuckets, type Range } from "../bucket.rules.ts";
import { toCountSum } from "../count-sum.rules.ts";
import { type LocationRange, type LocationStays, sumLocationsByDay, visitLocationStarts } from "../place-sums.store.ts";

type Curve = (number | null)[];

/** Unknown in buckets without open time. */
function height({ hours }: LocationStays, { from, to }: Range, sums: Sums, isOpenOnly: boolean): number | null {
  return toCountSum({ ...sums, expectedMs: hours ? hours.time.msBetween(from, to) : to - from }, isOpenOnly).in;
}

export async function dayCurves(
  ctx: Context,
  page: readonly LocationRange[],
  by: BucketSize,
  isOpenOnly: boolean,
): Promise<Curve[]> {
  const days = await sumLocationsByDay(ctx.db, page);
  return page.map(({ place, range }, index) => {
    const { zone } = place;
    const sorted = [...(days[index] ?? [])].toSorted(([a], [b]) => a - b);
    let next = 0;
    return [...generateBuckets(zone, by, range)].map((bucket) => {
      const sums = createZeroSums();
      for (let one = sorted[next]; one && zone.dayStart(one[0]) < bucket.to; one = sorted[++next])
        addSums(sums, one[1]);
      return height(place, bucket, sums, isOpenOnly);
    });
  });
}

export async function hourCurves(ctx: Context, page: readonly LocationRange[], isOpenOnly: boolean): Promise<Curve[]> {
  const buckets = page.map(({ place: { zone }, range }) =>
    [...generateBuckets(zone, "hour", range)].map((bucket) => ({ ...bucket, ...createZeroSums() })),
  );
  await visitLocationStarts(ctx.db, page, (index, startMs, sum) => {
    const into = buckets[index]?.find(({ from, to }) => startMs >= from && startMs < to);
    if (into) addSums(into, sum);
  });
  return page.map(({ place }, index) => (buckets[index] ?? []).map((hour) => height(place, hour, hour, isOpenOnly)));
}
