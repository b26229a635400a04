// Compares locations in a range, marking gaps, and computes totals of all locations.
import type * as calls from "@psp/contract/counts/counts.api.ts";
import {
  type CountSum,
  type LocationCounts,
  maxComparedLocations,
  maxLocationDays,
} from "@psp/contract/counts/counts.api.ts";
import {
  percentChange,
  minCompleteness,
  type Comparison,
  dateOfDay,
  type DayRange,
  defaultBucketSize,
  hasSimilarCompleteness,
  parseRange,
} from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { createSingleFlight } from "../../kit/limits/single-flight.ts";
import { findLocationsAfter, findNamedLocations, type NamedLocation } from "../../location/location.service.ts";
import { createZeroSums } from "../aggregate.store.ts";
import type { Range } from "../bucket.rules.ts";
import { addExpected, createNothing, type Expected, subtract, toCountSum, toOutside } from "../counts.service.ts";
import { dayCurves, hourCurves } from "./curve.service.ts";
import { sumSkippedDays } from "./skipped-days.service.ts";
import { computeEarlierPeriod, rangeOfDays } from "../period.rules.ts";
import {
  addExpectedTime,
  scaleToRange,
  findLocationStays,
  type LocationStays,
  sumLocations,
} from "../place-sums.store.ts";
import { inOrder, rankAll } from "../group/ranking.rules.ts";
import { findUnexpectedZeros } from "./unexpected-zero.service.ts";

/** A location with its local days, because "today" differs between zones. */
type Asked = { location: NamedLocation; place: LocationStays; days: DayRange; range: Range };
export type Summed = Asked & { sums: Expected; sum: CountSum; isClosed: boolean };
type Compared = Summed & { rank: number | null };
type LikeForLike = Pick<LocationCounts, "change" | "skippedDays">;
export type CountMode = { nowMs: number; isOpenOnly: boolean };

export type CompareQuery = HandlerInput<typeof calls.listLocationCounts>["query"];

/** Returns one page of the matching visible locations, each ranked among all matches. */
export async function compareLocations(ctx: Context, caller: Caller, query: CompareQuery) {
  const { skip = 0, limit = ctx.config.pageSize, range, compare = "previous", includeTotals, ...rest } = query;
  const { sortBy, sortDesc, includeDeleted: _deleted, open: isOpenOnly = false, groupBy: _none, ...filter } = rest;
  const nowMs = ctx.clock.now();
  const compared = rankAll(await sumMatching(ctx, caller, filter, range, { nowMs, isOpenOnly }));
  const keys = sortKeys({ sortBy, sortDesc });
  const changeOf = new Map<Compared, LikeForLike>();
  const findChanges = async (some: readonly Compared[]) => {
    for (const [index, change] of (await changesOf(ctx, caller, some, compare, { nowMs, isOpenOnly })).entries()) {
      const one = some[index];
      if (one) changeOf.set(one, change);
    }
  };
  // Only sorting by change needs the changes of locations on other pages.
  const isByChange = keys[0]?.field === "change";
  if (isByChange) await findChanges(compared);
  const sorted = inOrder(
    compared,
    keys,
    ({ location }) => location,
    (one) => changeOf.get(one)?.change.in ?? null,
  );
  const page = sorted.slice(skip, skip + limit);
  const days = parseRange(range, zoneOf(null).dayAt(nowMs));
  // Days differ between zones, so one bucket size must fit all locations on the page.
  const by = defaultBucketSize(longest([days, ...page.map((one) => one.days)]));
  const [curves] = await Promise.all([
    by === "hour" ? hourCurves(ctx, page, isOpenOnly) : dayCurves(ctx, page, by, isOpenOnly),
    isByChange ? undefined : findChanges(page),
  ]);
  const zeros = await findUnexpectedZeros(ctx, caller, {
    all: compared,
    isWhole: Object.values(filter).every((value) => value === undefined),
    page: page.filter(({ isClosed }) => !isClosed),
    earlierOf: async (some) =>
      (await earlierSums(ctx, some, "previous", nowMs)).map(({ asked, sums }) =>
        toCountSum(scaleToRange(asked, sums, nowMs), isOpenOnly),
      ),
  });
  const objects = page.map((one, index): LocationCounts => {
    const { id, name, timezone, ownerId, ownerName } = one.location;
    return {
      _id: id,
      name,
      owner: { _id: ownerId, name: ownerName },
      timezone,
      ...one.sum,
      change: changeOf.get(one)?.change ?? { in: null, out: null },
      skippedDays: changeOf.get(one)?.skippedDays ?? 0,
      rank: one.rank,
      isUnexpectedZero: zeros.has(id),
      closed: one.isClosed,
      curve: curves[index] ?? [],
    };
  });
  const sum = { ...toCountSum(sumUp(compared), isOpenOnly), locations: compared.length };
  const shared = { sum, first: dateOfDay(days.first), last: dateOfDay(days.last), by, outside: sumOutside(compared) };
  return includeTotals ? { objects, total: compared.length, ...shared } : { objects, ...shared };
}

type Filter = Parameters<typeof findNamedLocations>[2];

/** Sums all matching locations; refuses more than can be compared. */
export async function sumMatching(
  ctx: Context,
  caller: Caller,
  filter: Filter,
  range: string | undefined,
  mode: CountMode,
) {
  const locations = await findNamedLocations(ctx, caller, filter, maxComparedLocations + 1);
  if (locations.length > maxComparedLocations) {
    const reason = `More than ${maxComparedLocations.toLocaleString("en")} locations. Narrow the filters`;
    throw new AppError(errorCode.invalidArgument, { field: "name", reason });
  }
  return sumAll(ctx, locations, range, mode);
}

/** Each location counts once. */
export function sumUp(all: readonly Pick<Summed, "sums">[]): Expected {
  const total = createNothing();
  for (const { sums } of all) addExpected(total, sums);
  return total;
}

async function sumAll(ctx: Context, locations: readonly NamedLocation[], range: string | undefined, at: CountMode) {
  const { nowMs, isOpenOnly } = at;
  requireFewDays(locations.length, range, nowMs);
  const places = await findLocationStays(ctx.db, locations);
  const asked = places.flatMap((place, index): Asked[] => {
    const location = locations[index];
    const days = parseRange(range, place.zone.dayAt(nowMs));
    return location ? [{ location, place, days, range: rangeOfDays(place.zone, days) }] : [];
  });
  const sums = await sumLocations(ctx.db, asked);
  return asked.map((one, index) => {
    const expected = addExpectedTime(one, sums[index] ?? createZeroSums(), nowMs);
    const { from, to } = one.range;
    const isClosed = one.place.hours?.time.msBetween(from, Math.min(to, nowMs)) === 0;
    return { ...one, sums: expected, sum: toCountSum(expected, isOpenOnly), isClosed };
  });
}

/** Null if no location has opening hours. */
export function sumOutside(all: readonly Summed[]) {
  if (all.every(({ place }) => place.hours === null)) return null;
  return toOutside(sumUp(all));
}

/** Limits the work, because one stored sum is read per location and day. */
function requireFewDays(locations: number, range: string | undefined, nowMs: number): void {
  const { first, last } = parseRange(range, zoneOf(null).dayAt(nowMs));
  if (locations * (last - first + 1) <= maxLocationDays) return;
  const most = maxLocationDays.toLocaleString("en");
  const reason = `More than ${most} location days. Choose a shorter range or fewer locations`;
  throw new AppError(errorCode.invalidArgument, { field: "range", reason });
}

async function earlierSums(ctx: Context, page: readonly Summed[], comparison: Comparison, nowMs: number) {
  const earlier = page.map(({ place, days }) => {
    return { place, range: computeEarlierPeriod(place.zone, days, comparison, nowMs).part };
  });
  const sums = await sumLocations(ctx.db, earlier);
  return earlier.map((asked, index) => ({
    asked,
    sums: addExpectedTime(asked, sums[index] ?? createZeroSums(), nowMs),
  }));
}

/** Both sides of the comparison of each location, without the days that are left out. */
export async function findLikeSums(
  ctx: Context,
  caller: Caller,
  page: readonly Summed[],
  comparison: Comparison,
  { nowMs, isOpenOnly }: CountMode,
): Promise<{ now: CountSum; before: CountSum; skippedDays: number }[]> {
  const [earlier, skips] = await Promise.all([
    earlierSums(ctx, page, comparison, nowMs),
    sumSkippedDays(ctx, caller, page, comparison, { nowMs, isOpenOnly }),
  ]);
  return page.map(({ sums }, index) => {
    const [before, skip] = [earlier[index], skips[index]];
    if (!before || !skip) return { now: unknown, before: unknown, skippedDays: 0 };
    const rest = subtract(before.sums, skip.earlier);
    return {
      now: toCountSum(subtract(sums, skip.now), isOpenOnly),
      before: toCountSum(scaleToRange(before.asked, rest, nowMs, skip.earlierDays), isOpenOnly),
      skippedDays: skip.days,
    };
  });
}

async function changesOf(
  ctx: Context,
  caller: Caller,
  page: readonly Compared[],
  comparison: Comparison,
  mode: CountMode,
): Promise<LikeForLike[]> {
  const like = await findLikeSums(ctx, caller, page, comparison, mode);
  return page.map(({ rank }, index) => {
    const { now, before, skippedDays } = like[index] ?? { now: unknown, before: unknown, skippedDays: 0 };
    const none = { change: { in: null, out: null }, skippedDays };
    // A gap could look like a decrease.
    if (rank === null || !hasSimilarCompleteness(now, before)) return none;
    return { ...none, change: { in: percentChange(now, before, "in"), out: percentChange(now, before, "out") } };
  });
}

const unknown: CountSum = { in: null, out: null, completeness: null };

export const longest = (all: readonly DayRange[]) =>
  all.reduce((a, b) => (b.last - b.first > a.last - a.first ? b : a));

/** Runs a read within the account's concurrency limit. Aborts it when all its callers have disconnected. */
type Run = <T>(key: string, signal: AbortSignal, read: (ctx: Context) => Promise<T>) => Promise<T>;

/**
 * Computes totals of all visible locations. Deduplicates concurrent requests with the same view, because every open dashboard
 * requests the totals after an event.
 */
export function createTotalCountsReader(run: Run) {
  const same = createSingleFlight<Awaited<ReturnType<typeof countTotal>>>();
  return (caller: Caller, { range, open }: HandlerInput<typeof calls.totalCounts>["query"], left: AbortSignal) => {
    const view = JSON.stringify([caller.id, caller.path, resolveViewScope(caller, "measurement"), range, open]);
    return same(view, (signal) => run(caller.id, signal, (ctx) => countTotal(ctx, caller, range, open)), left);
  };
}

async function countTotal(ctx: Context, caller: Caller, range: string | undefined, isOpenOnly = false) {
  const nowMs = ctx.clock.now();
  const total = createNothing();
  let [locations, incomplete] = [0, 0];
  // Reads the locations in parts, to bound memory.
  for (let after: string | null = null; ;) {
    const part: NamedLocation[] = await findLocationsAfter(ctx, caller, after, maxComparedLocations);
    locations += part.length;
    requireFewDays(locations, range, nowMs);
    const asked = (await findLocationStays(ctx.db, part)).map((place) => {
      const { zone } = place;
      return { place, range: rangeOfDays(zone, parseRange(range, zone.dayAt(nowMs))) };
    });
    for (const [index, sums] of (await sumLocations(ctx.db, asked)).entries()) {
      const one = asked[index];
      if (!one) continue;
      const expected = addExpectedTime(one, sums, nowMs);
      addExpected(total, expected);
      const { completeness } = toCountSum(expected, isOpenOnly);
      if (completeness !== null && completeness < minCompleteness) incomplete += 1;
    }
    after = part.at(-1)?.id ?? null;
    if (part.length < maxComparedLocations) return { ...toCountSum(total, isOpenOnly), locations, incomplete };
  }
}
