// Reads the hours of local days at many locations, and keeps them for a while, because every open dashboard asks for the same ones.
import type { Context } from "../../context.ts";
import { createExpiringCache } from "../../kit/expiring-cache.ts";
import { sumSeries } from "../file/series.store.ts";
import { createHoursOfDay, type Series, type Steps } from "../file/steps.rules.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import type { LocationStays } from "../place-sums.store.ts";
import { createDayParts } from "./today.rules.ts";

/** `hours`: how many hours of the day to read. */
type LocationDay = { place: LocationStays; day: number; hours: number };

/** `isOpenOnly`: only the sums within opening hours are needed. */
type Mode = { when: "past" | "today"; isOpenOnly: boolean };

export type DayReader = ReturnType<typeof createDayReader>;

/** About 1 kB each: both earlier days of as many locations as can be compared. */
const maxDays = 20_000;
/** For so long, a correction of an earlier day may be missing. */
const pastTtlMs = 60 * 60_000;
/** For so long, a count of today that came late may be missing. */
const todayTtlMs = 5 * 60_000;

/** Locations per read. What was read is kept, even if the client leaves before the last ones. */
const locationsAtOnce = 500;

/**
 * The caller decides for each request which locations may be viewed. A cached day is only a fact about its location, so all accounts
 * share it.
 */
export function createDayReader() {
  const past = createExpiringCache<Series>({ max: maxDays, ttlMs: pastTtlMs });
  const recent = createExpiringCache<Series>({ max: maxDays / 2, ttlMs: todayTtlMs });
  return {
    /** Returns the hours of each day, in order. Past days change only by corrections. */
    async read(ctx: Context, days: readonly LocationDay[], { when, isOpenOnly }: Mode): Promise<Series[]> {
      const cache = when === "past" ? past : recent;
      const nowMs = ctx.clock.now();
      const keys = days.map((one) => `${keyOf(one)}/${isOpenOnly}`);
      const found = keys.map((key) => cache.get(key, nowMs));
      const missing = days.flatMap((one, index) => (found[index] ? [] : [{ ...one, index }]));
      const stepsOf = createPlans();
      for (let from = 0; from < missing.length; from += locationsAtOnce) {
        const some = missing.slice(from, from + locationsAtOnce);
        const read = await sumSeries(
          ctx.db,
          some.map(({ place, day, hours }) => ({ place, steps: stepsOf(place.zone, day, hours) })),
          isOpenOnly,
        );
        for (const [nth, { index }] of some.entries()) {
          const [series, key] = [read[nth], keys[index]];
          if (!series || key === undefined) continue;
          found[index] = series;
          cache.set(key, series, nowMs);
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
