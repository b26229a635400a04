// Rules for sales entries: one local hour or day each, and no two for the same time (docs/rules/sales.md#entries).
import { dayMs, hourMs, type Zone } from "@psp/contract/kit/zone.ts";

export type Period = { startMs: number; endMs: number };
export type Entry = Period & {
  isDay: boolean;
  transactions: number;
  revenue: number;
  currency: string;
  staffHours: number | null;
};

const firstMs = Date.UTC(2000, 0, 1);

/** Returns the local hour that contains an instant. A change of the offset from UTC ends it. */
export function hourAt(zone: Zone, ms: number): Period {
  const { from, to, offsetMs } = zone.spanAt(ms);
  const start = Math.floor((ms + offsetMs) / hourMs) * hourMs - offsetMs;
  return { startMs: Math.max(start, from), endMs: Math.min(start + hourMs, to) };
}

export function dayAt(zone: Zone, ms: number): Period {
  const day = zone.dayAt(ms);
  return { startMs: zone.dayStart(day), endMs: zone.dayStart(day + 1) };
}

/** Returns why an entry can't have this period, or whether it is a day. */
export function judgePeriod(
  zone: Zone,
  { startMs, endMs }: Period,
  nowMs: number,
): { fault: string } | { isDay: boolean } {
  if (startMs < firstMs) return { fault: "Starts before the year 2000" };
  if (startMs > nowMs + dayMs) return { fault: "Starts more than one day in the future" };
  const matches = (one: Period) => one.startMs === startMs && one.endMs === endMs;
  if (matches(hourAt(zone, startMs))) return { isDay: false };
  if (matches(dayAt(zone, startMs))) return { isDay: true };
  return { fault: `Must be exactly one hour or one day in the time zone ${zone.name}` };
}

let currencies: ReadonlySet<string> | undefined;

export function isCurrency(code: string): boolean {
  currencies ??= new Set(Intl.supportedValuesOf("currency"));
  return currencies.has(code);
}

export type Clash = { index: number; other: number; isDuplicate: boolean };

/** Finds entries that overlap an earlier one in the list, apart from those found. `other` is the earlier one. */
export function findClashes(entries: readonly Period[]): Clash[] {
  // Accepted entries by the days that they touch. They don't overlap, so a day has few.
  const accepted = new Map<number, (Period & { index: number })[]>();
  const clashes: Clash[] = [];
  for (const [index, { startMs, endMs }] of entries.entries()) {
    const days = daysOf({ startMs, endMs });
    const near = days
      .flatMap((day) => accepted.get(day) ?? [])
      .filter((one) => startMs < one.endMs && one.startMs < endMs);
    const same = near.find((one) => one.startMs === startMs);
    if (near.length > 0) {
      const other = same?.index ?? Math.min(...near.map((one) => one.index));
      clashes.push({ index, other, isDuplicate: same !== undefined });
    } else
      for (const day of days) {
        const list = accepted.get(day);
        if (list) list.push({ startMs, endMs, index });
        else accepted.set(day, [{ startMs, endMs, index }]);
      }
  }
  return clashes;
}

/** Returns the numbers of the UTC days that a period touches. */
function daysOf({ startMs, endMs }: Period): number[] {
  const first = Math.floor(startMs / dayMs);
  return Array.from({ length: Math.ceil(endMs / dayMs) - first }, (_, index) => first + index);
}

export type Outcome = "stored" | "replaced" | "unchanged";
export type KnownEntry = Entry & { isShadowed: boolean };

/**
 * Decides what becomes of an entry, given the stored entries of the same owner that overlap it. An entry replaces all that it covers;
 * one that it would cover only partly is returned as a conflict.
 */
export function decideOutcome(entry: Entry, known: readonly KnownEntry[]): Outcome | { conflict: Period } {
  const conflict = known.find((one) => one.startMs < entry.startMs || one.endMs > entry.endMs);
  if (conflict) return { conflict };
  const [only] = known;
  if (only === undefined) return "stored";
  return known.length === 1 && isSame(entry, only) && !only.isShadowed ? "unchanged" : "replaced";
}

function isSame(a: Entry, b: Entry): boolean {
  return (
    a.startMs === b.startMs &&
    a.endMs === b.endMs &&
    a.transactions === b.transactions &&
    a.revenue === b.revenue &&
    a.currency === b.currency &&
    a.staffHours === b.staffHours
  );
}
