// Finds locations with an implausible zero today: their sensors are connected, other locations count people, and zero is unusual.
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import { type DayRange, isCompleteEnough } from "@psp/contract/counts/count-range.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { computeCurrentContactCutoff } from "../../sensor/sensor.rights.ts";
import type { LocationStays } from "../place-sums.store.ts";
import * as store from "./unexpected-zero.store.ts";

type Counted = { place: LocationStays; days: DayRange; sum: CountSum };

type ZeroQuery<C extends Counted> = {
  all: readonly C[];
  /** Whether `all` includes all visible locations. */
  isWhole: boolean;
  page: readonly C[];
  earlierOf: (some: readonly C[]) => Promise<readonly CountSum[]>;
};

/** A location that also had a known zero on the earlier day is assumed to be closed on such days, so its zero is expected. */
export async function findUnexpectedZeros<C extends Counted>(
  ctx: Context,
  caller: Caller,
  { all, isWhole, page, earlierOf }: ZeroQuery<C>,
): Promise<ReadonlySet<string>> {
  const nowMs = ctx.clock.now();
  const zeros = page.filter(({ place, days, sum }) => {
    const isToday = days.first === days.last && days.last === place.zone.dayAt(nowMs);
    return isToday && sum.in === 0;
  });
  if (zeros.length === 0) return new Set();
  const ids = zeros.map(({ place }) => place.id);
  const today = [...new Set(zeros.map(({ days }) => days.last))];
  const isCounting =
    all.some(({ sum }) => (sum.in ?? 0) > 0) ||
    (!isWhole && (await store.hasCountsElsewhere(ctx.db, caller, ids, today)));
  if (!isCounting) return new Set();
  const earlier = await earlierOf(zeros);
  const unusual = ids.filter((_, index) => !isKnownZero(earlier[index]));
  return store.filterFullyConnectedLocations(ctx.db, caller, unusual, computeCurrentContactCutoff(ctx));
}

const isKnownZero = (sum: CountSum | undefined) => sum !== undefined && sum.in === 0 && isCompleteEnough(sum);
