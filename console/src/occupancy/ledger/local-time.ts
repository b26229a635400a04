// Minutes of a location's own day as they are chosen, and instants as its clocks show them.

const parts = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const;

/** "2026-11-20" and "14:35" at an instant. */
export function localMinute(ms: number, zone: string): { date: string; time: string } {
  const found = new Map(
    new Intl.DateTimeFormat("en-CA", { ...parts, timeZone: zone })
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: string) => found.get(name as Intl.DateTimeFormatPartTypes) ?? "";
  return { date: `${part("year")}-${part("month")}-${part("day")}`, time: `${part("hour")}:${part("minute")}` };
}

const asUtc = ({ date, time }: { date: string; time: string }) => Date.parse(`${date}T${time}:00Z`);

/** The instant of a local minute, NaN for none. Of the two in the night in which clocks go back it is one. */
export function instantOf(date: string, time: string, zone: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}$/.test(time)) return Number.NaN;
  const wanted = asUtc({ date, time });
  if (Number.isNaN(wanted)) return wanted;
  // The offset there is not known before; that of about then leads near enough to the right one.
  const offsetAt = (ms: number) => asUtc(localMinute(ms, zone)) - Math.floor(ms / 60_000) * 60_000;
  const near = wanted - offsetAt(wanted);
  return wanted - offsetAt(near);
}

/** The zone, where this browser knows it. */
export function knownZone(zone: string | null): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone ?? "UTC" });
    return zone ?? "UTC";
  } catch {
    return "UTC";
  }
}
