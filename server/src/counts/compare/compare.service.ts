// Compares locations in a range, marking gaps.
import type * as calls from "@psp/contract/counts/counts.api.ts";
import { type LocationCounts, maxComparedLocations, maxLocationDays } from "@psp/contract/counts/counts.api.ts";
import { dateOfDay, type DayRange, defaultBucketSize, parseRange } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { Context } from "../../context.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { findNamedLocations, type NamedLocation } from "../../location/location.service.ts";
import { createZeroSums } from "../aggregate.store.ts";
import { addExpected, createNothing, type Expected, toCountSum, toOutside } from "../count-sum.rules.ts";
import { dayCurves, hourCurves } from "./curve.service.ts";
import { rangeOfDays } from "../period.rules.ts";
import { addExpectedTime, scaleToRange, findLocationStays, sumLocations } from "../place-sums.store.ts";
import { type Asked, type CountMode, createFigures, earlierSums, type Summed } from "./changes.service.ts";
import { figuresOf, inOrder, rankAll } from "../group/ranking.rules.ts";
import { findUnexpectedZeros } from "./unexpected-zero.service.ts";

export type CompareQuery = HandlerInput<typeof calls.listLocationCounts>["query"];

/** Returns one page of the matching visible locations, each ranked among all matches. */
export async function compareLocations(ctx: Context, caller: Caller, query: CompareQuery) {
  const { skip = 0, limit = ctx.config.pageSize, range, compare = "previous", includeTotals, ...rest } = query;
  const { sortBy, sortDesc, includeDeleted: _deleted, open: isOpenOnly = false, groupBy: _none, ...filter } = rest;
  const nowMs = ctx.clock.now();
  const compared = rankAll(await sumMatching(ctx, caller, filter, range, { nowMs, isOpenOnly }));
  const keys = sortKeys({ sortBy, sortDesc });
  const figures = createFigures(ctx, caller, compare, { nowMs, isOpenOnly });
  // Only sorting by these figures needs them of locations on other pages.
  const needed = figuresOf(keys);
  await figures.find(compared, needed, "refuse");
  const sorted = inOrder(compared, keys, (one) => {
    const { change, sales, conversionChange } = figures.of(one);
    return { name: one.location.name, id: one.location.id, change: change.in, sales, conversionChange };
  });
  const page = sorted.slice(skip, skip + limit);
  const days = parseRange(range, zoneOf(null).dayAt(nowMs));
  // Days differ between zones, so one bucket size must fit all locations on the page.
  const by = defaultBucketSize(longest([days, ...page.map((one) => one.days)]));
  const [curves] = await Promise.all([
    by === "hour" ? hourCurves(ctx, page, isOpenOnly) : dayCurves(ctx, page, by, isOpenOnly),
    figures.find(page, "all", "leaveOut"),
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
    const { change, skipped, sales, conversionChange } = figures.of(one);
    return {
      _id: id,
      name,
      owner: { _id: ownerId, name: ownerName },
      timezone,
      ...one.sum,
      change,
      skippedDays: skipped.length,
      sales,
      conversionChange,
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
  return sumAll(ctx, await findComparedLocations(ctx, caller, filter), range, mode);
}

/** Finds all matching locations; refuses more than can be compared. */
export async function findComparedLocations(ctx: Context, caller: Caller, filter: Filter) {
  const locations = await findNamedLocations(ctx, caller, filter, maxComparedLocations + 1);
  if (locations.length <= maxComparedLocations) return locations;
  const reason = `More than ${maxComparedLocations.toLocaleString("en")} locations. Narrow the filters`;
  throw new AppError(errorCode.invalidArgument, { field: "name", reason });
}

/** Each location counts once. */
export function sumUp(all: readonly Pick<Summed, "sums">[]): Expected {
  const total = createNothing();
  for (const { sums } of all) addExpected(total, sums);
  return total;
}

/** From so many locations on, the sums of one half are read while those of the other one are processed. */
const sumInHalves = 1_000;

async function sumAll(ctx: Context, locations: readonly NamedLocation[], range: string | undefined, at: CountMode) {
  requireFewDays(locations.length, range, at.nowMs);
  if (locations.length < sumInHalves) return sumNamedLocations(ctx, locations, range, at);
  const middle = Math.ceil(locations.length / 2);
  const halves = [locations.slice(0, middle), locations.slice(middle)];
  return (await Promise.all(halves.map((half) => sumNamedLocations(ctx, half, range, at)))).flat();
}

/** Sums locations that were loaded before; rights are not checked. */
export async function sumNamedLocations(
  ctx: Context,
  locations: readonly NamedLocation[],
  range: string | undefined,
  { nowMs, isOpenOnly }: CountMode,
) {
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
export function requireFewDays(locations: number, range: string | undefined, nowMs: number): void {
  const { first, last } = parseRange(range, zoneOf(null).dayAt(nowMs));
  if (locations * (last - first + 1) <= maxLocationDays) return;
  const most = maxLocationDays.toLocaleString("en");
  const reason = `More than ${most} location days. Choose a shorter range or fewer locations`;
  throw new AppError(errorCode.invalidArgument, { field: "range", reason });
}

export const longest = (all: readonly DayRange[]) =>
  all.reduce((a, b) => (b.last - b.first > a.last - a.first ? b : a));
