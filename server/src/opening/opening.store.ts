// Loads opening hours of locations; equal hours are cached by their key, which changes with them.
import { sql } from "kysely";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { createOpeningDays, type OpeningDay } from "@psp/contract/opening/opening-calendar.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import type { Reader } from "../db/database.ts";
import { createHolidayNames } from "./holidays.adapter.ts";
import type { HoursKeys } from "../db/applied-hours.ts";
import { createOpenTime, type OpenTime } from "./open-time.rules.ts";

/** `key` changes with the hours. `isFresh`: whether the stored open sums of the location follow these hours. */
export type LocationHours = { key: string; time: OpenTime; isFresh: boolean };

/** Open time in an interval, in milliseconds; all of it if there are no hours. */
export function openMsBetween(hours: LocationHours | null, fromMs: number, toMs: number): number {
  return hours ? hours.time.msBetween(fromMs, toMs) : toMs - fromMs;
}

type Place = HoursKeys & { locationId: string; zone: Zone };

type OpeningDays = (day: number) => OpeningDay;

/** Returns the opening hours of each place in order; null means always open. */
export async function findLocationHours(reader: Reader, places: readonly Place[]): Promise<(LocationHours | null)[]> {
  const found = new Map<string, { key: string; days: OpeningDays }>();
  const missing = new Map<string, string>();
  for (const { hoursKey, locationId } of places) {
    if (hoursKey === null) continue;
    const days = hoursByKey.get(hoursKey);
    if (days) found.set(hoursKey, { key: hoursKey, days });
    else missing.set(hoursKey, locationId);
  }
  if (missing.size > 0) {
    const loaded = await loadHours(reader, [...missing.values()]);
    for (const [key, locationId] of missing) {
      // If the hours changed since the key was read, the present ones apply.
      const present = loaded.get(locationId);
      if (present) found.set(key, present);
    }
  }
  return places.map(({ zone, hoursKey, sumsKey }) => {
    const hours = hoursKey === null ? undefined : found.get(hoursKey);
    return hours
      ? { key: hours.key, time: openTimeOf(hours.key, hours.days, zone), isFresh: sumsKey === hours.key }
      : null;
  });
}

const hoursByKey = new Map<string, OpeningDays>();
const maxCachedHours = 10_000;

async function loadHours(reader: Reader, locationIds: readonly string[]) {
  const { rows } = await sql<{ id: string; key: string | null; hours: OpeningHours | null }>`
    select l.id, coalesce(l.hours_key, a.hours_key) as key, coalesce(l.opening_hours, a.opening_hours) as hours
    from location l join account a on a.id = l.owner_id
    where l.id = any(${[...locationIds]}::uuid[])`.execute(reader);
  if (hoursByKey.size + rows.length > maxCachedHours) hoursByKey.clear();
  const loaded = new Map<string, { key: string; days: OpeningDays }>();
  for (const { id, key, hours } of rows) {
    if (key === null || hours === null) continue;
    const days = hoursByKey.getOrInsertComputed(key, () => toOpeningDays(hours));
    loaded.set(id, { key, days });
  }
  return loaded;
}

const times = new Map<string, OpenTime>();
/** About 100 bytes each. */
const maxCachedDays = 500_000;
let cachedDays = 0;

function openTimeOf(key: string, days: OpeningDays, zone: Zone): OpenTime {
  if (cachedDays >= maxCachedDays) {
    times.clear();
    cachedDays = 0;
  }
  return times.getOrInsertComputed(`${key}/${zone.name}`, () => createOpenTime(zone, days, () => (cachedDays += 1)));
}

function toOpeningDays(hours: OpeningHours): OpeningDays {
  const { holidays } = hours;
  return createOpeningDays(hours, holidays ? createHolidayNames(holidays.country, holidays.region) : () => null);
}
