// Local time of a zone: offsets, and the instant that a local date and time names.

const dayMs = 86_400_000;

type ZoneDay = { before: number; after: number; changeAt: number };
type Zone = { format: Intl.DateTimeFormat; days: Map<number, ZoneDay> };
const zones = new Map<string, Zone>();

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    zone = { format, days: new Map() };
    zones.set(name, zone);
  }
  return zone;
}

/** True when the machine knows the zone by this name. */
export function isZone(name: string): boolean {
  try {
    zoneOf(name);
    return true;
  } catch {
    return false;
  }
}

function askOffset(zone: Zone, at: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of zone.format.formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
export function offsetAt(zoneName: string, at: number): number {
  const zone = zoneOf(zoneName);
  const day = Math.floor(at / dayMs);
  let known = zone.days.get(day);
  if (!known) {
    const start = day * dayMs;
    known = { before: askOffset(zone, start), after: askOffset(zone, start + dayMs), changeAt: start + dayMs };
    if (known.before !== known.after) known.changeAt = findChange(zone, start, start + dayMs, known.before);
    if (zone.days.size > 4000) zone.days.clear();
    zone.days.set(day, known);
  }
  return at < known.changeAt ? known.before : known.after;
}

function findChange(zone: Zone, from: number, to: number, before: number): number {
  let [low, high] = [from, to];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (middle === low) break;
    if (askOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

export type LocalMoment = { weekday: number; minute: number; dayNumber: number };

/** Weekday (0 = Sunday), minute of the day and running number of the local day at an instant. */
export function localMoment(zone: string, at: number): LocalMoment {
  const local = at + offsetAt(zone, at);
  const dayNumber = Math.floor(local / dayMs);
  return { weekday: (dayNumber + 4) % 7, minute: (local - dayNumber * dayMs) / 60_000, dayNumber };
}

/**
 * The instant of a local date and time (given as if it were UTC), the first one where clocks show it twice;
 * null where they never show it.
 */
export function instantOf(zone: string, localAsUtc: number): number | null {
  const offsets = new Set([offsetAt(zone, localAsUtc - dayMs), offsetAt(zone, localAsUtc + dayMs)]);
  const instants = [...offsets]
    .map((offset) => localAsUtc - offset)
    .filter((at) => at + offsetAt(zone, at) === localAsUtc);
  return instants.length ? Math.min(...instants) : null;
}

/** The last change of the zone's offset before an instant, looking back 400 days; null where clocks never change. */
export function lastChangeBefore(zoneName: string, at: number): number | null {
  for (let day = Math.floor(at / dayMs); day > at / dayMs - 400; day--) {
    const start = day * dayMs;
    if (offsetAt(zoneName, start) !== offsetAt(zoneName, start + dayMs)) {
      const changeAt = findChange(zoneOf(zoneName), start, start + dayMs, offsetAt(zoneName, start));
      if (changeAt < at) return changeAt;
    }
  }
  return null;
}
