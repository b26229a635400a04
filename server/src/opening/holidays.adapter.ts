// Public holidays by country and region, from the offline data of the library date-holidays.
import { createRequire } from "node:module";
import { dateOfDay, parseDay } from "@psp/contract/counts/count-range.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import type { HolidayName } from "@psp/contract/opening/opening-calendar.ts";
import Holidays from "date-holidays";

type CalendarOfCountry = { country: string; name: string; regions: { region: string; name: string }[] };

/** Changes with the data, so that sums computed from older data can be found. */
export const holidayDataVersion: string = (
  createRequire(import.meta.url)("date-holidays/package.json") as { version: string }
).version;

let known: readonly CalendarOfCountry[] | undefined;

/** Lists all calendars in English. A region is a state, or a state and a part of it, such as `BY-KATH`. */
export function listCalendars(): readonly CalendarOfCountry[] {
  const library = new Holidays();
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, "en");
  known ??= Object.entries(library.getCountries("en"))
    .map(([country, name]) => ({ country, name, regions: regionsOf(library, country).toSorted(byName) }))
    .toSorted(byName);
  return known;
}

function regionsOf(library: Holidays, country: string): { region: string; name: string }[] {
  return Object.entries(library.getStates(country, "en") ?? {}).flatMap(([state, name]) => [
    { region: state, name },
    ...Object.entries(library.getRegions(country, state, "en") ?? {}).map(([part, partName]) => ({
      region: `${state}-${part}`,
      name: `${name}, ${partName}`,
    })),
  ]);
}

/** Returns the name of the field whose calendar is unknown, or null. */
export function findUnknownCalendar(country: string, region: string | null): "country" | "region" | null {
  const calendar = listCalendars().find((one) => one.country === country);
  if (!calendar) return "country";
  return region === null || calendar.regions.some((one) => one.region === region) ? null : "region";
}

export function listHolidays(country: string, region: string | null, year: number): { date: string; name: string }[] {
  const names = namesOf(country, region, year);
  return [...names]
    .map(([day, name]) => ({ date: dateOfDay(day), name }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

/** Days of unknown calendars have no name. */
export function createHolidayNames(country: string, region: string | null): HolidayName {
  return (day) => namesOf(country, region, new Date(day * dayMs).getUTCFullYear()).get(day) ?? null;
}

/** One entry per country, region and year; a few kilobytes each. */
const years = new Map<string, ReadonlyMap<number, string>>();
const maxCachedYears = 20_000;

function namesOf(country: string, region: string | null, year: number): ReadonlyMap<number, string> {
  const key = `${country}/${region}/${year}`;
  const cached = years.get(key);
  if (cached) return cached;
  if (years.size >= maxCachedYears) years.clear();
  const computed = computeNames(country, region, year);
  years.set(key, computed);
  return computed;
}

function computeNames(country: string, region: string | null, year: number): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  // A holiday of several days may begin in the year before.
  for (const one of [year - 1, year].flatMap((y) => createLibrary(country, region).getHolidays(y, "en"))) {
    if (one.type !== "public") continue;
    const startMs = Date.parse(`${one.date.slice(0, 10)}T${one.date.slice(11, 19)}Z`);
    const endMs = startMs + (one.end.getTime() - one.start.getTime());
    // Holidays that begin at sunset belong to the day of which they cover noon.
    for (let day = parseDay(one.date.slice(0, 10)) ?? 0; day * dayMs + dayMs / 2 < endMs; day += 1)
      if (day * dayMs + dayMs / 2 >= startMs && yearOf(day) === year && !names.has(day)) names.set(day, one.name);
  }
  return names;
}

const yearOf = (day: number) => new Date(day * dayMs).getUTCFullYear();

function createLibrary(country: string, region: string | null): Holidays {
  const [state, ...part] = region?.split("-") ?? [];
  if (state === undefined) return new Holidays(country);
  return part.length === 0 ? new Holidays(country, state) : new Holidays(country, state, part.join("-"));
}
