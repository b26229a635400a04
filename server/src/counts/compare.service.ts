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
  type BucketSize,
} from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Context } from "../context.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { createSingleFlight } from "../kit/limits/single-flight.ts";
import { findLocationsAfter, findNamedLocations, type NamedLocation } from "../location/location.service.ts";
import { createExpectedTimeCalculator, type Sums, createZeroSums, addSums } from "./aggregate.store.ts";
import { generateBuckets, type Range } from "./bucket.rules.ts";
import { toExpectedSpans, scaleExpected, findStays } from "./stay.store.ts";
import { toCountSum } from "./counts.service.ts";
import { computeEarlierPeriod, rangeOfDays } from "./period.rules.ts";
import {
  type LocationStays,
  type LocationRange,
  sumLocations,
  sumLocationsByDay,
  visitLocationStarts,
} from "./place-sums.store.ts";
import { type Change, inOrder, rankAll } from "./group/ranking.rules.ts";
import { findUnexpectedZeros } from "./unexpected-zero.service.ts";

/** A location with its local days, because "today" differs between zones. */
type Asked = { location: NamedLocation; place: LocationStays; days: DayRange; range: Range };
export type Summed = Asked & { sums: Sums & { expectedMs: number }; sum: CountSum };
type Compared = Summed & { rank: number | null };

export type CompareQuery = HandlerInput<typeof calls.listLocationCounts>["query"];

/** Returns one page of the matching visible locations, each ranked among all matches. */
export async function compareLocations(ctx: Context, caller: Caller, query: CompareQuery) {
  const { skip = 0, limit = ctx.config.pageSize, range, compare = "previous", includeTotals, ...rest } = query;
  const { sortBy, sortDesc, includeDeleted: _deleted, groupBy: _none, ...filter } = rest;
  const nowMs = ctx.clock.now();
  const compared = rankAll(await sumMatching(ctx, caller, filter, range, nowMs));
  const keys = sortKeys({ sortBy, sortDesc });
  const changeOf = new Map<Compared, Change>();
  const findChanges = async (some: readonly Compared[]) => {
    for (const [index, change] of (await changesOf(ctx, some, compare, nowMs)).entries()) {
      const one = some[index];
      if (one) changeOf.set(one, change);
    }
  };
  // Only sorting by change needs the changes of locations on other pages.
  const isByChange = keys[0]?.field === "change";
  if (isByChange) await findChanges(compared);
  const sorted = inOrder(compared, keys, ({ location }) => location, changeOf);
  const page = sorted.slice(skip, skip + limit);
  const days = parseRange(range, zoneOf(null).dayAt(nowMs));
  // Days differ between zones, so one bucket size must fit all locations on the page.
  const by = defaultBucketSize(longest([days, ...page.map((one) => one.days)]));
  const [curves] = await Promise.all([
    by === "hour" ? hourCurves(ctx, page) : dayCurves(ctx, page, by),
    isByChange ? undefined : findChanges(page),
  ]);
  const zeros = await findUnexpectedZeros(ctx, caller, {
    all: compared,
    isWhole: Object.values(filter).every((value) => value === undefined),
    page,
    earlierOf: (some) => earlierSums(ctx, some, "previous", nowMs),
  });
  const objects = page.map((one, index): LocationCounts => {
    const { id, name, timezone, ownerId, ownerName } = one.location;
    return {
      _id: id,
      name,
      owner: { _id: ownerId, name: ownerName },
      timezone,
      ...one.sum,
      change: changeOf.get(one) ?? { in: null, out: null },
      rank: one.rank,
      isUnexpectedZero: zeros.has(id),
      curve: curves[index] ?? [],
    };
  });
  const sum = { ...toCountSum(sumUp(compared)), locations: compared.length };
  const dates = { sum, first: dateOfDay(days.first), last: dateOfDay(days.last), by };
  return includeTotals ? { objects, total: compared.length, ...dates } : { objects, ...dates };
}

type Filter = Parameters<typeof findNamedLocations>[2];

/** Sums all matching locations; refuses more than can be compared. */
export async function sumMatching(
  ctx: Context,
  caller: Caller,
  filter: Filter,
  range: string | undefined,
  nowMs: number,
) {
  const locations = await findNamedLocations(ctx, caller, filter, maxComparedLocations + 1);
  if (locations.length > maxComparedLocations) {
    const reason = `More than ${maxComparedLocations.toLocaleString("en")} locations. Narrow the filters`;
    throw new AppError(errorCode.invalidArgument, { field: "name", reason });
  }
  return sumAll(ctx, locations, range, nowMs);
}

/** Each location counts once. */
export function sumUp(all: readonly Pick<Summed, "sums">[]): Sums & { expectedMs: number } {
  const total = { ...createZeroSums(), expectedMs: 0 };
  for (const { sums } of all) {
    addSums(total, sums);
    total.expectedMs += sums.expectedMs;
  }
  return total;
}

async function sumAll(ctx: Context, locations: readonly NamedLocation[], range: string | undefined, nowMs: number) {
  requireFewDays(locations.length, range, nowMs);
  const stays = await findStays(
    ctx.db,
    locations.map(({ id }) => id),
  );
  const asked = locations.map((location): Asked => {
    const zone = zoneOf(location.timezone);
    const place = { id: location.id, zone, stays: stays.get(location.id) ?? [] };
    const days = parseRange(range, zone.dayAt(nowMs));
    return { location, place, days, range: rangeOfDays(zone, days) };
  });
  return withSums(ctx, asked, nowMs);
}

/** Limits the work, because one stored sum is read per location and day. */
function requireFewDays(locations: number, range: string | undefined, nowMs: number): void {
  const { first, last } = parseRange(range, zoneOf(null).dayAt(nowMs));
  if (locations * (last - first + 1) <= maxLocationDays) return;
  const most = maxLocationDays.toLocaleString("en");
  const reason = `More than ${most} location days. Choose a shorter range or fewer locations`;
  throw new AppError(errorCode.invalidArgument, { field: "range", reason });
}

async function withSums<A extends LocationRange>(ctx: Context, asked: readonly A[], nowMs: number) {
  const found = await sumLocations(ctx.db, asked);
  return asked.map((one, index) => {
    const sums = addExpectedTime(one, found[index] ?? createZeroSums(), nowMs);
    return { ...one, sums, sum: toCountSum(sums) };
  });
}

export function addExpectedTime({ place, range }: LocationRange, sums: Sums, nowMs: number) {
  return {
    ...sums,
    expectedMs: createExpectedTimeCalculator(toExpectedSpans(place.stays))(range.from, Math.min(range.to, nowMs)),
  };
}

export function addScaledExpectedTime(asked: LocationRange, sums: Sums, nowMs: number) {
  const { expectedMs } = addExpectedTime(asked, sums, nowMs);
  const to = Math.min(asked.range.to, nowMs);
  return { ...sums, expectedMs: scaleExpected(expectedMs, toExpectedSpans(asked.place.stays), asked.range.from, to) };
}

export async function earlierSums(ctx: Context, page: readonly Summed[], comparison: Comparison, nowMs: number) {
  const earlier = page.map(({ place, days }) => {
    return { place, range: computeEarlierPeriod(place.zone, days, comparison, nowMs).part };
  });
  const sums = await sumLocations(ctx.db, earlier);
  return earlier.map((asked, index) =>
    toCountSum(addScaledExpectedTime(asked, sums[index] ?? createZeroSums(), nowMs)),
  );
}

async function changesOf(ctx: Context, page: readonly Compared[], comparison: Comparison, nowMs: number) {
  const earlier = await earlierSums(ctx, page, comparison, nowMs);
  return page.map(({ sum, rank }, index) => {
    const earlierSum = earlier[index];
    // A gap could look like a decrease.
    if (earlierSum === undefined || rank === null) return { in: null, out: null };
    if (!hasSimilarCompleteness(sum, earlierSum)) return { in: null, out: null };
    return { in: percentChange(sum, earlierSum, "in"), out: percentChange(sum, earlierSum, "out") };
  });
}

export const longest = (all: readonly DayRange[]) =>
  all.reduce((a, b) => (b.last - b.first > a.last - a.first ? b : a));

type Curve = (number | null)[];
const height = ({ in: people, out, knownMs }: Sums) => (knownMs > 0 || people + out > 0 ? people : null);

export async function dayCurves(ctx: Context, page: readonly LocationRange[], by: BucketSize): Promise<Curve[]> {
  const days = await sumLocationsByDay(ctx.db, page);
  return page.map(({ place: { zone }, range }, index) => {
    const sorted = [...(days[index] ?? [])].toSorted(([a], [b]) => a - b);
    let next = 0;
    return [...generateBuckets(zone, by, range)].map(({ to }) => {
      const sums = createZeroSums();
      for (let one = sorted[next]; one && zone.dayStart(one[0]) < to; one = sorted[++next]) addSums(sums, one[1]);
      return height(sums);
    });
  });
}

export async function hourCurves(ctx: Context, page: readonly LocationRange[]): Promise<Curve[]> {
  const buckets = page.map(({ place: { zone }, range }) =>
    [...generateBuckets(zone, "hour", range)].map((bucket) => ({ ...bucket, ...createZeroSums() })),
  );
  await visitLocationStarts(ctx.db, page, (index, startMs, sum) => {
    const into = buckets[index]?.find(({ from, to }) => startMs >= from && startMs < to);
    if (into) addSums(into, sum);
  });
  return buckets.map((hours) => hours.map(height));
}

/** Runs a read within the account's concurrency limit. Aborts it when all its callers have disconnected. */
type Run = <T>(key: string, signal: AbortSignal, read: (ctx: Context) => Promise<T>) => Promise<T>;

/**
 * Computes totals of all visible locations. Deduplicates concurrent requests with the same view, because every open dashboard
 * requests the totals after an event.
 */
export function createTotalCountsReader(run: Run) {
  const same = createSingleFlight<Awaited<ReturnType<typeof countTotal>>>();
  return (caller: Caller, { range }: HandlerInput<typeof calls.totalCounts>["query"], left: AbortSignal) => {
    const view = JSON.stringify([caller.id, caller.path, resolveViewScope(caller, "measurement"), range]);
    return same(view, (signal) => run(caller.id, signal, (ctx) => countTotal(ctx, caller, range)), left);
  };
}

async function countTotal(ctx: Context, caller: Caller, range: string | undefined) {
  const nowMs = ctx.clock.now();
  const total = { ...createZeroSums(), expectedMs: 0 };
  let [locations, incomplete] = [0, 0];
  // Reads the locations in parts, to bound memory.
  for (let after: string | null = null; ;) {
    const part: NamedLocation[] = await findLocationsAfter(ctx, caller, after, maxComparedLocations);
    locations += part.length;
    requireFewDays(locations, range, nowMs);
    const stays = await findStays(
      ctx.db,
      part.map(({ id }) => id),
    );
    const asked = part.map(({ id, timezone }) => {
      const zone = zoneOf(timezone);
      const place = { id, zone, stays: stays.get(id) ?? [] };
      return { place, range: rangeOfDays(zone, parseRange(range, zone.dayAt(nowMs))) };
    });
    for (const [index, sums] of (await sumLocations(ctx.db, asked)).entries()) {
      const one = asked[index];
      if (!one) continue;
      addSums(total, sums);
      const expected = addExpectedTime(one, sums, nowMs);
      total.expectedMs += expected.expectedMs;
      const { completeness } = toCountSum(expected);
      if (completeness !== null && completeness < minCompleteness) incomplete += 1;
    }
    after = part.at(-1)?.id ?? null;
    if (part.length < maxComparedLocations) return { ...toCountSum(total), locations, incomplete };
  }
}
