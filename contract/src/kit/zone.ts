// Local time of time zones. Offsets and starts of days are looked up once and cached: fast enough for millions of records.
// The console imports this file through console/src/ui/time/zone.ts, which provides Temporal where the browser has none.

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** A time between two clock changes (half-open) and its offset from UTC. */
type Span = { from: number; to: number; offsetMs: number };

export type Zone = {
  name: string;
  spanAt(ms: number): Span;
  /** What clocks show at an instant, as if it were UTC. */
  localMs(ms: number): number;
  /** The inverse of `localMs`. A time that is skipped comes as much later; of a time that is repeated, the first. */
  instantOf(localMs: number): number;
  /** The local day of an instant, in days since 1970. */
  dayAt(ms: number): number;
  /** First instant of a local day. A day that the zone skips starts with the next day. */
  dayStart(day: number): number;
};

const zones = new Map<string, Zone>();
const maxCachedDays = 50_000;

/** A zone by its IANA name; UTC for null and unknown names. */
export function zoneOf(name: string | null): Zone {
  const key = name ?? "UTC";
  const known = zones.get(key);
  if (known) return known;
  const made = isZone(key) ? createZone(key) : zoneOf(null);
  // Names come from the locations: a few hundred at most.
  zones.set(key, made);
  return made;
}

export function isZone(name: string): boolean {
  try {
    zonedAt(name, 0);
    return true;
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
  function dayAt(ms: number): number {
    let day = Math.floor(localMs(ms) / dayMs);
    // Where clocks go back across midnight, the new day has begun: the repeated hour of the old date belongs to the new day.
    while (ms >= dayStart(day + 1)) day += 1;
    while (ms < dayStart(day)) day -= 1;
    return day;
  }
  return { name, spanAt, localMs, instantOf, dayAt, dayStart };
}

function zonedAt(name: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(name);
}

function lookUp(name: string, ms: number): Span {
  const at = zonedAt(name, ms);
  // "previous" is strictly before: add a nanosecond to include a change at this very instant.
  const from = at.add({ nanoseconds: 1 }).getTimeZoneTransition("previous");
  const to = at.getTimeZoneTransition("next");
  return {
    from: from?.epochMilliseconds ?? -Infinity,
    to: to?.epochMilliseconds ?? Infinity,
    offsetMs: at.offsetNanoseconds / 1e6,
  };
}

/** The date of a day number. */
export function dateOf(day: number): Temporal.PlainDate {
  return new Temporal.PlainDate(1970, 1, 1).add({ days: day });
}
export function dayNumberOf(date: Temporal.PlainDate): number {
  return Date.UTC(date.year, date.month - 1, date.day) / dayMs;
}

/** ISO 8601 local time with milliseconds and offset, e.g. `2005-10-30T01:00:00.000-07:00`. */
export function localIso(zone: Zone, ms: number): string {
  const { offsetMs } = zone.spanAt(ms);
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const sign = offsetMs < 0 ? "-" : "+";
  const two = (n: number) => String(n).padStart(2, "0");
  return `${new Date(ms + offsetMs).toISOString().slice(0, -1)}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
