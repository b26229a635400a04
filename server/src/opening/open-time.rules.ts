// Converts opening hours to instants of a zone: when the local clock shows a time within them
// (docs/rules/opening-hours.md#clock-changes).
import { dayMs, type Zone } from "@psp/contract/kit/zone.ts";
import { type MinuteRange, type OpeningDay, openMinutes } from "@psp/contract/opening/opening-calendar.ts";

type OpeningDays = (day: number) => OpeningDay;
type Span = { from: number; to: number };
type OpenDay = { spans: readonly Span[]; openMs: number };

/** Opening hours in one zone. Instants in milliseconds, days since 1970, intervals half-open. */
export type OpenTime = {
  isOpen(ms: number): boolean;
  msBetween(fromMs: number, toMs: number): number;
  /** Open periods that overlap an interval, in order and in full length within their local days. */
  spansBetween(fromMs: number, toMs: number): { from: number; to: number }[];
  /** Whether no open time lies in a local day, including the end of ranges that started the day before. */
  isClosedDay(day: number): boolean;
  /** The hours that start on a local day, and why. */
  day: OpeningDays;
};

const minuteMs = 60_000;

export function createOpenTime(zone: Zone, openingDay: OpeningDays, onDayCached: () => void): OpenTime {
  const days = new Map<number, OpenDay>();
  const minutes = (day: number) => openMinutes(openingDay(day), openingDay(day - 1));
  const openDay = (day: number): OpenDay => {
    const cached = days.get(day);
    if (cached) return cached;
    const spans = spansOfDay(zone, day, minutes);
    const computed = { spans, openMs: spans.reduce((sum, { from, to }) => sum + to - from, 0) };
    days.set(day, computed);
    onDayCached();
    return computed;
  };
  // Many locations share hours, zone and range.
  let last = { from: 0, to: 0, openMs: 0 };
  return {
    day: openingDay,
    isClosedDay: (day) => openDay(day).openMs === 0,
    isOpen: (ms) => openDay(zone.dayAt(ms)).spans.some(({ from, to }) => ms >= from && ms < to),
    spansBetween(from, to) {
      const found: Span[] = [];
      for (let day = zone.dayAt(from); zone.dayStart(day) < to; day += 1)
        for (const span of openDay(day).spans) if (overlapMs(span, from, to) > 0) add(found, { ...span });
      return found;
    },
    msBetween(from, to) {
      if (from !== last.from || to !== last.to) last = { from, to, openMs: sumBetween(zone, openDay, from, to) };
      return last.openMs;
    },
  };
}

function sumBetween(zone: Zone, openDay: (day: number) => OpenDay, from: number, to: number): number {
  let total = 0;
  if (from >= to) return total;
  for (let day = zone.dayAt(from), start = zone.dayStart(day); start < to; day += 1) {
    const end = zone.dayStart(day + 1);
    const { spans, openMs } = openDay(day);
    total += start >= from && end <= to ? openMs : spans.reduce((sum, span) => sum + overlapMs(span, from, to), 0);
    start = end;
  }
  return total;
}

const overlapMs = (span: Span, from: number, to: number) =>
  Math.max(0, Math.min(span.to, to) - Math.max(span.from, from));

/** A day of the zone can contain hours of two dates, because clocks may go back across midnight. */
function spansOfDay(zone: Zone, day: number, minutes: (date: number) => readonly MinuteRange[]): Span[] {
  const [start, end] = [zone.dayStart(day), zone.dayStart(day + 1)];
  const spans: Span[] = [];
  for (let at = start; at < end;) {
    const { offsetMs, to } = zone.spanAt(at);
    const until = Math.min(to, end);
    for (let date = Math.floor((at + offsetMs) / dayMs); date * dayMs - offsetMs < until; date += 1)
      for (const range of minutes(date)) {
        const from = Math.max(at, date * dayMs + range.from * minuteMs - offsetMs);
        add(spans, { from, to: Math.min(until, date * dayMs + range.to * minuteMs - offsetMs) });
      }
    at = until;
  }
  return spans;
}

function add(spans: Span[], span: Span): void {
  if (span.from >= span.to) return;
  const last = spans.at(-1);
  if (last?.to === span.from) last.to = span.to;
  else spans.push(span);
}
