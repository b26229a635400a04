// Converts between local minutes of a location and instants.
import { zoneOf } from "@psp/contract/kit/zone.ts";

/** Such as "2026-11-20" and "14:35". */
export function toLocalMinute(ms: number, zone: string | null): { date: string; time: string } {
  const local = new Date(zoneOf(zone).localMs(ms)).toISOString();
  return { date: local.slice(0, 10), time: local.slice(11, 16) };
}

/** Instant of a local minute in ms; NaN if unparsable. Returns the first one if the minute occurs twice because clocks go back. */
export function toInstant(date: string, time: string, zone: string | null): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}$/.test(time)) return Number.NaN;
  const local = Date.parse(`${date}T${time}:00Z`);
  return Number.isNaN(local) ? local : zoneOf(zone).instantOf(local);
}
