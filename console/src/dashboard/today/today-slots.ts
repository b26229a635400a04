// Slots of the chart that compares today with earlier days.
import type { TodayCounts } from "@psp/contract/counts/counts.api.ts";
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { formatDateRange } from "../../counts/times.ts";
import type { Slot } from "../../ui/chart/slots.ts";

export const clockOf = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

export function formatDay(date: string): string {
  const day = parseDay(date) ?? 0;
  return formatDateRange({ first: day, last: day });
}

export const isKnown = ({ curve }: TodayCounts["week"]): boolean => curve.some((people) => people !== null);

/** The hours from the first to the last one in which anyone was counted on any of the days. */
export function toHourSlots({ hours, curve, week, year }: TodayCounts): Slot[] {
  const curves = [curve, week.curve, year.curve];
  const slots = curve.map((people, hour): Slot => {
    const values = isKnown(year) ? curves.map((one) => one[hour] ?? null) : [people, week.curve[hour] ?? null];
    const isExpected = [week, year].some((earlier) => earlier.curve[hour] !== null);
    const gap = hour >= hours ? "ahead" : isExpected ? "unknown" : "none";
    return {
      at: clockOf(hour),
      label: clockOf(hour),
      tick: hour % 3 === 0 ? clockOf(hour) : undefined,
      values,
      ...(people === null && { gap }),
    };
  });
  const isBusy = ({ values }: Slot) => values.some((people) => people !== null && people > 0);
  const [first, last] = [slots.findIndex(isBusy), slots.findLastIndex(isBusy)];
  return first < 0 ? slots : slots.slice(first, last + 1);
}
