// History of a sensor as records that are computed when they are sent.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { computeTallies, type Profile, type Tally } from "../counting/tally.ts";
import { uptimeIn, viewIn, type SensorConditions } from "../faults/world.ts";
import { addRecord, addSource, type RecordBuffer, type SavedSource, type RecordSource } from "./buffer.ts";
import {
  createEventRecord,
  createHealthRecord,
  createIntervalRecords,
  recordsPerInterval,
  type RecordBody,
} from "./records.ts";

const healthMs = 900_000;
/**
 * Number of blocks computed together. The look-back for people still inside costs the same for any number of blocks.
 */
const blocksAtOnce = 24;

export type HistorySubject = { id: string; type: SensorType; profile: Profile; world: SensorConditions };

type Shape = ReturnType<typeof shapeOf>;

function shapeOf({ type, profile }: HistorySubject, intervalS: number) {
  // The shortest time that contains whole intervals and whole health slices.
  const blockMs = Math.max(healthMs, intervalS * 1000);
  const intervalMs = intervalS * 1000;
  const perInterval = recordsPerInterval(type, profile);
  const [intervals, slices] = [blockMs / intervalMs, blockMs / healthMs];
  return { blockMs, intervalMs, perInterval, intervals, slices, perBlock: intervals * perInterval + slices };
}

/** Counts and health slices of [from, to), which must be whole blocks with power. */
export function createHistorySource(subject: HistorySubject, saved: SavedSource): RecordSource {
  const shape = shapeOf(subject, saved.intervalS);
  const blocks = Math.floor((saved.to - saved.from) / shape.blockMs);
  let made: { firstBlock: number; records: RecordBody[] } | null = null;

  function bodyOf(q: number): RecordBody | undefined {
    const index = q - saved.first;
    const firstBlock = Math.floor(index / shape.perBlock / blocksAtOnce) * blocksAtOnce;
    if (made?.firstBlock !== firstBlock) {
      const from = saved.from + firstBlock * shape.blockMs;
      made = { firstBlock, records: blockRecords(subject, shape, from, Math.min(blocksAtOnce, blocks - firstBlock)) };
    }
    return made.records[index - firstBlock * shape.perBlock];
  }
  return {
    first: saved.first,
    last: saved.first + blocks * shape.perBlock - 1,
    startOf: (q) => saved.from + Math.floor((q - saved.first) / shape.perBlock) * shape.blockMs,
    textOf: (q) => JSON.stringify({ q, ...bodyOf(q) }),
    saved,
  };
}

function blockRecords(subject: HistorySubject, shape: Shape, from: number, blocks: number): RecordBody[] {
  const { profile, world, type } = subject;
  const all = computeTallies(profile, world, from, shape.intervalMs, blocks * shape.intervals);
  const records: RecordBody[] = [];
  for (let block = 0; block < blocks; block++) {
    for (const tally of all.slice(block * shape.intervals, (block + 1) * shape.intervals)) {
      const osd = world.plain ? 0 : viewIn(world, tally.s, tally.e).worst;
      const upS = Math.round(uptimeIn(world, tally.s, tally.e) / 1000);
      records.push(...createIntervalRecords(type, profile, tally, { osd, upS }));
    }
    for (let slice = 0; slice < shape.slices; slice++) {
      records.push(pastHealth(subject, from + block * shape.blockMs + slice * healthMs));
    }
  }
  return records;
}

function pastHealth({ profile, world }: HistorySubject, s: number): RecordBody {
  const e = s + healthMs;
  const upS = Math.round(uptimeIn(world, s, e) / 1000);
  const reboots: Record<string, number> = {};
  for (const { reason } of world.restarts(s, e)) reboots[reason] = (reboots[reason] ?? 0) + 1;
  const osd = world.plain ? { "0": 900 } : viewIn(world, s, e).seconds;
  return createHealthRecord(profile.seed, s, e, { upS, mqttS: upS, reboots, osd });
}

/** The parts of [from, to) with power, trimmed to whole blocks. */
function poweredStretches(world: SensorConditions, from: number, to: number, blockMs: number): [number, number][] {
  const stretches: [number, number][] = [];
  const push = (start: number, end: number): void => {
    const [s, e] = [Math.ceil(start / blockMs) * blockMs, Math.floor(end / blockMs) * blockMs];
    if (e > s) stretches.push([s, e]);
  };
  let since: number | null = null;
  for (let at = from; at < to; at = Math.min(to, world.nextEdge(at))) {
    if (world.powered(at)) since ??= at;
    else if (since !== null) {
      push(since, at);
      since = null;
    }
  }
  if (since !== null) push(since, to);
  return stretches;
}

/** Adds counts, health, and view and power events of [from, to) to a buffer. Returns the end of the covered time (ms UTC). */
export function addHistory(
  buffer: RecordBuffer,
  subject: HistorySubject,
  from: number,
  to: number,
  intervalS: number,
): number {
  const shape = shapeOf(subject, intervalS);
  const end = Math.floor(to / shape.blockMs) * shape.blockMs;
  for (const [s, e] of poweredStretches(subject.world, from, end, shape.blockMs)) {
    const size = ((e - s) / shape.blockMs) * shape.perBlock;
    addSource(buffer, size, (first) => createHistorySource(subject, { first, from: s, to: e, intervalS }));
  }
  if (!subject.world.plain) addPastEvents(buffer, subject.world, from, end);
  return end;
}

function addPastEvents(buffer: RecordBuffer, world: SensorConditions, from: number, to: number): void {
  let view = 0;
  for (let at = from; at < to; at = world.nextEdge(at)) {
    const now = world.view(at);
    if (now !== view) addRecord(buffer, createEventRecord(at, "osd", { from: view, to: now }));
    view = now;
  }
  for (const { at, reason } of world.restarts(from, to))
    addRecord(buffer, createEventRecord(at, "reboot", { detail: { reason } }));
}

export function computeHistoryTallies(subject: HistorySubject, from: number, to: number, intervalS: number): Tally[] {
  const lengthMs = intervalS * 1000;
  return computeTallies(
    subject.profile,
    subject.world,
    from,
    lengthMs,
    Math.max(0, Math.round((to - from) / lengthMs)),
  );
}
