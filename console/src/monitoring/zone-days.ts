// Local days of a location as instants: which days a log is filtered by, in the location's zone (docs/rules/monitoring.md#log-page).
import { dayOf, type Days } from "@psp/contract/counts/count-range.ts";

const dayMs = 86_400_000;
/** 20 years with their leap days. */
const mostDays = 7306;

/** `YYYY-MM-DD,YYYY-MM-DD`, both days included; null for what is no range. */
export function daysIn(text: string): Days | null {
  const [from = "", to = "", ...rest] = text.split(",");
  const [first, last] = [dayOf(from), dayOf(to)];
  if (rest.length > 0 || first === null || last === null || first > last || last - first >= mostDays) return null;
  return { first, last };
}

function formatIn(timeZone: string | null): Intl.DateTimeFormat {
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const options = { ...parts, second: "2-digit", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-CA", { ...options, timeZone: timeZone ?? "UTC" });
  } catch {
    return new Intl.DateTimeFormat("en-CA", { ...options, timeZone: "UTC" });
  }
}

/** How far the clocks of the zone are before UTC at an instant, in ms. */
function offsetAt(ms: number, format: Intl.DateTimeFormat): number {
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

/** What the clocks of the zone show at an instant, as if it were UTC. */
export const wallTime = (ms: number, timeZone: string | null): number => ms + offsetAt(ms, formatIn(timeZone));

/** The instant with which a local day begins; where clocks skip midnight, the first one after it. */
export function dayStart(day: number, timeZone: string | null): number {
  const format = formatIn(timeZone);
  const wall = day * dayMs;
  // Of the offsets around the day one fits; in the night in which clocks go back the earlier instant is the beginning.
  const offsets = [offsetAt(wall - dayMs, format), offsetAt(wall + dayMs, format)];
  const fitting = offsets.map((offset) => wall - offset).filter((at) => at + offsetAt(at, format) === wall);
  return Math.min(...(fitting.length > 0 ? fitting : offsets.map((offset) => wall - Math.min(offset, ...offsets))));
}

/** What a call is asked for these days: from the first's beginning up to the end of the last. */
export function instantsOf({ first, last }: Days, timeZone: string | null): { from: string; to: string } {
  return {
    from: new Date(dayStart(first, timeZone)).toISOString(),
    to: new Date(dayStart(last + 1, timeZone)).toISOString(),
  };
}
