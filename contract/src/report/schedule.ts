// When a report is due: every day, week or month at a local time (docs/rules/reports.md#schedule).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { dateOf, dayMs, isZone, type Zone } from "../kit/zone.ts";
import { weekDays } from "../monitoring/limits.ts";

const minuteMs = 60_000;

/** An IANA name in its usual spelling; offsets such as `+01:00` are no zones, because they ignore clock changes. */
const zone = boundedText(64).transform((text, ctx) => {
  if (/^[A-Za-z]/.test(text) && isZone(text))
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  ctx.addIssue({ code: "custom", message: "Not a time zone" });
  return z.NEVER;
});

const time = {
  at: boundedText(5).regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "Should be a time such as 07:00"),
  /** Null: the zone of the oldest location that the report's creator may view. */
  zone: zone.nullable(),
};

export const scheduleSchema = z.discriminatedUnion("every", [
  z.strictObject({ every: z.literal("day"), on: z.null().optional(), ...time }),
  z.strictObject({ every: z.literal("week"), on: z.enum(weekDays), ...time }),
  /** In months without that day, the report is due on the last day. */
  z.strictObject({ every: z.literal("month"), on: z.int().min(1).max(31), ...time }),
]);
export type Schedule = z.output<typeof scheduleSchema>;

/** Day 0, 1 January 1970, was a Thursday. */
const weekDayOf = (day: number) => (((day + 3) % 7) + 7) % 7;

function isDueOn(schedule: Schedule, day: number): boolean {
  if (schedule.every === "day") return true;
  if (schedule.every === "week") return weekDays[weekDayOf(day)] === schedule.on;
  const date = dateOf(day);
  return date.day === Math.min(schedule.on, date.daysInMonth);
}

function minutesOf(at: string): number {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  return hours * 60 + minutes;
}

/** Maps a time that a clock change skips to the instant of the change, and a repeated time to its first occurrence. */
function instantOn(zone: Zone, day: number, at: string): number {
  const local = day * dayMs + minutesOf(at) * minuteMs;
  const instant = zone.instantOf(local);
  return zone.localMs(instant) === local ? instant : zone.spanAt(instant).from;
}

/** The longest gap is from the 1st of a month to the 31st of the next one. */
const maxGapDays = 62;

/** The first due instant after an instant. */
export function findNextDue(schedule: Schedule, zone: Zone, afterMs: number): number {
  const today = zone.dayAt(afterMs);
  for (let day = today - 1; day <= today + maxGapDays; day += 1) {
    if (!isDueOn(schedule, day)) continue;
    const due = instantOn(zone, day, schedule.at);
    if (due > afterMs) return due;
  }
  throw new Error("A schedule without a next time");
}

/** The last due instant at or before an instant. */
export function findLastDue(schedule: Schedule, zone: Zone, nowMs: number): number {
  const today = zone.dayAt(nowMs);
  for (let day = today + 1; day >= today - maxGapDays; day -= 1) {
    if (!isDueOn(schedule, day)) continue;
    const due = instantOn(zone, day, schedule.at);
    if (due <= nowMs) return due;
  }
  throw new Error("A schedule without a last time");
}
