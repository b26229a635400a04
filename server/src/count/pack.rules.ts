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

/** Reads only what sums need: several times faster than `unpack`, because it creates no object per count. */
export function unpackColumns(body: Buffer): PackedColumns {
  return readColumns(openPack(body));
}

function openPack(body: Buffer) {
  if (body[0] !== version) throw new Error(`Counts are packed in an unknown form (${body[0]})`);
  return createReader(zstdDecompressSync(body.subarray(1)));
}

function readColumns(from: ReturnType<typeof createReader>): PackedColumns {
  const n = from.uint();
  const lineNos = from.runs(n);
  const starts = from.runs(n);
  const durations = from.runs(n);
  const knownMs = from.runs(n);
  const osds = from.runs(n);
  const marks = from.runs(n);
  const ins = from.uints(n);
  const outs = from.uints(n);
  // A start is stored as the gap after the count before, and known time as what is missing.
  let end = 0;
  for (let i = 0; i < n; i += 1) {
    const start = end + at(starts, i);
    const duration = at(durations, i);
    starts[i] = start;
    knownMs[i] = duration - at(knownMs, i);
    end = start + duration;
  }
  return { n, lineNos, starts, durations, knownMs, ins, outs, osds, marks };
}

/** Returns the counts ordered by line and start. */
export function unpack(body: Buffer): Count[] {
  const from = openPack(body);
  const { n, lineNos, starts, durations, knownMs, ins, outs, osds, marks } = readColumns(from);
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
    const present = from.runs(n);
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
  function uints(n: number): Float64Array {
    const column = new Float64Array(n);
    for (let i = 0; i < n; i += 1) column[i] = uint();
    return column;
  }
  function runs(n: number): Float64Array {
    const column = new Float64Array(n);
    for (let i = 0; i < n;) {
      const times = uint();
      const coded = uint();
      column.fill(coded % 2 === 1 ? -(coded + 1) / 2 : coded / 2, i, i + times);
      i += times;
    }
    return column;
  }
  return { uint, uints, runs };
}
