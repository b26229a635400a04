// Compresses a month of one sensor's counts into columns of small numbers, a few kilobytes (ADR 0020).
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { objectClasses } from "@psp/contract/device/device-messages.ts";
import type { ClassCounts } from "./count.tables.ts";

export type Count = {
  lineNo: number;
  startMs: number;
  durationMs: number;
  knownMs: number;
  in: number;
  out: number;
  osd: number;
  quality: number;
  ahead: boolean;
  classes: ClassCounts | null;
};

const version = 1;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };

/** Packs counts in any order. Each pair of line and start must be unique. */
export function pack(counts: readonly Count[]): Buffer {
  const rows = counts.toSorted((a, b) => a.lineNo - b.lineNo || a.startMs - b.startMs);
  const out = createWriter();
  out.uint(rows.length);
  let end = 0;
  out.runs(rows.map((row) => row.lineNo));
  out.runs(
    rows.map((row) => {
      const gap = row.startMs - end;
      end = row.startMs + row.durationMs;
      return gap;
    }),
  );
  out.runs(rows.map((row) => row.durationMs));
  out.runs(rows.map((row) => row.durationMs - row.knownMs));
  out.runs(rows.map((row) => row.osd));
  out.runs(rows.map((row) => row.quality * 2 + Number(row.ahead)));
  for (const row of rows) out.uint(row.in);
  for (const row of rows) out.uint(row.out);
  objectClasses.forEach((name) => {
    out.runs(rows.map((row) => Number(row.classes?.[name] !== undefined)));
    const pairs = rows.flatMap((row) => row.classes?.[name] ?? []);
    for (const n of pairs) out.uint(n);
  });
  return Buffer.concat([Buffer.of(version), zstdCompressSync(out.bytes(), compression)]);
}

/** Parallel columns in the order of lines and starts. */
export type PackedColumns = {
  n: number;
  lineNos: Float64Array;
  starts: Float64Array;
  durations: Float64Array;
  knownMs: Float64Array;
  ins: Float64Array;
  outs: Float64Array;
  osds: Float64Array;
  /** Quality × 2 + whether the count is ahead. */
  marks: Float64Array;
};

/**
 * Reads only what sums need, of the counts with starts in [fromMs, toMs): several times faster than `unpack`, because it creates no
 * object per count.
 */
export function unpackColumns(body: Buffer, fromMs = -Infinity, toMs = Infinity): PackedColumns {
  return readColumns(openPack(body), fromMs, toMs);
}

function openPack(body: Buffer) {
  if (body[0] !== version) throw new Error(`Counts are packed in an unknown form (${body[0]})`);
  return createReader(zstdDecompressSync(body.subarray(1)));
}

function readColumns(from: ReturnType<typeof createReader>, fromMs: number, toMs: number): PackedColumns {
  const all = from.uint();
  const [lineNos, gaps, durations] = [from.runs(all), from.runs(all), from.runs(all)];
  const parts = findParts(gaps, durations, fromMs, toMs);
  const n = parts.reduce((sum, { length }) => sum + length, 0);
  const starts = new Float64Array(n);
  let place = 0;
  for (const { length, startMs, stepMs } of parts)
    for (let i = 0; i < length; i += 1, place += 1) starts[place] = startMs + i * stepMs;
  const columns = {
    n,
    lineNos: pickRuns(lineNos, parts, n),
    starts,
    durations: pickRuns(durations, parts, n),
    knownMs: pickRuns(from.runs(all), parts, n),
    osds: pickRuns(from.runs(all), parts, n),
    marks: pickRuns(from.runs(all), parts, n),
    ins: from.pick(all, parts, n),
    outs: from.pick(all, parts, n),
  };
  // Known time is stored as what is missing.
  for (let i = 0; i < n; i += 1) columns.knownMs[i] = at(columns.durations, i) - at(columns.knownMs, i);
  return columns;
}

/** Lengths of runs of equal values. */
type Runs = { lengths: number[]; values: number[] };
/** Consecutive counts of a pack, of which one starts every `stepMs`. */
type Part = { first: number; length: number; startMs: number; stepMs: number };

/** A start is stored as the gap after the count before. Counts of equal gaps and durations are found without reading each. */
function findParts(gaps: Runs, durations: Runs, fromMs: number, toMs: number): Part[] {
  const parts: Part[] = [];
  let [gap, duration, end, first] = [0, 0, 0, 0];
  let [gapsLeft, durationsLeft] = [gaps.lengths[0] ?? 0, durations.lengths[0] ?? 0];
  while (gapsLeft > 0 && durationsLeft > 0) {
    const stepMs = (gaps.values[gap] ?? 0) + (durations.values[duration] ?? 0);
    const startMs = end + (gaps.values[gap] ?? 0);
    // Starts that don't rise, such as the first one of the next line, are a part each.
    const length = stepMs > 0 ? Math.min(gapsLeft, durationsLeft) : 1;
    const skipped = startMs >= fromMs ? 0 : stepMs > 0 ? Math.ceil((fromMs - startMs) / stepMs) : 1;
    const until = stepMs > 0 ? Math.min(length, Math.ceil((toMs - startMs) / stepMs)) : startMs < toMs ? 1 : 0;
    if (skipped < until)
      parts.push({ first: first + skipped, length: until - skipped, startMs: startMs + skipped * stepMs, stepMs });
    end += length * stepMs;
    first += length;
    gapsLeft -= length;
    durationsLeft -= length;
    if (gapsLeft === 0) gapsLeft = gaps.lengths[++gap] ?? 0;
    if (durationsLeft === 0) durationsLeft = durations.lengths[++duration] ?? 0;
  }
  return parts;
}

function pickRuns({ lengths, values }: Runs, parts: readonly Part[], n: number): Float64Array {
  const column = new Float64Array(n);
  let [run, end, place] = [0, lengths[0] ?? 0, 0];
  for (const { first, length } of parts)
    for (let index = first; index < first + length;) {
      while (end <= index) end += lengths[++run] ?? Infinity;
      const until = Math.min(end, first + length);
      column.fill(values[run] ?? 0, place, place + until - index);
      place += until - index;
      index = until;
    }
  return column;
}

/** Returns the counts ordered by line and start. */
export function unpack(body: Buffer): Count[] {
  const from = openPack(body);
  const { n, lineNos, starts, durations, knownMs, ins, outs, osds, marks } = readColumns(from, -Infinity, Infinity);
  const counts: Count[] = [];
  for (let i = 0; i < n; i += 1) {
    const mark = at(marks, i);
    counts.push({
      lineNo: at(lineNos, i),
      startMs: at(starts, i),
      durationMs: at(durations, i),
      knownMs: at(knownMs, i),
      in: at(ins, i),
      out: at(outs, i),
      osd: at(osds, i),
      quality: mark >> 1,
      ahead: (mark & 1) === 1,
      classes: null,
    });
  }
  objectClasses.forEach((name) => {
    const present = pickRuns(from.runs(n), [{ first: 0, length: n, startMs: 0, stepMs: 0 }], n);
    counts.forEach((count, i) => {
      if (at(present, i) === 1) count.classes = { ...count.classes, [name]: [from.uint(), from.uint()] };
    });
  });
  return counts;
}

function at(column: Float64Array, index: number): number {
  return column[index] ?? 0;
}

function createWriter() {
  let buffer = Buffer.alloc(16_384);
  let length = 0;
  /** Writes a varint from 0 to 2^53, seven bits per byte. */
  function uint(value: number): void {
    if (length + 8 > buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
    let rest = value;
    while (rest >= 128) {
      buffer[length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    buffer[length++] = rest;
  }
  /** Writes integers as pairs of run length and value. The lowest bit of a written value is its sign. */
  function runs(values: readonly number[]): void {
    for (let i = 0; i < values.length;) {
      const value = values[i] ?? 0;
      let next = i + 1;
      while (next < values.length && values[next] === value) next += 1;
      uint(next - i);
      uint(value < 0 ? -value * 2 - 1 : value * 2);
      i = next;
    }
  }
  return { uint, runs, bytes: () => buffer.subarray(0, length) };
}

function createReader(bytes: Buffer) {
  let position = 0;
  function uint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[position++];
      if (byte === undefined) throw new Error("Packed counts end too early");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
  function skip(count: number): void {
    for (let left = count; left > 0; position += 1) if ((bytes[position] ?? 0) < 128) left -= 1;
    if (position > bytes.length) throw new Error("Packed counts end too early");
  }
  /** Reads the values of the parts, and skips the others. */
  function pick(all: number, parts: readonly Part[], n: number): Float64Array {
    const column = new Float64Array(n);
    let [place, index] = [0, 0];
    for (const { first, length } of parts) {
      skip(first - index);
      for (let i = 0; i < length; i += 1) column[place++] = uint();
      index = first + length;
    }
    skip(all - index);
    return column;
  }
  function runs(n: number): Runs {
    const found: Runs = { lengths: [], values: [] };
    for (let i = 0; i < n;) {
      const times = uint();
      const coded = uint();
      found.lengths.push(times);
      found.values.push(coded % 2 === 1 ? -(coded + 1) / 2 : coded / 2);
      i += times;
    }
    return found;
  }
  return { uint, pick, runs };
}
