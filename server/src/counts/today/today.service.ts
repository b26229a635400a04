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
import { findComparedLocations, type Run } from "../compare/compare.service.ts";
import { toCountSum } from "../counts.service.ts";
import type { Series } from "../file/steps.rules.ts";
import { createLikeForLike, isLikeForLike } from "../group/group.rules.ts";
import { createExclusion } from "../notes.service.ts";
import { addExpectedTime, addScaledExpectedTime, findLocationStays, type LocationStays } from "../place-sums.store.ts";
import { createDayReader, type DayReader } from "./day-hours.service.ts";
import {
  countSharedHours,
  createCurve,
  createDayParts,
  type DayParts,
  findEnds,
  hoursPerDay,
  sumHours,
  type ZoneDay,
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

type Located = { location: NamedLocation; place: LocationStays; day: number };
type Mode = { hours: number; isOpenOnly: boolean; nowMs: number; partOf: DayParts };

async function compareToday(ctx: Context, caller: Caller, days: DayReader, isOpenOnly: boolean): Promise<TodayCounts> {
  const nowMs = ctx.clock.now();
  const locations = await findComparedLocations(ctx, caller, {});
  const places = await findLocationStays(ctx.db, locations);
  const all = places.flatMap((place, index): Located[] => {
    const location = locations[index];
    return location ? [{ location, place, day: place.zone.dayAt(nowMs) }] : [];
  });
  const counting = all.filter(({ place }) => place.stays.length > 0);
  const { hours, nextMs } = countSharedHours(zoneDaysOf(counting, nowMs), nowMs);
  const mode = { hours, isOpenOnly, nowMs, partOf: createDayParts() };
  const readEarlier = (comparison: Comparison) => {
    const shift = shiftOf(comparison);
    const earlier = counting.map(({ place, day }) => ({ place, day: day - shift }));
    return days.read(ctx, earlier, { hours: hoursPerDay, isPast: true });
  };
  const [today, weekAgo, yearAgo] = await Promise.all([
    days.read(ctx, counting, { hours, isPast: false }),
    readEarlier("previous"),
    readEarlier("year"),
  ]);
  const curve = createCurve(isOpenOnly);
  for (const series of today) curve.add(series);
  const [week, year] = await Promise.all([
    compareWith(ctx, caller, { counting, today, earlier: weekAgo, shift: shiftOf("previous") }, mode),
    compareWith(ctx, caller, { counting, today, earlier: yearAgo, shift: shiftOf("year") }, mode),
  ]);
  return {
    locations: all.length,
    hours,
    next: nextMs === null ? null : new Date(nextMs).toISOString(),
    date: dateOf(counting, 0),
    curve: curve.hours,
    in: curve.until(hours),
    week,
    year,
  };
}

/** Locations without a sensor have no counts, so their clocks don't matter. */
function zoneDaysOf(counting: readonly Located[], nowMs: number): ZoneDay[] {
  const active = counting.filter(({ place }) => place.stays.some(({ toMs }) => toMs > nowMs));
  return [...new Map(active.map(({ place: { zone }, day }) => [zone, { zone, day }])).values()];
}

const shiftOf = (comparison: Comparison) => comparisonShiftDays({ first: 0, last: 0 }, comparison);

/** Null if the local dates differ. */
function dateOf(counting: readonly Located[], shift: number): string | null {
  const days = new Set(counting.map(({ day }) => day - shift));
  const [only] = days;
  return only !== undefined && days.size === 1 ? dateOfDay(only) : null;
}

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
  const isLeftOut = await findLeftOut(ctx, caller, counting, shift, mode.isOpenOnly);
  const curve = createCurve(mode.isOpenOnly);
  const like = createLikeForLike();
  const changed: ChangedLocation[] = [];
  for (const [index, one] of counting.entries()) {
    const [series, before] = [today[index], earlier[index]];
    if (!series || !before) continue;
    curve.add(before);
    if (isLeftOut(one)) continue;
    const [now, then] = [sumNow(one, series, mode), sumThen(one, before, shift, mode)];
    like.take(now, then);
    const change = isLikeForLike(now, then) ? percentChange(now, then, "in") : null;
    if (change !== null) changed.push({ _id: one.location.id, name: one.location.name, change });
  }
  const { comparable, change } = like.result();
  return {
    date: dateOf(counting, shift),
    curve: curve.hours,
    in: curve.until(mode.hours),
    change: change.in,
    comparable,
    ...findEnds(changed),
  };
}

function sumNow({ place, day }: Located, series: Series, { hours, isOpenOnly, nowMs, partOf }: Mode) {
  const asked = { place, range: partOf(place.zone, day, hours) };
  return toCountSum(addExpectedTime(asked, sumHours(series, hours), nowMs), isOpenOnly);
}

function sumThen({ place, day }: Located, series: Series, shift: number, { hours, isOpenOnly, nowMs, partOf }: Mode) {
  const asked = { place, range: partOf(place.zone, day - shift, hours) };
  return toCountSum(addScaledExpectedTime(asked, sumHours(series, hours), nowMs), isOpenOnly);
}

/** A location is not compared if either of its days is closed, or left out because of an event. */
async function findLeftOut(
  ctx: Context,
  caller: Caller,
  counting: readonly Located[],
  shift: number,
  isOpenOnly: boolean,
): Promise<(one: Located) => boolean> {
  if (counting.length === 0) return () => false;
  const days = counting.map(({ day }) => day);
  const ids = counting.map(({ place }) => place.id);
  const events = await findEventsOfLocations(ctx, caller, ids, Math.min(...days) - shift, Math.max(...days));
  return ({ place: { id, hours }, day }) => {
    const isExcluded = createExclusion(events.get(id) ?? []);
    const isClosed = (on: number) => isOpenOnly && hours?.time.isClosedDay(on) === true;
    return [day, day - shift].some((on) => isExcluded(on) || isClosed(on));
  };
}
