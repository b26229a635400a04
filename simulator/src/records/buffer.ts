// Record buffer of a device: numbers records and keeps them until the cloud has stored them (docs/device-protocol.md#5-records).
import type { RecordBody } from "./records.ts";

const dayMs = 86_400_000;

export type Channel = "data" | "health" | "event";
type HeldRecord = { s: number; channel: Channel; /** The record as JSON, number included. */ text: string };

/** History records that are regenerated whenever they are sent, so that a year of them needs no memory. */
export type RecordSource = {
  first: number;
  last: number;
  startOf(q: number): number;
  textOf(q: number): string;
  /** State to recreate the source after a restart. */
  saved: SavedSource;
};
export type SavedSource = { first: number; from: number; to: number; intervalS: number };

export type RecordBuffer = {
  ep: string;
  next: number;
  /** Maximum number of waiting records; older ones are dropped first. */
  limit: number;
  held: Map<number, HeldRecord>;
  sources: RecordSource[];
  /** Unacknowledged numbers, sorted. */
  pending: NumberRange[];
};

export function createBuffer(ep: string, limit = 50_000): RecordBuffer {
  return { ep, next: 1, limit, held: new Map(), sources: [], pending: [] };
}

const channels: Partial<Record<RecordBody["t"], Channel>> = { health: "health", event: "event" };

export function addRecord(buffer: RecordBuffer, body: RecordBody): number {
  const q = buffer.next++;
  buffer.held.set(q, { s: body.s, channel: channels[body.t] ?? "data", text: JSON.stringify({ ...body, q }) });
  appendRange(buffer.pending, q, q);
  return q;
}

/** Reserves the next numbers for a source of `size` records. */
export function addSource(buffer: RecordBuffer, size: number, make: (first: number) => RecordSource): void {
  if (size <= 0) return;
  buffer.sources.push(make(buffer.next));
  appendRange(buffer.pending, buffer.next, buffer.next + size - 1);
  buffer.next += size;
}

/**
 * Drops the oldest records beyond the limit and 1 % more, so that the records that report the loss don't fill the
 * buffer again. Returns the dropped numbers, or null. Generated history doesn't count.
 */
export function dropOverflow(buffer: RecordBuffer): NumberRange | null {
  if (buffer.held.size <= buffer.limit) return null;
  const dropped = [...buffer.held.keys()].slice(0, buffer.held.size - buffer.limit + Math.ceil(buffer.limit / 100));
  for (const q of dropped) buffer.held.delete(q);
  const range: NumberRange = [dropped[0] ?? 0, dropped.at(-1) ?? 0];
  buffer.pending = difference(buffer.pending, mergeRanges(dropped.map((q): NumberRange => [q, q])));
  return range;
}

export function isPending(buffer: RecordBuffer, q: number): boolean {
  return hasNumber(buffer.pending, q);
}

export function countPending(buffer: RecordBuffer): number {
  return countOf(buffer.pending);
}

/** The lowest number that is still held; the next number if none is held. */
export function findFirstHeld(buffer: RecordBuffer): number {
  return buffer.pending[0]?.[0] ?? buffer.next;
}

function sourceOf(buffer: RecordBuffer, q: number): RecordSource | undefined {
  return buffer.sources.find(({ first, last }) => q >= first && q <= last);
}

export function getRecordText(buffer: RecordBuffer, q: number): string | null {
  return buffer.held.get(q)?.text ?? sourceOf(buffer, q)?.textOf(q) ?? null;
}

/** Deletes everything up to `upTo` except holes (inclusive pairs); returns the number of deleted records. */
export function acknowledge(buffer: RecordBuffer, upTo: number, holes: readonly (readonly [number, number])[]): number {
  const missing = mergeRanges(holes);
  const stored = difference([[1, upTo]], missing);
  const gone = intersection(buffer.pending, stored);
  if (!gone.length) return 0;
  buffer.pending = difference(buffer.pending, gone);
  for (const [from, to] of gone) {
    if (to - from > buffer.held.size) {
      for (const q of buffer.held.keys()) if (q >= from && q <= to) buffer.held.delete(q);
    } else for (let q = from; q <= to; q++) buffer.held.delete(q);
  }
  buffer.sources = buffer.sources.filter(({ first, last }) => intersection(buffer.pending, [[first, last]]).length > 0);
  return countOf(gone);
}

/** Waiting records, newest UTC day first, in order within a day. */
export function sortNewestDayFirst(buffer: RecordBuffer): NumberRange[] {
  const days = new Map<number, NumberRange[]>();
  for (const [from, to] of buffer.pending) {
    for (let q = from; q <= to;) {
      const source = sourceOf(buffer, q);
      const day = Math.floor((source ? source.startOf(q) : (buffer.held.get(q)?.s ?? 0)) / dayMs);
      const end = source ? lastOfDay(source, q, Math.min(to, source.last), day) : q;
      appendRange(
        days.getOrInsertComputed(day, () => []),
        q,
        end,
      );
      q = end + 1;
    }
  }
  return [...days.entries()].toSorted((a, b) => b[0] - a[0]).flatMap(([, ranges]) => ranges);
}

function lastOfDay(source: RecordSource, from: number, to: number, day: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Math.floor(source.startOf(middle) / dayMs) === day) low = middle;
    else high = middle - 1;
  }
  return low;
}

export type SavedBuffer = Pick<RecordBuffer, "ep" | "next" | "pending"> & {
  held: [number, HeldRecord][];
  sources: SavedSource[];
};

export function saveBuffer(buffer: RecordBuffer): SavedBuffer {
  const { ep, next, pending, held, sources } = buffer;
  return { ep, next, pending, held: [...held], sources: sources.map(({ saved }) => saved) };
}

/** Start of the oldest waiting record of a saved buffer (ms UTC), Infinity if none. */
export function findOldestPendingStartMs({ pending, held, sources }: SavedBuffer): number {
  const starts = held.filter(([q]) => hasNumber(pending, q)).map(([, { s }]) => s);
  return Math.min(Infinity, ...starts, ...sources.map(({ from }) => from));
}

export function restoreBuffer(
  saved: SavedBuffer,
  remake: (source: SavedSource) => RecordSource,
  limit = 50_000,
): RecordBuffer {
  return { ...saved, limit, held: new Map(saved.held), sources: saved.sources.map(remake) };
}

export type NumberRange = [from: number, to: number];

/** Appends numbers greater than all others. */
function appendRange(ranges: NumberRange[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last && last[1] === from - 1) last[1] = to;
  else ranges.push([from, to]);
}

function hasNumber(ranges: readonly NumberRange[], number: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (!range || number < range[0]) high = middle - 1;
    else if (number > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

function countOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

function intersection(a: readonly NumberRange[], b: readonly NumberRange[]): NumberRange[] {
  const both: NumberRange[] = [];
  for (const [from, to] of a) {
    for (const [low, high] of b) {
      const [start, end] = [Math.max(from, low), Math.min(to, high)];
      if (start <= end) both.push([start, end]);
    }
  }
  return both;
}

/** Numbers in `a` but not in `b`; `b` is sorted. */
function difference(a: readonly NumberRange[], b: readonly NumberRange[]): NumberRange[] {
  const left: NumberRange[] = [];
  for (const [from, to] of a) {
    let start = from;
    for (const [low, high] of b) {
      if (high < start || low > to) continue;
      if (low > start) left.push([start, low - 1]);
      start = high + 1;
    }
    if (start <= to) left.push([start, to]);
  }
  return left;
}

/** Sorts ranges and joins adjacent ones. */
export function mergeRanges(ranges: readonly (readonly [number, number])[]): NumberRange[] {
  const joined: NumberRange[] = [];
  for (const [from, to] of ranges.toSorted((x, y) => x[0] - y[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else if (from <= to) joined.push([from, to]);
  }
  return joined;
}
