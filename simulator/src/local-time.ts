// Local time of a zone: what clocks show at an instant, and the instant that a local date and time names.

const dayMs = 86_400_000;

/** A stretch of time (ms UTC, half-open) in which the clocks of a zone are `offset` milliseconds ahead of UTC. */
type Stretch = { from: number; to: number; offset: number };
const stretches = new Map<string, Stretch[]>();

function zonedAt(zone: string, at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(at)).toZonedDateTimeISO(zone);
}

/** True when the machine knows the zone by this name. */
export function isZone(name: string): boolean {
  try {
    zonedAt(name, 0);
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant; each stretch between two changes is looked up once. */
export function offsetAt(zone: string, at: number): number {
  const known = stretches.get(zone) ?? [];
  const found = known.find(({ from, to }) => at >= from && at < to);
  if (found) return found.offset;
  const zoned = zonedAt(zone, at);
  const stretch = {
    from: zoned.add({ milliseconds: 1 }).getTimeZoneTransition("previous")?.epochMilliseconds ?? -Infinity,
    to: zoned.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity,
    offset: zoned.offsetNanoseconds / 1e6,
  };
  stretches.set(zone, [...known, stretch]);
  return stretch.offset;
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
  const local = zonedAt("UTC", localAsUtc).toPlainDateTime();
  const zoned = local.toZonedDateTime(zone, { disambiguation: "earlier" });
  return zoned.toPlainDateTime().equals(local) ? zoned.epochMilliseconds : null;
}

/** The last change of the zone's clocks before an instant, looking back 400 days; null where there was none. */
export function lastChangeBefore(zone: string, at: number): number | null {
  const changeAt = zonedAt(zone, at).getTimeZoneTransition("previous")?.epochMilliseconds ?? -Infinity;
  return changeAt > at - 400 * dayMs ? changeAt : null;
}
