// Axis ticks at round local times. Each day is labeled once, and hours only if they fit.
import { zoneOf } from "@psp/contract/kit/zone.ts";

export type TimeTick = { at: number; time: string | null; day: string | null };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mostTicks = 5;
const stepsOfDay = [hourMs / 4, hourMs / 2, hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs];

const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });
const shortDay = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });
const shortMonth = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short", year: "numeric" });
/** On axes of at least this length, ticks show month and year, because day and month could repeat. */
const longMs = 300 * dayMs;

/** At most six ticks between two times in ms since 1970. Uses UTC if the zone is missing or unknown. */
export function timeTicks(from: number, to: number, timeZone: string | null): TimeTick[] {
  const step = stepsOfDay.find((length) => (to - from) / length <= mostTicks);
  const everyDays = step === undefined ? Math.ceil((to - from) / dayMs / mostTicks) : 1;
  const dayWords = to - from < longMs ? shortDay : shortMonth;
  const { dayStart, localMs } = zoneOf(timeZone);
  const dayAt = (ms: number) => Math.floor(localMs(ms) / dayMs);
  const [first, last] = [dayAt(from), dayAt(to)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .filter((day) => day % everyDays === 0)
    .flatMap((day) => {
      const [start, end] = [dayStart(day), dayStart(day + 1)];
      const count = step === undefined ? 1 : Math.ceil((end - start) / step);
      return Array.from({ length: count }, (_, index) => start + index * (step ?? 0))
        .filter((at) => at >= from && at <= to && at < end)
        .map((at, index) => ({
          at,
          time: step === undefined ? null : clock.format(localMs(at)),
          day: index === 0 ? dayWords.format(day * dayMs) : null,
        }));
    });
}
