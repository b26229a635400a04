// Reads the hours of local days at many locations, and keeps them for a while, because every open dashboard asks for the same ones.
import { isCompleteEnough } from "@psp/contract/counts/count-range.ts";
import type { Context } from "../../context.ts";
import { createExpiringCache } from "../../kit/expiring-cache.ts";
import { sumSeries } from "../file/series.store.ts";
import { createHoursOfDay, type Series, type Steps } from "../file/steps.rules.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { toCountSum } from "../count-sum.rules.ts";
import { addExpectedTime, type LocationStays } from "../place-sums.store.ts";
import { createDayParts, sumHours } from "./today.rules.ts";

/** `hours`: how many hours of the day to read. */
type LocationDay = { place: LocationStays; day: number; hours: number };

/** `isOpenOnly`: only the sums within opening hours are needed. */
type Mode = { when: "past" | "today"; isOpenOnly: boolean };

export type DayReader = ReturnType<typeof createDayReader>;

/** About 1 kB each: today and both earlier days of as many locations as can be compared. */
const maxDays = 20_000;
/** For so long, a correction of a complete earlier day may be missing. */
const completeTtlMs = 60 * 60_000;
/** For so long, a late count of today or of an incomplete day may be missing. */
const incompleteTtlMs = 5 * 60_000;

/** Locations per read. What was read is kept, even if the client leaves before the last ones. */
const locationsAtOnce = 500;

/**
 * The caller decides for each request which locations may be viewed. A cached day is only a fact about its location, so all accounts
 * share it.
 */
export function createDayReader() {
  const complete = createExpiringCache<Series>({ max: maxDays, ttlMs: completeTtlMs });
  const incomplete = createExpiringCache<Series>({ max: maxDays, ttlMs: incompleteTtlMs });
  return {
    /** Returns the hours of each day, in order. Complete past days change only by corrections. */
    async read(ctx: Context, days: readonly LocationDay[], { when, isOpenOnly }: Mode): Promise<Series[]> {
      const nowMs = ctx.clock.now();
      const keys = days.map((one) => `${keyOf(one)}/${isOpenOnly}`);
      const found = keys.map((key) => complete.get(key, nowMs) ?? incomplete.get(key, nowMs));
      const missing = days.flatMap((one, index) => (found[index] ? [] : [{ ...one, index }]));
      const stepsOf = createPlans();
      const isComplete = ({ place, day, hours }: LocationDay, series: Series) => {
        const asked = { place, range: stepsOf(place.zone, day, hours).range };
        return isCompleteEnough(toCountSum(addExpectedTime(asked, sumHours(series, hours), nowMs), isOpenOnly));
      };
      for (let from = 0; from < missing.length; from += locationsAtOnce) {
        const some = missing.slice(from, from + locationsAtOnce);
        const read = await sumSeries(
          ctx.db,
          some.map(({ place, day, hours }) => ({ place, steps: stepsOf(place.zone, day, hours) })),
          isOpenOnly,
        );
        for (const [nth, { index, ...one }] of some.entries()) {
          const [series, key] = [read[nth], keys[index]];
          if (!series || key === undefined) continue;
          found[index] = series;
          (when === "past" && isComplete(one, series) ? complete : incomplete).set(key, series, nowMs);
        }
      }
      return found.flatMap((series) => series ?? []);
    },
  };
}

/** Locations of a zone share the steps. */
function createPlans() {
  const plans = new Map<string, Steps>();
  const partOf = createDayParts();
  return (zone: Zone, day: number, hours: number) =>
    plans.getOrInsertComputed(`${zone.name}/${day}/${hours}`, () =>
      createHoursOfDay(zone, day, partOf(zone, day, hours)),
    );
}

/** Contains the stays, so that an assignment shows at once. */
function keyOf({ place: { id, zone, hours: opening, stays }, day, hours }: LocationDay): string {
  const assigned = stays.map(({ sensorNum, countsFromMs, toMs }) => `${sensorNum}:${countsFromMs}:${toMs}`);
  return [id, day, hours, zone.name, opening?.key ?? "", ...assigned].join("/");
}
