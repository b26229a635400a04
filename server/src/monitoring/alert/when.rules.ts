// Computes when a mail may go out: on active weekdays in the location's zone (docs/rules/monitoring.md#mails).
import { type WeekDay, weekDays } from "@psp/contract/monitoring/limits.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";

type ActiveDays = Readonly<Record<WeekDay, boolean>>;

const names: Record<WeekDay, string> = {
  mo: "Monday",
  tu: "Tuesday",
  we: "Wednesday",
  th: "Thursday",
  fr: "Friday",
  sa: "Saturday",
  su: "Sunday",
};

/** Day 0, 1 January 1970, was a Thursday. */
function weekDayOf(day: number): WeekDay {
  return weekDays[(((day + 3) % 7) + 7) % 7] ?? "mo";
}

export const toWeekDayName = (zone: Zone, ms: number): string => names[weekDayOf(zone.dayAt(ms))];

export type MailTime = { dueMs: number; isDeferred: boolean } | null;

/** Returns now, or the start of the next active day; null if no day is active. */
export function computeMailTime(active: ActiveDays, zone: Zone, nowMs: number): MailTime {
  const today = zone.dayAt(nowMs);
  if (active[weekDayOf(today)]) return { dueMs: nowMs, isDeferred: false };
  for (let day = today + 1; day <= today + 7; day += 1)
    if (active[weekDayOf(day)]) return { dueMs: zone.dayStart(day), isDeferred: true };
  return null;
}

export const minMailGapMs = 15 * 60_000;
