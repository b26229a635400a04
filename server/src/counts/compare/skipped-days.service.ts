// Sums the days that a comparison of many locations leaves out, on both sides.
import type { Comparison, DayRange } from "@psp/contract/counts/count-range.ts";
import type { Context } from "../../context.ts";
import { hourMs } from "@psp/contract/kit/zone.ts";
import { createZeroSums } from "../aggregate.store.ts";
import { findEventsOfLocations } from "../../event/event.service.ts";
import type { Caller } from "../../kit/caller.ts";
import type { Range } from "../bucket.rules.ts";
import { addExpected, createNothing, type Expected } from "../count-sum.rules.ts";
import { createExclusion } from "../notes.service.ts";
import { computeEarlierPeriod, rangeOfDays } from "../period.rules.ts";
import { addExpectedTime, type LocationRange, type LocationStays, sumLocations } from "../place-sums.store.ts";
import { findSkippedDays } from "../skipped-days.rules.ts";

type Compared = { place: LocationStays; days: DayRange };
type Skipped = { days: readonly number[]; earlierDays: Range[]; now: Expected; earlier: Expected };
type Cut = LocationRange & { into: Expected };

/** Returns for each location the days that are left out, and the sums of those days and of their partners. */
export async function sumSkippedDays(
  ctx: Context,
  caller: Caller,
  compared: readonly Compared[],
  comparison: Comparison,
  { nowMs, isOpenOnly }: { nowMs: number; isOpenOnly: boolean },
): Promise<Skipped[]> {
  if (compared.length === 0) return [];
  const periods = compared.map(({ place, days }) => computeEarlierPeriod(place.zone, days, comparison, nowMs));
  const events = await findEventsOfLocations(
    ctx,
    caller,
    compared.map(({ place }) => place.id),
    Math.min(...periods.map(({ days }) => days.first)),
    Math.max(...compared.map(({ days }) => days.last)),
  );
  const cuts: Cut[] = [];
  const all = compared.map(({ place, days }, index): Skipped => {
    const { id, zone, hours } = place;
    const { shift, part } = periods[index] ?? computeEarlierPeriod(zone, days, comparison, nowMs);
    const isClosed = (day: number) => isOpenOnly && hours?.time.isClosedDay(day) === true;
    const skipped = findSkippedDays(days, shift, zone.dayAt(nowMs), {
      isClosed,
      isExcluded: createExclusion(events.get(id) ?? []),
    });
    const rangeOf = (day: number) => rangeOfDays(zone, { first: day, last: day });
    const sides: Skipped = {
      days: skipped,
      earlierDays: joinAdjacent(skipped.map((day) => rangeOf(day - shift))),
      now: createNothing(),
      earlier: createNothing(),
    };
    // A record that starts on a closed day has open time only if it reaches into the next day.
    const hasOpenCounts = (day: number) => {
      const { to } = rangeOf(day);
      return !isClosed(day) || hours?.time.msBetween(to, to + hourMs) !== 0;
    };
    const before = skipped.map((day) => day - shift).filter(hasOpenCounts);
    for (const range of joinAdjacent(skipped.filter(hasOpenCounts).map(rangeOf)))
      cuts.push({ place, range, into: sides.now });
    for (const { from, to } of joinAdjacent(before.map(rangeOf)))
      cuts.push({ place, range: { from, to: Math.min(to, part.to) }, into: sides.earlier });
    return sides;
  });
  const sums = await sumLocations(ctx.db, cuts);
  for (const [index, cut] of cuts.entries())
    addExpected(cut.into, addExpectedTime(cut, sums[index] ?? createZeroSums(), nowMs));
  return all;
}

/** Bounds the number of ranges, because an event may last a year. */
function joinAdjacent(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last?.to === range.from) last.to = range.to;
    else joined.push({ ...range });
  }
  return joined;
}
