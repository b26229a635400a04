// Sorted disjoint ranges of stored record numbers per buffer, and the acknowledgement derived from them.
import type { Ack } from "@psp/contract/device/device-messages.ts";

/** Half-open, as in PostgreSQL: [from, to). */
export type NumberRange = [from: number, to: number];

/** Maximum holes per acknowledgement. With more holes, it covers fewer records. */
const maxHoles = 100;
/** Maximum ranges per buffer. A device with more is broken or hostile, so its oldest gaps are treated as received. */
const maxRanges = 2_000;

export function parseRanges(text: string): NumberRange[] {
  return Array.from(text.matchAll(/\[(\d+),(\d+)\)/g), ([, from, to]) => [Number(from), Number(to)]);
}

export function formatRanges(ranges: readonly NumberRange[]): string {
  return `{${ranges.map(([from, to]) => `[${from},${to})`).join(",")}}`;
}

export function hasNumber(ranges: readonly NumberRange[], q: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) <= q) low = middle + 1;
    else high = middle;
  }
  const found = ranges[low];
  return found !== undefined && found[0] <= q;
}

export function findHighestNumber(ranges: readonly NumberRange[]): number {
  return (ranges.at(-1)?.[1] ?? 1) - 1;
}

/** Adds numbers; closes the oldest gaps beyond the limit. */
export function addNumbers(ranges: readonly NumberRange[], numbers: readonly number[]): NumberRange[] {
  const added = numbers.map((q): NumberRange => [q, q + 1]);
  const merged: NumberRange[] = [];
  for (const [from, to] of [...ranges, ...added].toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  const excess = merged.length - maxRanges;
  if (excess <= 0) return merged;
  const [first, closed] = [merged[0], merged[excess]];
  return first && closed ? [[first[0], closed[1]], ...merged.slice(excess + 1)] : merged;
}

/**
 * Returns which records the device may delete: all up to `upTo` except the holes. `firstQ` is the oldest record that the device still
 * has. For an unknown buffer, returns `{upTo: 0, holes: []}`.
 */
export function toAcknowledgement(
  ep: string,
  ranges: readonly NumberRange[],
  firstQ: number,
): Pick<Ack, "ep" | "upTo" | "holes"> {
  const holes: [number, number][] = [];
  let next = firstQ;
  let upTo = 0;
  for (const [from, to] of ranges) {
    if (to <= next) {
      upTo = to - 1;
      continue;
    }
    if (from > next) {
      if (holes.length === maxHoles) break;
      holes.push([next, from - 1]);
    }
    upTo = to - 1;
    next = to;
  }
  return { ep, upTo, holes };
}
