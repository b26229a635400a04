// Reads the local times of a row, and derives its hour or day (docs/rules/sales.md#times-in-files).
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";
import { dayAt, hourAt, type Period } from "../sales.rules.ts";

/** `localMs` is the time as if it were UTC; `instantMs` is set if the text has an offset. */
type Moment = { localMs: number; isDate: boolean; instantMs: number | null };

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]0{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function parseMoment(cell: string): Moment | null {
  const [whole, ...parts] = pattern.exec(cell.trim()) ?? [];
  if (whole === undefined) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((one) => Number(one ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1000;
  // 24:00 is the end of the day.
  const isTime = minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute + second === 0));
  if (!isReal || !isTime) return null;
  const localMs = date.getTime() + hour * hourMs + minute * 60_000 + second * 1000;
  const offset = parts[6];
  return {
    localMs,
    isDate: parts[3] === undefined,
    instantMs: offset === undefined ? null : localMs - offsetMs(offset),
  };
}

function offsetMs(text: string): number {
  if (text.toUpperCase() === "Z") return 0;
  const digits = text.replaceAll(/\D/g, "");
  const ms = Number(digits.slice(0, 2)) * hourMs + Number(digits.slice(2)) * 60_000;
  return text.startsWith("-") ? -ms : ms;
}

/** The instants at which a clock shows a local time: none if it is skipped, two if it is repeated. */
function instantsOf(zone: Zone, localMs: number): number[] {
  const first = zone.instantOf(localMs);
  if (zone.localMs(first) !== localMs) return [];
  const change = zone.spanAt(first).to;
  const second = Number.isFinite(change) ? localMs - zone.spanAt(change).offsetMs : first;
  return second >= change && second !== first ? [first, second] : [first];
}

const kinds: ReadonlyMap<string, "hour" | "day"> = new Map([
  ["hour", "hour"],
  ["hours", "hour"],
  ["h", "hour"],
  ["day", "day"],
  ["days", "day"],
  ["d", "day"],
]);

export type TimeCells = { start: string; end: string; period: string };

/**
 * Returns the possible periods of a row: two if the clock shows its hour twice and the file gives no offset. Returns a fault as text.
 */
export function periodsOf(zone: Zone, cells: TimeCells): Period[] | string {
  const start = parseMoment(cells.start);
  if (start === null) return "Start: Write it as 2026-11-26 or 2026-11-26 10:00";
  const end = cells.end.trim() === "" ? null : parseMoment(cells.end);
  if (end === null && cells.end.trim() !== "") return "End: Write it as 2026-11-27 or 2026-11-26 11:00";
  const named = cells.period.trim().toLowerCase();
  const kind = kinds.get(named);
  if (named !== "" && kind === undefined) return "Period: Write hour or day";
  const wanted = kind ?? (end === null ? (start.isDate ? "day" : "hour") : undefined);
  const found = [
    ...(wanted === "hour" ? [] : daysOf(zone, start, end)),
    ...(wanted === "day" || start.isDate ? [] : hoursOf(zone, start, end)),
  ];
  if (found.length > 0) return found;
  if (!start.isDate && start.instantMs === null && instantsOf(zone, start.localMs).length === 0)
    return "Start: The clocks skip this time on this day";
  return `Start and end must be exactly one ${wanted === undefined ? "hour or day" : wanted}`;
}

function daysOf(zone: Zone, start: Moment, end: Moment | null): Period[] {
  const day =
    start.instantMs === null
      ? start.localMs % dayMs === 0
        ? { startMs: zone.dayStart(start.localMs / dayMs), endMs: zone.dayStart(start.localMs / dayMs + 1) }
        : null
      : dayAt(zone, start.instantMs);
  if (day === null || day.startMs >= day.endMs) return [];
  if (start.instantMs !== null && day.startMs !== start.instantMs) return [];
  if (end === null) return [day];
  const date = zone.dayAt(day.startMs) * dayMs;
  const fits =
    end.instantMs === null
      ? end.localMs === date + dayMs || (end.isDate && end.localMs === date)
      : end.instantMs === day.endMs;
  return fits ? [day] : [];
}

function hoursOf(zone: Zone, start: Moment, end: Moment | null): Period[] {
  const instants = start.instantMs === null ? instantsOf(zone, start.localMs) : [start.instantMs];
  return instants
    .map((startMs) => ({ startMs, hour: hourAt(zone, startMs) }))
    .filter(({ startMs, hour }) => hour.startMs === startMs && (end === null || isEndOf(zone, hour, end)))
    .map(({ hour }) => hour);
}

/** The end of an hour before a clock change may be written in the old or the new local time. */
function isEndOf(zone: Zone, hour: Period, end: Moment): boolean {
  if (end.instantMs !== null) return end.instantMs === hour.endMs;
  const before = zone.localMs(hour.startMs) + (hour.endMs - hour.startMs);
  return end.localMs === zone.localMs(hour.endMs) || end.localMs === before;
}
