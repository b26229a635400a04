// When the count begins again: once a day at a local time, also on days on which clocks change.

export type ResetTime = { hour: number; minute: number };

/** A zone that skips a date has no reset on it: one day each side is not always enough. */
const daysAround = [-2, -1, 0, 1, 2];

/**
 * The last reset that is not after an instant, and the next one. Where clocks go forward over the reset time, it comes as long
 * after midnight as on other days; where they go back over it, the first of both counts: each day has one reset.
 */
export function resetsAround(
  zone: string,
  { hour, minute }: ResetTime,
  ms: number,
): { lastMs: number; nextMs: number } {
  const date = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate();
  const plainTime = Temporal.PlainTime.from({ hour, minute });
  const resets = daysAround.map(
    (days) => date.add({ days }).toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds,
  );
  return {
    lastMs: Math.max(...resets.filter((reset) => reset <= ms)),
    nextMs: Math.min(...resets.filter((reset) => reset > ms)),
  };
}
