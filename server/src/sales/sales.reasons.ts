// Texts that explain why sales are refused.
import { localIso, type Zone } from "@psp/contract/kit/zone.ts";
import { dayAt, type Period } from "./sales.rules.ts";

/** The time without milliseconds and offset. */
const time = (zone: Zone, ms: number) => localIso(zone, ms).slice(0, 16).replace("T", " ");

/** A period in local time, as in "the day 2026-11-26" or "2026-11-26 10:00 to 2026-11-26 11:00". */
function describePeriod(zone: Zone, { startMs, endMs }: Period): string {
  const day = dayAt(zone, startMs);
  if (day.startMs === startMs && day.endMs === endMs) return `the day ${time(zone, startMs).slice(0, 10)}`;
  return `${time(zone, startMs)} to ${time(zone, endMs)}`;
}

export const salesReasons = {
  duplicateStarts: (zone: Zone, index: number, other: number, startMs: number) =>
    `Duplicate starts: entries ${other} and ${index} both start at ${time(zone, startMs)}`,
  overlap: (index: number, other: number) => `Entries ${other} and ${index} overlap`,
  conflict: (zone: Zone, stored: Period) =>
    `Sales are already stored for ${describePeriod(zone, stored)}, which overlaps this entry. Delete them first`,
  unknownCurrency: "Unknown currency",
};
