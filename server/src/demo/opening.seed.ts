// Opening hours of the demo's accounts and locations, with public holidays, and exceptions around the day of the first start.
import { dateOfDay } from "@psp/contract/counts/count-range.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import { countryCodeOf } from "@psp/contract/location/country.ts";
import { weekdayIndex } from "@psp/contract/opening/opening-calendar.ts";
import type { OpeningHours, Weekday } from "@psp/contract/opening/opening-hours.ts";
import { toJsonbOrNull } from "../db/storable.ts";
import type { FleetMember } from "./demo.seed.ts";
import { cafeNumber, type cities } from "./world.seed.ts";

type Week = OpeningHours["week"];
type Place = Pick<(typeof cities)[number], "city" | "country">;

const on = (from: string, to: string) => [{ from, to }];
const weekOf = (workdays: Week[Weekday], saturday = workdays, sunday: Week[Weekday] = []): Week => ({
  mo: workdays,
  tu: workdays,
  we: workdays,
  th: workdays,
  fr: workdays,
  sa: saturday,
  su: sunday,
});

const weeks: Record<FleetMember["kind"], Week> = {
  shop: weekOf(on("09:00", "20:00"), on("09:00", "20:00"), on("12:00", "18:00")),
  station: weekOf(on("04:30", "00:30"), on("05:00", "00:30"), on("06:00", "00:30")),
  library: weekOf(on("08:00", "22:00"), on("10:00", "17:00")),
};
const cafe: Week = {
  ...weekOf(on("10:00", "18:00"), on("10:00", "01:00"), on("10:00", "18:00")),
  mo: [],
  fr: [...on("10:00", "14:00"), ...on("16:00", "01:00")],
};

/** Holidays differ within these countries. */
const regions: Record<string, string> = { Berlin: "BE", Hamburg: "HH", München: "BY", Köln: "NW", Zürich: "ZH" };

/** A third of the locations have their own hours; the others inherit. */
export function chooseOwnHours(nowMs: number, number: number, kind: FleetMember["kind"], place: Place) {
  if (number !== cafeNumber && number % 3 !== 2) return {};
  const week = number === cafeNumber ? cafe : weeks[kind];
  return {
    opening_hours: toJsonbOrNull({ week, exceptions: exceptionsAround(nowMs), holidays: calendarOf(kind, place) }),
  };
}

export function chooseDefaultHours(nowMs: number, kind: FleetMember["kind"], place: Place) {
  const hours: OpeningHours = {
    week: weeks[kind],
    exceptions: exceptionsAround(nowMs),
    holidays: calendarOf(kind, place),
  };
  return { opening_hours: toJsonbOrNull(hours) };
}

/** Stations stay open on public holidays. */
function calendarOf(kind: FleetMember["kind"], { city, country }: Place): OpeningHours["holidays"] {
  const code = countryCodeOf(country);
  return code === null ? null : { country: code, region: regions[city] ?? null, closed: kind !== "station" };
}

function exceptionsAround(nowMs: number): OpeningHours["exceptions"] {
  const today = Math.floor(nowMs / dayMs);
  return [
    { date: dateOfDay(onWorkday(today - 9)), hours: on("09:00", "14:00"), name: "Stocktaking" },
    { date: dateOfDay(onWorkday(today + 5)), hours: on("09:00", "23:00"), name: "Late-night shopping" },
    { date: dateOfDay(onWorkday(today + 12)), hours: [], name: "Team day" },
  ];
}

function onWorkday(day: number): number {
  return weekdayIndex(day) === 6 ? day + 1 : day;
}
