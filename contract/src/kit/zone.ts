// Converts between instants and local time. Caches offsets and starts of days, so that it is fast enough for millions of records.
// Uses Temporal. Browsers without it (Safari) use Intl, because a polyfill would add 17 kB.

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
const minuteMs = 60_000;

/** The time between two clock changes (half-open), with its offset from UTC. */
type Span = { from: number; to: number; offsetMs: number };

export type Zone = {
  name: string;
  spanAt(ms: number): Span;
  /** Local time at an instant, in ms since 1970 as if it were UTC. */
  localMs(ms: number): number;
  /**
   * The inverse of `localMs`. A time that a clock change skips is moved forward by the gap. A repeated time is its first
   * occurrence.
   */
  instantOf(localMs: number): number;
  /** Local day of an instant, in days since 1970. */
  dayAt(ms: number): number;
  /** First instant of a local day. A day that the zone skips starts with the next day. */
  dayStart(day: number): number;
};

const zones = new Map<string, Zone>();
const maxCachedDays = 50_000;

/** Returns the zone with this IANA name; UTC for null and unknown names. */
export function zoneOf(name: string | null): Zone {
  const key = name ?? "UTC";
  const known = zones.get(key);
  if (known) return known;
  const create = "Temporal" in globalThis ? createZone : createIntlZone;
  const made = isZone(key) ? create(key) : zoneOf(null);
  // The cache stays small, because only locations have zones: there are at most a few hundred names.
  zones.set(key, made);
  return made;
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function createZone(name: string): Zone {
  const spans: Span[] = [];
  const starts = new Map<number, number>();
  let last: Span = { from: 0, to: 0, offsetMs: 0 };
  function spanAt(ms: number): Span {
    if (ms >= last.from && ms < last.to) return last;
    let found = spans.find((span) => ms >= span.from && ms < span.to);
    if (!found) {
      found = lookUp(name, ms);
      spans.push(found);
    }
    last = found;
    return found;
  }
  const localMs = (ms: number) => ms + spanAt(ms).offsetMs;
  const instantOf = (local: number) => zonedAt("UTC", local).toPlainDateTime().toZonedDateTime(name).epochMilliseconds;
  function dayStart(day: number): number {
    const cached = starts.get(day);
    if (cached !== undefined) return cached;
    if (starts.size >= maxCachedDays) starts.clear();
    const start = dateOf(day).toZonedDateTime(name).epochMilliseconds;
    starts.set(day, start);
    return start;
  }
  const dayAt = (ms: number) => findDay(ms, localMs(ms), dayStart);
  return { name, spanAt, localMs, instantOf, dayAt, dayStart };
}

/**
 * Returns the local day of an instant. If clocks go back across midnight, the repeated hour of the old date belongs to the new
 * day.
 */
function findDay(ms: number, localMs: number, dayStart: (day: number) => number): number {
  let day = Math.floor(localMs / dayMs);
  while (ms >= dayStart(day + 1)) day += 1;
  while (ms < dayStart(day)) day -= 1;
  return day;
}

/** Precise only to the minute and uncached, which suffices for the few instants on a page. */
function createIntlZone(name: string): Zone {
  const two = "2-digit";
  const parts = {
    year: "numeric",
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
    hourCycle: "h23",
  } as const;
  const format = new Intl.DateTimeFormat("en", { ...parts, timeZone: name });
  function offsetAt(ms: number): number {
    const shown = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  }
  function spanAt(ms: number): Span {
    const from = Math.floor(ms / minuteMs) * minuteMs;
    return { from, to: from + minuteMs, offsetMs: offsetAt(ms) };
  }
  const localMs = (ms: number) => ms + offsetAt(ms);
  function instantOf(local: number): number {
    // Offsets are below a day, and clocks change at most once in two days.
    const [before, after] = [local - offsetAt(local - dayMs), local - offsetAt(local + dayMs)];
    const shown = [before, after].filter((ms) => localMs(ms) === local);
    return shown.length === 0 ? before : Math.min(...shown);
  }
  // If a clock change skips midnight, the gap starts exactly at midnight, so `instantOf` returns the end of the gap.
  const dayStart = (day: number) => instantOf(day * dayMs);
  return { name, spanAt, localMs, instantOf, dayAt: (ms) => findDay(ms, localMs(ms), dayStart), dayStart };
}

function zonedAt(name: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(name);
}

function lookUp(name: string, ms: number): Span {
  const at = zonedAt(name, ms);
  // "previous" finds only changes before `at`. One nanosecond more includes a change exactly at `at`.
  const from = at.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
  const to = at.getTimeZoneTransition("next");
  return {
    from: from?.epochMilliseconds ?? -Infinity,
    to: to?.epochMilliseconds ?? Infinity,
    offsetMs: at.offsetNanoseconds / 1e6,
  };
}

/** Converts days since 1970 to a date. */
export function dateOf(day: number): Temporal.PlainDate {
  return new Temporal.PlainDate(1970, 1, 1).add({ days: day });
}
export function dayNumberOf(date: Temporal.PlainDate): number {
  return Date.UTC(date.year, date.month - 1, date.day) / dayMs;
}

/** Formats local time as ISO 8601 with milliseconds and offset, e.g. `2005-10-30T01:00:00.000-07:00`. */
export function localIso(zone: Zone, ms: number): string {
  const { offsetMs } = zone.spanAt(ms);
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const sign = offsetMs < 0 ? "-" : "+";
  const two = (n: number) => String(n).padStart(2, "0");
  return `${new Date(ms + offsetMs).toISOString().slice(0, -1)}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
