// Opening hours of a location, or the default of an account: a week, dated exceptions and public holidays
// (docs/rules/opening-hours.md).
import { z } from "zod";
import { parseDay } from "../counts/count-range.ts";
import { safeText } from "../kit/safe-text.ts";

/** In the order of ISO weekdays. */
export const weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"] as const;
export type Weekday = (typeof weekdays)[number];

export const maxRangesPerDay = 10;
export const maxExceptions = 200;
export const minutesPerDay = 1440;

/** Minutes since midnight of `HH:MM`; `24:00` is 1440. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}
export function timeOfMinutes(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const clock = z
  .string()
  .max(5)
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: "Times look like 09:30" });
const endClock = z
  .string()
  .max(5)
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, { error: "Times look like 09:30 or 24:00" });

/** If `to` is earlier than `from`, the range ends on the next day. It belongs to the day on which it starts. */
const openRangeSchema = z.strictObject({ from: clock, to: endClock }).superRefine(({ from, to }, ctx) => {
  // Malformed times have been reported already.
  if (ctx.issues.length > 0 || from !== to) return;
  const message = "A range can't end when it starts. For the whole day, use 00:00 to 24:00";
  ctx.addIssue({ code: "custom", message, path: ["to"] });
});
export type OpenRange = { from: string; to: string };

/** Start and end in minutes since midnight of the day on which the range starts; the end is at most 2 days later. */
export function rangeMinutes({ from, to }: OpenRange): { from: number; to: number } {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return { from: start, to: end > start ? end : end + minutesPerDay };
}

/** Returns the index of the first range that overlaps another one of the same day, or -1. Ranges may touch. */
export function overlappingRange(ranges: readonly OpenRange[]): number {
  const spans = ranges.map(rangeMinutes);
  return spans.findIndex((a, i) => spans.some((b, j) => j < i && a.from < b.to && b.from < a.to));
}

const dayHours = z
  .array(openRangeSchema)
  .max(maxRangesPerDay, { error: `At most ${maxRangesPerDay} ranges a day` })
  .superRefine((ranges, ctx) => {
    const index = ctx.issues.length > 0 ? -1 : overlappingRange(ranges);
    if (index >= 0) ctx.addIssue({ code: "custom", message: "This range overlaps another one", path: [index] });
  });
/** Null and an empty list mean closed. */
const closable = dayHours.nullable().transform((ranges) => ranges ?? []);
const weekdayHours = closable.optional().transform((ranges) => ranges ?? []);

const weekSchema = z
  .strictObject({
    mo: weekdayHours,
    tu: weekdayHours,
    we: weekdayHours,
    th: weekdayHours,
    fr: weekdayHours,
    sa: weekdayHours,
    su: weekdayHours,
  })
  .superRefine((week, ctx) => {
    if (ctx.issues.length > 0) return;
    for (const [index, day] of weekdays.entries()) {
      const next = weekdays[(index + 1) % 7] ?? "mo";
      const spills = week[day].map((range) => rangeMinutes(range).to - minutesPerDay);
      const until = Math.max(0, ...spills);
      const at = week[next].findIndex((range) => minutesOf(range.from) < until);
      if (at >= 0)
        ctx.addIssue({
          code: "custom",
          message: "Overlaps the range of the day before that ends after midnight",
          path: [next, at],
        });
    }
  });

export const openingDate = z.iso
  .date({ error: "Dates look like 2026-12-24" })
  .refine((date) => parseDay(date) !== null && date >= "2000-01-01" && date < "2100-01-01", {
    error: "The year must be between 2000 and 2099",
  });

const exceptionSchema = z.strictObject({
  date: openingDate,
  hours: closable,
  name: safeText(100)
    .nullable()
    .optional()
    .transform((name) => name || null),
});

const exceptionsSchema = z
  .array(exceptionSchema)
  .max(maxExceptions, { error: `At most ${maxExceptions} exceptions` })
  .superRefine((list, ctx) => {
    const seen = new Set<string>();
    for (const [index, { date }] of list.entries()) {
      if (seen.has(date))
        ctx.addIssue({ code: "custom", message: `There are two exceptions on ${date}`, path: [index, "date"] });
      seen.add(date);
    }
  })
  .transform((list) => list.toSorted((a, b) => (a.date < b.date ? -1 : 1)));

/** Whether the country and region exist is checked by the server, which has the calendars. */
const holidaysSchema = z.strictObject({
  country: z
    .string()
    .max(2)
    .regex(/^[A-Z]{2}$/, { error: "Use the two-letter code of the country" }),
  region: z
    .string()
    .max(40)
    .regex(/^[A-Za-z0-9-]+$/, { error: "Unknown region" })
    .nullable()
    .optional()
    .transform((region) => region ?? null),
  /** Whether the location is closed on public holidays. Otherwise they are only named. */
  closed: z.boolean(),
});

export const openingHoursInput = z.strictObject({
  week: weekSchema,
  exceptions: exceptionsSchema.optional().transform((list) => list ?? []),
  holidays: holidaysSchema
    .nullable()
    .optional()
    .transform((holidays) => holidays ?? null),
});

export const storedRange = z.object({ from: z.string(), to: z.string() });
const storedDay = z.array(storedRange);
/** As stored and sent: complete, and exceptions in the order of their dates. */
export const openingHoursSchema = z.object({
  week: z.object({
    mo: storedDay,
    tu: storedDay,
    we: storedDay,
    th: storedDay,
    fr: storedDay,
    sa: storedDay,
    su: storedDay,
  }),
  exceptions: z.array(z.object({ date: z.string(), hours: storedDay, name: z.string().nullable() })),
  holidays: z.object({ country: z.string(), region: z.string().nullable(), closed: z.boolean() }).nullable(),
});
export type OpeningHours = z.output<typeof openingHoursSchema>;
