// Finds the sales of many locations by local day, and the people counted at the time of these sales.
import type { DayRange } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { openMsBetween } from "../../opening/opening.store.ts";
import { hourMs } from "@psp/contract/kit/zone.ts";
import {
  type Amounts,
  addAmounts,
  type DaySumRow,
  type EntryRow,
  listEntries,
  sumByDay,
  toAmounts,
} from "../../sales/sales.service.ts";
import { addSums, createExpectedTimeCalculator, createZeroSums, type Sums } from "../aggregate.store.ts";
import type { Range } from "../bucket.rules.ts";
import { addExpected, createNothing } from "../count-sum.rules.ts";
import { type LocationStays, sumLocationsByDay, visitLocationStarts } from "../place-sums.store.ts";
import { toExpectedSpans } from "../stay.store.ts";
import { createWatchedTime, knownVisitors, type Watched } from "./known-visitors.rules.ts";
import type { SalesDay } from "./sales-figures.rules.ts";

/** Entries that end after `until` are left out. */
export type SalesAsked = { place: LocationStays; days: DayRange; until?: number };
/**
 * Days whose sales cover only a part of them are compared with counts of that part, which are slow to read. `tooMany` says what to do
 * with more than `maxPartialDays` of them; `leaveOut` makes their visitors unknown.
 */
export type SalesMode = { nowMs: number; isOpenOnly: boolean; tooMany?: TooMany };
export type TooMany = "read" | "leaveOut" | "refuse";

const maxPartialDays = 20_000;

/** A day with sales. `range` is the local day, or its part until an instant, `span` the time from its first to its last entry. */
type Found = {
  index: number;
  day: number;
  range: Range;
  isWhole: boolean;
  span: Range;
  coveredMs: number;
  isDay: boolean;
  amounts: Amounts;
};

/** Returns the days with sales of each location, in order. Empty for locations that the caller may not edit. */
export async function findSalesDays(
  ctx: Context,
  caller: Caller,
  asked: readonly SalesAsked[],
  mode: SalesMode,
): Promise<SalesDay[][]> {
  const found = await findDays(ctx, caller, asked);
  const result = asked.map((): SalesDay[] => []);
  const [whole, partial]: [Found[], Found[]] = [[], []];
  for (const one of found) {
    const { place } = asked[one.index] ?? {};
    if (!place || isClosed(place, one.range, mode)) continue;
    (one.isWhole && coversOpenTime(place, one, mode) ? whole : partial).push(one);
  }
  if (partial.length > maxPartialDays && mode.tooMany === "refuse") throw tooManyPartialDays(partial.length);
  const read = mode.tooMany === "leaveOut" ? partial.splice(0, maxPartialDays) : partial.splice(0);
  const counted = await countWholeDays(ctx, byPlace(asked, whole), mode);
  for (let from = 0; from < read.length; from += maxPartialDays)
    counted.push(...(await countParts(ctx, caller, byPlace(asked, read.slice(from, from + maxPartialDays)), mode)));
  for (const one of partial) counted.push({ one, amounts: one.amounts, visitors: null });
  for (const { one, amounts, visitors } of counted)
    result[one.index]?.push({ day: one.day, amounts, visitors, isOver: one.range.to <= mode.nowMs });
  return result.map((days) => days.toSorted((a, b) => a.day - b.day));
}

function tooManyPartialDays(days: number): AppError {
  const [asked, limit] = [days.toLocaleString("en"), maxPartialDays.toLocaleString("en")];
  const reason = `On ${asked} days, sales cover only a part of the time; at most ${limit} such days can be compared. Set opening hours, or choose a shorter range or fewer locations`;
  return new AppError(errorCode.invalidArgument, { field: "range", reason });
}

async function findDays(ctx: Context, caller: Caller, asked: readonly SalesAsked[]): Promise<Found[]> {
  const byDays = Map.groupBy(
    asked.map(({ place, days, until = Infinity }, index) => ({ place, days, until, index })),
    ({ place, days: { first, last }, until }) => `${place.zone.name}/${first}/${last}/${until}`,
  );
  const found: Found[] = [];
  for (const some of byDays.values()) {
    const [one] = some;
    if (!one) continue;
    const { place, days, until } = one;
    const edges = Array.from({ length: days.last - days.first + 2 }, (_, n) =>
      Math.min(place.zone.dayStart(days.first + n), until),
    );
    const ids = some.map((one) => one.place.id);
    for (const row of await sumByDay(ctx.db, caller, ids, edges)) {
      const index = some[row.place]?.index;
      const day = days.first + row.day;
      const isWhole = place.zone.dayStart(day + 1) <= until;
      if (index !== undefined) addRow(found, row, { index, day, edges, isWhole });
    }
  }
  return found;
}

/** Rows of one day in several currencies follow each other. */
function addRow(
  found: Found[],
  row: DaySumRow,
  { index, day, edges, isWhole }: Pick<Found, "index" | "day" | "isWhole"> & { edges: readonly number[] },
): void {
  const last = found.at(-1);
  const amounts = toAmounts(row);
  if (last?.index === index && last.day === day) {
    last.amounts = addAmounts(last.amounts, amounts);
    last.span = { from: Math.min(last.span.from, row.first_ms), to: Math.max(last.span.to, row.last_ms) };
    last.coveredMs += row.covered_ms;
    return;
  }
  const range = { from: edges[row.day] ?? 0, to: edges[row.day + 1] ?? 0 };
  const span = { from: row.first_ms, to: row.last_ms };
  found.push({ index, day, range, isWhole, span, coveredMs: row.covered_ms, isDay: row.is_day, amounts });
}

const openTimeOf = ({ hours }: LocationStays, { isOpenOnly }: SalesMode) => (isOpenOnly ? hours : null);

function isClosed(place: LocationStays, { from, to }: Range, mode: SalesMode): boolean {
  return openMsBetween(openTimeOf(place, mode), from, to) === 0;
}

/** Whether the entries cover all open time of the day, and none of them lies in closed time. */
function coversOpenTime(place: LocationStays, { range, span, coveredMs, isDay }: Found, mode: SalesMode): boolean {
  const openMs = (from: number, to: number) => openMsBetween(openTimeOf(place, mode), from, to);
  const { from, to } = span;
  if (coveredMs !== to - from || openMs(from, to) !== openMs(range.from, range.to)) return false;
  if (isDay || openMs(from, to) === to - from) return true;
  const [first, last] = [openMs(from, from + hourMs), openMs(to - hourMs, to)];
  const closedMs = to - from - openMs(from, to) - (2 * hourMs - first - last);
  return first > 0 && last > 0 && closedMs < shortestEntryMs;
}

/** Where clocks change by half an hour. */
const shortestEntryMs = hourMs / 2;

type PlaceDays = { place: LocationStays; days: Found[]; range: Range };

/** Groups days by location. `range` contains all days of the location. */
function byPlace(asked: readonly SalesAsked[], found: readonly Found[]): PlaceDays[] {
  return [...Map.groupBy(found, ({ index }) => index)].flatMap(([index, some]) => {
    const { place } = asked[index] ?? {};
    const days = some.toSorted((a, b) => a.day - b.day);
    const [first, last] = [days[0], days.at(-1)];
    return place && first && last ? [{ place, days, range: { from: first.range.from, to: last.range.to } }] : [];
  });
}

type Counted = { one: Found; amounts: Amounts; visitors: number | null };

async function countWholeDays(ctx: Context, places: readonly PlaceDays[], mode: SalesMode): Promise<Counted[]> {
  const sums = await sumLocationsByDay(ctx.db, places);
  return places.flatMap(({ place, days }, index) => {
    const expectedMs = createExpectedTimeCalculator(toExpectedSpans(place.stays, place.hours));
    const watchedMs = createWatchedTime(place);
    return days.map((one): Counted => {
      const { from, to } = one.range;
      const sum = sums[index]?.get(one.day) ?? createZeroSums();
      const visitors = knownVisitors({ ...sum, expectedMs: expectedMs(from, to) }, watchedMs({ from, to }), mode);
      // The entry of a day may say more than the counts until now.
      return { one, amounts: one.amounts, visitors: to <= mode.nowMs ? visitors : null };
    });
  });
}

/** Counts the people of exactly the time that has sales: hours, or a former zone's day within a longer day. */
async function countParts(
  ctx: Context,
  caller: Caller,
  places: readonly PlaceDays[],
  mode: SalesMode,
): Promise<Counted[]> {
  const ranges = places.map(({ place, range }) => ({ locationId: place.id, ...range }));
  const entries = Map.groupBy(await listEntries(ctx.db, caller, ranges), ({ place }) => place);
  const hours = places.map(({ place }, index) =>
    (entries.get(index) ?? [])
      .filter(({ start_ms: from, end_ms: to }) => !isClosed(place, { from, to }, mode))
      .map((entry) => ({ entry, sums: createZeroSums() })),
  );
  await visitLocationStarts(ctx.db, places, (index, startMs, sum) => {
    const hour = findHour(hours[index] ?? [], startMs);
    if (hour) addSums(hour.sums, sum);
  });
  return places.flatMap(({ place, days }, index) => {
    const hoursOf = Map.groupBy(hours[index] ?? [], ({ entry }) => place.zone.dayAt(entry.start_ms));
    const expectedMs = createExpectedTimeCalculator(toExpectedSpans(place.stays, place.hours));
    const watchedMs = createWatchedTime(place);
    return days.flatMap((one): Counted[] => {
      const people = createNothing();
      const watched: Watched = { ms: 0, ofMs: 0 };
      let amounts: Amounts | null = null;
      let isOver = true;
      for (const { entry, sums } of hoursOf.get(one.day) ?? []) {
        // The zone has changed since it was stored.
        if (entry.end_ms > one.range.to) continue;
        amounts = addAmounts(amounts, toAmounts(entry));
        addExpected(people, { ...sums, expectedMs: expectedMs(entry.start_ms, entry.end_ms) });
        const { ms, ofMs } = watchedMs({ from: entry.start_ms, to: entry.end_ms });
        watched.ms += ms;
        watched.ofMs += ofMs;
        isOver &&= entry.end_ms <= mode.nowMs;
      }
      return amounts === null ? [] : [{ one, amounts, visitors: isOver ? knownVisitors(people, watched, mode) : null }];
    });
  });
}

type Hour = { entry: EntryRow; sums: Sums };

/** Finds the entry that contains an instant. `hours` are in order. */
function findHour(hours: readonly Hour[], ms: number): Hour | undefined {
  let [low, high] = [0, hours.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hours[middle]?.entry.end_ms ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  const hour = hours[low];
  return hour && hour.entry.start_ms <= ms ? hour : undefined;
}
