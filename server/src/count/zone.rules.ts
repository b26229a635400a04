// Local time of a zone, fast enough for millions of records: offsets and starts of days, looked up once and kept.

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

type Span = { from: number; to: number; offsetMs: number };

export type Zone = {
  name: string;
  /** The offset that holds at an instant, and from when to when it holds. */
  spanAt(ms: number): Span;
  /** The local day an instant belongs to, in days since 1970. */
  dayAt(ms: number): number;
  /** First real instant of a local day. A day that the zone skipped starts where the next one does. */
  dayStart(day: number): number;
};

const zones = new Map<string, Zone>();
const maxKeptDays = 50_000;

/** A zone by its IANA name; null or an unknown one is UTC. */
export function zoneOf(name: string | null): Zone {
  const key = name ?? "UTC";
  const known = zones.get(key);
  if (known) return known;
  const made = isZone(key) ? createZone(key) : zoneOf(null);
  // Names come from the locations: a few hundred at most.
  zones.set(key, made);
  return made;
}

function isZone(name: string): boolean {
  try {
    Temporal.Now.instant().toZonedDateTimeISO(name);
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
  function dayStart(day: number): number {
    const kept = starts.get(day);
    if (kept !== undefined) return kept;
    if (starts.size >= maxKeptDays) starts.clear();
    const start = dateOf(day).toZonedDateTime(name).epochMilliseconds;
    starts.set(day, start);
    return start;
  }
  function dayAt(ms: number): number {
    let day = Math.floor((ms + spanAt(ms).offsetMs) / dayMs);
    // Where clocks go back across midnight an hour of the old date comes after the new day has begun: it belongs to the new.
    while (ms >= dayStart(day + 1)) day += 1;
    while (ms < dayStart(day)) day -= 1;
    return day;
  }
  return { name, spanAt, dayStart, dayAt };
}

function lookUp(name: string, ms: number): Span {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(name);
  // "previous" is strictly before: one nanosecond on, a change at this very instant counts.
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
  return Temporal.PlainDate.from("1970-01-01").add({ days: day });
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

/** Months since January 1970 in UTC, the unit that counts are packed by. */
export function utcMonth(ms: number): number {
  const date = new Date(ms);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
export function utcMonthStart(month: number): number {
  return Date.UTC(1970, month, 1);
}
