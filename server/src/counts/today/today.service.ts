// Compares today, hour by hour, with the same weekday one week and 52 weeks ago, over all visible locations (docs/rules/counts.md#today).
import type { ChangedLocation, todayCounts, TodayCounts } from "@psp/contract/counts/counts.api.ts";
import { type Comparison, comparisonShiftDays, dateOfDay, percentChange } from "@psp/contract/counts/count-range.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import { findEventsOfLocations } from "../../event/event.service.ts";
import type { Caller } from "../../kit/caller.ts";
import { createSingleFlight } from "../../kit/limits/single-flight.ts";
import type { NamedLocation } from "../../location/location.service.ts";
import { findComparedLocations } from "../compare/compare.service.ts";
import type { Run } from "../compare/total.service.ts";
import { toCountSum } from "../count-sum.rules.ts";
import type { Series } from "../file/steps.rules.ts";
import { createLikeForLike, isLikeForLike } from "../group/group.rules.ts";
import { createExclusion } from "../notes.service.ts";
import { addExpectedTime, findLocationStays, type LocationStays, scaleToRange } from "../place-sums.store.ts";
import { createDayReader, type DayReader } from "./day-hours.service.ts";
import {
  createCurve,
  createDayParts,
  type DayParts,
  findEnds,
  findSharedDay,
  hoursPerDay,
  sumHours,
  type SharedDay,
} from "./today.rules.ts";

/** Deduplicates concurrent requests with the same view. Days that were read are kept for a while. */
export function createTodayReader(run: Run) {
  const same = createSingleFlight<TodayCounts>();
  const days = createDayReader();
  return (caller: Caller, { open = false }: HandlerInput<typeof todayCounts>["query"], left: AbortSignal) => {
    const view = JSON.stringify([caller.id, caller.path, resolveViewScope(caller, "measurement"), open]);
    return same(view, (signal) => run(caller.id, signal, (ctx) => compareToday(ctx, caller, days, open)), left);
  };
}

type Located = { location: NamedLocation; place: LocationStays; hours: number };
type Mode = { shared: SharedDay; isOpenOnly: boolean; nowMs: number; partOf: DayParts };

async function compareToday(ctx: Context, caller: Caller, days: DayReader, isOpenOnly: boolean): Promise<TodayCounts> {
  const nowMs = ctx.clock.now();
  const locations = await findComparedLocations(ctx, caller, {});
  const places = await findLocationStays(ctx.db, locations);
  const isActive = ({ stays }: LocationStays) => stays.some(({ toMs }) => toMs > nowMs);
  const shared = findSharedDay(
    places.filter(isActive).map(({ zone }) => zone),
    nowMs,
  );
  if (shared === null) return { ...createNothingToday(), locations: locations.length };
  const { day, hours, nextMs } = shared;
  const counting = places.flatMap((place, index): Located[] => {
    const location = locations[index];
    return location && place.stays.length > 0 ? [{ location, place, hours: shared.hoursIn(place.zone) }] : [];
  });
  const readEarlier = (comparison: Comparison) =>
    days.read(
      ctx,
      counting.map(({ place }) => ({ place, day: day - shiftOf(comparison), hours: hoursPerDay })),
      { when: "past", isOpenOnly },
    );
  const [today, weekAgo, yearAgo] = await Promise.all([
    days.read(
      ctx,
      counting.map((one) => ({ ...one, day })),
      { when: "today", isOpenOnly },
    ),
    readEarlier("previous"),
    readEarlier("year"),
  ]);
  const mode = { shared, isOpenOnly, nowMs, partOf: createDayParts() };
  const curve = createCurve(isOpenOnly);
  for (const series of today) curve.add(series);
  const [week, year] = await Promise.all([
    compareWith(ctx, caller, { counting, today, earlier: weekAgo, shift: shiftOf("previous") }, mode),
    compareWith(ctx, caller, { counting, today, earlier: yearAgo, shift: shiftOf("year") }, mode),
  ]);
  return {
    locations: locations.length,
    date: dateOfDay(day),
    hours,
    behind: counting.filter((one) => one.hours < hours && isActive(one.place)).length,
    next: new Date(nextMs).toISOString(),
    curve: curve.hours,
    in: curve.until(hours),
    week,
    year,
  };
}

function createNothingToday(): Omit<TodayCounts, "locations"> {
  const curve = createCurve(false).hours;
  const earlier = { date: null, curve, in: null, change: null, comparable: 0, best: [], worst: [] };
  return { date: null, hours: 0, behind: 0, next: null, curve, in: null, week: earlier, year: earlier };
}

const shiftOf = (comparison: Comparison) => comparisonShiftDays({ first: 0, last: 0 }, comparison);

type Compared = {
  counting: readonly Located[];
  today: readonly Series[];
  earlier: readonly Series[];
  /** How many days lie between the two. */
  shift: number;
};

async function compareWith(
  ctx: Context,
  caller: Caller,
  { counting, today, earlier, shift }: Compared,
  mode: Mode,
): Promise<TodayCounts["week"]> {
  const { shared, isOpenOnly } = mode;
  const isLeftOut = await findLeftOut(ctx, caller, { counting, day: shared.day, shift, isOpenOnly });
  const curve = createCurve(isOpenOnly);
  const like = createLikeForLike();
  const changed: ChangedLocation[] = [];
  for (const [index, one] of counting.entries()) {
    const [series, before] = [today[index], earlier[index]];
    if (!series || !before) continue;
    curve.add(before, (hour) => hour < one.hours || hour >= shared.hours);
    if (isLeftOut(one)) continue;
    const [now, then] = [sumNow(one, series, mode), sumThen(one, before, shift, mode)];
    like.take(now, then);
    const change = isLikeForLike(now, then) ? percentChange(now, then, "in") : null;
    if (change !== null) changed.push({ _id: one.location.id, name: one.location.name, change });
  }
  const { comparable, change } = like.result();
  return {
    date: dateOfDay(shared.day - shift),
    curve: curve.hours,
    in: curve.until(shared.hours),
    change: change.in,
    comparable,
    ...findEnds(changed),
  };
}

function sumNow({ place, hours }: Located, series: Series, { shared, isOpenOnly, nowMs, partOf }: Mode) {
  const asked = { place, range: partOf(place.zone, shared.day, hours) };
  return toCountSum(addExpectedTime(asked, sumHours(series, hours), nowMs), isOpenOnly);
}

function sumThen({ place, hours }: Located, series: Series, shift: number, mode: Mode) {
  const { shared, isOpenOnly, nowMs, partOf } = mode;
  const asked = { place, range: partOf(place.zone, shared.day - shift, hours) };
  return toCountSum(scaleToRange(asked, addExpectedTime(asked, sumHours(series, hours), nowMs), nowMs), isOpenOnly);
}

type LeftOut = { counting: readonly Located[]; day: number; shift: number; isOpenOnly: boolean };

/** A location is not compared if either of its days is closed, or left out because of an event. */
async function findLeftOut(ctx: Context, caller: Caller, { counting, day, shift, isOpenOnly }: LeftOut) {
  const ids = counting.map(({ place }) => place.id);
  const events = await findEventsOfLocations(ctx, caller, ids, day - shift, day);
  return ({ place: { id, hours } }: Located): boolean => {
    const isExcluded = createExclusion(events.get(id) ?? []);
    const isClosed = (on: number) => isOpenOnly && hours?.time.isClosedDay(on) === true;
    return [day, day - shift].some((on) => isExcluded(on) || isClosed(on));
  };
}
