// Labels of the steps of a chart, and the chart in words for screen readers.
import type { BucketSize, DayRange } from "@psp/contract/counts/count-range.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import type { Step } from "../../counts/summary/steps.service.ts";
import { count, datesText, several } from "../run/report-words.rules.ts";

const utc = { timeZone: "UTC" } as const;
const weekday = new Intl.DateTimeFormat("en-GB", { ...utc, weekday: "short" });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { ...utc, day: "numeric", month: "short" });
const monthAndYear = new Intl.DateTimeFormat("en-GB", { ...utc, month: "short", year: "numeric" });

/** Below a bar: "09:00", "Mon 16 Nov", "16 Nov", "Nov 2026". */
export function stepLabel({ first, hour }: Step, by: BucketSize, days: DayRange): string {
  const date = new Date(first * dayMs);
  const time = `${String(hour ?? 0).padStart(2, "0")}:00`;
  if (by === "hour") return days.first === days.last ? time : `${weekday.format(date)} ${time}`;
  if (by === "month") return monthAndYear.format(date);
  return by === "day" && days.last - days.first < 8
    ? `${weekday.format(date)} ${dayAndMonth.format(date)}`
    : dayAndMonth.format(date);
}

export function altText(steps: readonly Step[], by: BucketSize, days: DayRange): string {
  const known = steps.filter((step) => step.in !== null);
  const what = `Bar chart of people in per ${by}, ${datesText(days)}.`;
  if (known.length === 0) return `${what} No data.`;
  const [low, high] = [
    known.reduce((a, b) => ((b.in ?? 0) < (a.in ?? 0) ? b : a)),
    known.reduce((a, b) => ((b.in ?? 0) > (a.in ?? 0) ? b : a)),
  ];
  const at = (step: Step) => `${stepLabel(step, by, days)} with ${count.format(step.in ?? 0)}`;
  const unknown = steps.length - known.length;
  const gaps = unknown === 0 ? "" : ` No data for ${several(unknown, by, `${by}s`)}.`;
  return `${what} Most: ${at(high)}. Fewest: ${at(low)}.${gaps}`;
}
