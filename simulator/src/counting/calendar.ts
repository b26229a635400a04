// Seasonal traffic: public holidays, the weeks before Christmas, quiet summer weeks.
import type { SiteKind } from "./tally.ts";

const dayMs = 86_400_000;

type Holidays = {
  /** Month and day, e.g. 1003 for 3 October. */
  fixed: readonly number[];
  /** Days relative to Easter Sunday. */
  easter?: readonly number[];
  /** Month, weekday (0 = Sunday) and which one of the month; -1 is the last. */
  weekdays?: readonly (readonly [month: number, weekday: number, which: number])[];
  isSouthern?: true;
};

/** Nationwide holidays only. */
const countries: Record<string, Holidays> = {
  Germany: { fixed: [101, 501, 1003, 1225, 1226], easter: [-2, 1, 39, 50] },
  Austria: { fixed: [101, 106, 501, 815, 1026, 1101, 1208, 1225, 1226], easter: [1, 39, 50, 60] },
  Switzerland: { fixed: [101, 801, 1225, 1226], easter: [-2, 1, 39, 50] },
  France: { fixed: [101, 501, 508, 714, 815, 1101, 1111, 1225], easter: [1, 39, 50] },
  Portugal: { fixed: [101, 425, 501, 610, 815, 1005, 1101, 1201, 1208, 1225], easter: [-2, 60] },
  Ireland: {
    fixed: [101, 317, 1225, 1226],
    easter: [1],
    weekdays: [
      [5, 1, 1],
      [6, 1, 1],
      [8, 1, 1],
      [10, 1, -1],
    ],
  },
  Finland: { fixed: [101, 106, 501, 1206, 1225, 1226], easter: [-2, 1, 39] },
  "United States": {
    fixed: [101, 619, 704, 1111, 1225],
    weekdays: [
      [1, 1, 3],
      [5, 1, -1],
      [9, 1, 1],
      [11, 4, 4],
    ],
  },
  Brazil: { fixed: [101, 421, 501, 907, 1012, 1102, 1115, 1225], easter: [-2], isSouthern: true },
  Japan: {
    fixed: [101, 211, 223, 429, 503, 504, 505, 811, 1103, 1123],
    weekdays: [
      [1, 1, 2],
      [7, 1, 3],
      [9, 1, 3],
      [10, 1, 2],
    ],
  },
  Australia: { fixed: [101, 126, 425, 1225, 1226], easter: [-2, -1, 1], isSouthern: true },
  "South Africa": { fixed: [101, 321, 427, 501, 616, 809, 924, 1216, 1225, 1226], easter: [-2, 1], isSouthern: true },
};

/** On holidays, closed sites count no one, and others keep their Sunday hours. */
export type Day = { isHoliday: boolean; factor: number };

const days = new Map<string, Day>();
const ordinary: Day = { isHoliday: false, factor: 1 };

/** `dayNumber` is a local day since 1970. Without a known country, there are no holidays or seasons. */
export function dayAt(kind: SiteKind, country: string | undefined, dayNumber: number): Day {
  const own = country === undefined ? undefined : countries[country];
  if (own === undefined) return ordinary;
  const key = `${kind}/${country}/${dayNumber}`;
  const known = days.get(key);
  if (known) return known;
  const isHoliday = holidaysOf(own, new Date(dayNumber * dayMs).getUTCFullYear()).has(dayNumber);
  const isClosed = isHoliday && kind !== "station";
  const day = { isHoliday, factor: isClosed ? 0 : seasonAt(kind, own.isSouthern ?? false, dayNumber) };
  days.set(key, day);
  return day;
}

function holidaysOf({ fixed, easter = [], weekdays = [] }: Holidays, year: number): Set<number> {
  const sunday = easterOf(year);
  return new Set([
    ...fixed.map((date) => dateNumber(year, Math.floor(date / 100), date % 100)),
    ...easter.map((after) => sunday + after),
    ...weekdays.map(([month, weekday, which]) => weekdayOf(year, month, weekday, which)),
  ]);
}

function dateNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day) / dayMs;
}

function weekdayOf(year: number, month: number, weekday: number, which: number): number {
  if (which > 0) {
    const first = dateNumber(year, month, 1);
    return first + ((weekday - weekdayAt(first) + 7) % 7) + 7 * (which - 1);
  }
  const last = dateNumber(year, month + 1, 0);
  return last - ((weekdayAt(last) - weekday + 7) % 7);
}

const weekdayAt = (dayNumber: number): number => (dayNumber + 4) % 7;

/** Gregorian Easter Sunday (Gauss's algorithm). */
export function easterOf(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const leaps = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25);
  const age = (leaps + 19 * golden + 15) % 30;
  const moon = age - Math.floor(age / 28) * (1 - Math.floor(29 / (age + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + moon + 2 - century + Math.floor(century / 4)) % 7;
  return dateNumber(year, 3, 28) + moon - weekday;
}

/** Relative rise of traffic before Christmas, and relative falls in midsummer and winter. */
const seasons: Record<SiteKind, { christmas: number; summer: number; winter: number }> = {
  shop: { christmas: 0.6, summer: 0.16, winter: 0.08 },
  station: { christmas: 0.12, summer: 0.12, winter: 0 },
  library: { christmas: -0.1, summer: 0.38, winter: -0.1 },
};
/** Roughly from the first Sunday of Advent. */
const christmasRiseDays = 26;
const summerDays = 42;

function seasonAt(kind: SiteKind, isSouthern: boolean, dayNumber: number): number {
  const { christmas, summer, winter } = seasons[kind];
  const year = new Date(dayNumber * dayMs).getUTCFullYear();
  const toChristmas = dateNumber(year, 12, 24) - dayNumber;
  const rise = toChristmas >= 0 && toChristmas < christmasRiseDays ? 1 - toChristmas / christmasRiseDays : 0;
  const middle = isSouthern ? dateNumber(year, 1, 20) : dateNumber(year, 8, 1);
  const [dip, cold] = [nearness(dayNumber, middle, summerDays), nearness(dayNumber, dateNumber(year, 2, 1), 30)];
  return (1 + christmas * rise) * (1 - summer * dip) * (1 - (isSouthern ? 0 : winter * cold));
}

/** 1 on the middle day, falling linearly to 0 over `within` days before and after it. */
function nearness(dayNumber: number, middle: number, within: number): number {
  return Math.max(0, 1 - Math.abs(dayNumber - middle) / within);
}
