// Stores records of any kind and of many sensors in one transaction, and returns an outcome for each.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Tx } from "../../db/database.ts";
import type {
  IncomingRecord,
  RecordOutcome,
  RefusedRecord,
  StoreResult,
  RecordSensor,
} from "../../device/capability.ts";
import * as rules from "../count.rules.ts";
import * as store from "../count.store.ts";
import { type FactMarks, saveFactMarks, addFactMark } from "../fact-mark.store.ts";
import { type IndexedRecord, type OtherRecord, storeOtherRecords } from "./other-record.store.ts";
import { checkOverwrite, overwriteReason } from "./overwrite.rules.ts";
import { findCountsNearRecords, type RecordInterval } from "./stored-near.store.ts";

/** Maximum number of lines that a sensor can ever have. Bounds the rows of a device that invents line names. */
const maxLines = 256;

/**
 * Stores records in order, within the gateway's transaction. Locks sensors in the order of their numbers, so that parallel batches never
 * deadlock.
 */
export async function storeRecords(tx: Tx, nowMs: number, incoming: readonly IncomingRecord[]): Promise<StoreResult> {
  const outcomes: RecordOutcome[] = [];
  const counts: IndexedRecord<CountRecord>[] = [];
  const others: IndexedRecord<OtherRecord>[] = [];
  incoming.forEach(({ record, ...from }, index) => {
    if (record.t !== "count") {
      others.push({ index, record, ...from });
      return;
    }
    const reason = rules.findCountError(record, rules.toRecordContext(from, nowMs));
    if (reason) outcomes[index] = { outcome: "invalid", reason };
    else counts.push({ index, record, ...from });
  });
  const marks: FactMarks = new Map();
  await storeOtherRecords(tx, nowMs, others, outcomes, marks);
  const { spans, displaced } = await storeCounts(tx, nowMs, counts, outcomes, marks);
  await saveFactMarks(tx, marks);
  const events: StoreResult["events"] = spans.length === 0 ? [] : [{ name: "countsStored", event: { counts: spans } }];
  const viewed = others.filter(({ record }) => record.t === "event" && record.kind === viewEvent);
  const sensorIds = [...new Set(viewed.map(({ sensor }) => sensor.id))];
  if (sensorIds.length > 0) events.push({ name: "sightChanged", event: { sensorIds } });
  return { outcomes, displaced, events };
}

/** The kind of events that report whether the view is obstructed. */
const viewEvent = "osd";

async function storeCounts(
  tx: Tx,
  nowMs: number,
  incoming: readonly IndexedRecord<CountRecord>[],
  outcomes: RecordOutcome[],
  marks: FactMarks,
): Promise<{ spans: StoredSpan[]; displaced: RefusedRecord[] }> {
  if (incoming.length === 0) return { spans: [], displaced: [] };
  const changes = await applyCounts(tx, incoming, outcomes, () => nowMs);
  await writeChanges(tx, changes);
  for (const [num, fromMs] of changes.facts) addFactMark(marks, num, fromMs);
  return { spans: [...changes.spans.values()], displaced: changes.displaced };
}

/** Writes rows, sums and counters. The caller must save the fact marks. */
export async function writeChanges(tx: Tx, changes: CountChanges): Promise<void> {
  await store.upsertUnpackedCounts(tx, [...changes.rows.values()]);
  await store.addDaySums(tx, [...changes.sums.values()]);
  await store.saveCounters(tx, [...changes.counters]);
}

/** Locks the sensors and computes changes; the caller must write them. `arrivedAt` returns the arrival time of a record. */
export async function applyCounts(
  tx: Tx,
  incoming: readonly IndexedRecord<CountRecord>[],
  outcomes: RecordOutcome[],
  arrivedAt: (record: CountRecord) => number,
): Promise<CountChanges> {
  const bySensor = Map.groupBy(incoming, ({ sensor }) => sensor.num);
  const counters = await store.lockCounters(tx, bySensor.keys());
  // Read after the lock, to see what another writer committed meanwhile.
  const assignments = await store.findAssignments(tx, bySensor.keys());
  const stored = await findCountsNearRecords(tx, bySensor, counters);
  const changes = createEmptyChanges();
  for (const [num, records] of bySensor) {
    const counter = counters.get(num);
    const [first] = records;
    if (!counter || !first) throw new Error(`Sensor ${num} has no counter`);
    const timeline = rules.createTimeline(stored.get(num) ?? []);
    const target = { sensor: first.sensor, counter, timeline, assignments: assignments.get(num) ?? [], changes };
    for (const one of records) outcomes[one.index] = applyRecord(target, one, arrivedAt(one.record));
  }
  return changes;
}

export const createEmptyChanges = (): CountChanges => ({
  rows: new Map(),
  sums: new Map(),
  counters: new Set(),
  spans: new Map(),
  facts: new Map(),
  displaced: [],
});

/** Time from the first to the last changed count of a sensor at a location. */
export type StoredSpan = { locationId: string | null; sensorId: string; fromMs: number; toMs: number };

export type CountChanges = {
  rows: Map<string, store.UnpackedCount>;
  sums: Map<string, store.DaySum>;
  counters: Set<store.Counter>;
  spans: Map<string, StoredSpan>;
  /** Marks for monitoring, which evaluates a day when it is over. */
  facts: FactMarks;
  displaced: RefusedRecord[];
};
export type SensorCountUpdate = {
  sensor: RecordSensor;
  counter: store.Counter;
  timeline: rules.Timeline<store.UnpackedCount>;
  assignments: readonly store.Assignment[];
  changes: CountChanges;
};

/** Applies either all lines of a record or none. */
function applyRecord(
  target: SensorCountUpdate,
  { record, via, origin }: IndexedRecord<CountRecord>,
  nowMs: number,
): RecordOutcome {
  const { counter, timeline } = target;
  const news = record.lines.filter((line) => !counter.lineIds.includes(line.id));
  if (counter.lineIds.length + news.length > maxLines)
    return { outcome: "invalid", reason: "The sensor has too many lines" };
  const counts = rules.toCounts(record, via, nowMs, (id) => lineNoOf(counter, id, news));
  if (counts.length === 0) return { outcome: origin?.isRepeat ? "same" : "stored" };
  const before = timeline.at(record.s);
  const changed = counts.filter((count) => {
    const known = before.get(count.lineNo);
    return !known || !rules.hasSameValues(known, count);
  });
  if (changed.length === 0) return { outcome: "same" };
  const isOtherRange = origin?.isRepeat === true && !isSameRange(before, record);
  if (origin?.isRepeat && !isOtherRange && isSuperseded(before, origin.buffer.ep, record.q)) return { outcome: "same" };
  if (changed.some((count) => !count.ahead)) {
    const other = timeline.overlapping(record.s, record.e);
    if (other !== null)
      return { outcome: "overlap", reason: `Overlaps the interval from ${new Date(other).toISOString()}` };
  }
  const replaced = changed.flatMap((count) => before.get(count.lineNo) ?? []);
  const isNewNumber = origin && (!origin.isRepeat || isOtherRange);
  if (isNewNumber) {
    const suspect = checkOverwrite(origin.buffer, record, before, replaced);
    for (const { record: earlier, before: counted } of suspect.undone)
      restoreCounts(target, origin.buffer.ep, earlier, counted, nowMs);
    if (suspect.reason !== null) return { outcome: "suspect", reason: suspect.reason };
    displaceAhead(target, replaced);
  }
  nameLines(target, record);
  const isKnown = origin && (replaced.length > 0 || changed.some((count) => count.ahead));
  const source = isKnown ? { ep: origin.buffer.ep, q: record.q } : null;
  putCounts(
    target,
    record,
    changed.map((count) => ({ ...count, origin: source })),
    nowMs,
  );
  const outcome = replaced.length > 0 ? "corrected" : "stored";
  return isOtherRange ? { outcome, isOtherRange } : { outcome };
}

type AtStart = ReadonlyMap<number, store.UnpackedCount>;

function isSameRange(before: AtStart, { s, e }: CountRecord): boolean {
  return before.values().some((count) => count.durationMs === e - s);
}

/** Whether a later record was stored, so that the repeated earlier one changes nothing. */
function isSuperseded(before: AtStart, ep: string, q: number): boolean {
  return before.values().some(({ origin }) => origin !== null && (origin.ep !== ep || origin.q > q));
}

export function putCounts(
  target: SensorCountUpdate,
  interval: RecordInterval,
  counts: readonly (Omit<store.UnpackedCount, "sensorNum" | "overPack"> & { overPack?: boolean })[],
  nowMs: number,
): void {
  const { counter, timeline, changes } = target;
  const before = timeline.at(interval.s);
  const sumBefore = rules.sumCounts(before.values());
  const rows = counts.map((count) => {
    const overPack = before.get(count.lineNo)?.overPack ?? false;
    return { ...count, sensorNum: counter.sensorNum, overPack };
  });
  for (const row of rows) {
    changes.rows.set(`${row.sensorNum}/${row.startMs}/${row.lineNo}`, row);
    timeline.put(row);
  }
  addDifference(target, interval, sumBefore, rules.sumCounts(timeline.at(interval.s).values()), nowMs);
  if (counter.firstMs === null || interval.s < counter.firstMs) {
    counter.firstMs = interval.s;
    changes.counters.add(counter);
  }
}

/** Restores the counts that a suspect record replaced, unless they have changed since. */
function restoreCounts(
  target: SensorCountUpdate,
  ep: string,
  record: CountRecord,
  before: readonly store.UnpackedCount[],
  nowMs: number,
): void {
  const { timeline, changes, sensor } = target;
  const present = [...timeline.at(record.s).values()];
  if (!present.some(({ origin }) => origin?.ep === ep && origin.q === record.q)) return;
  const former = new Map(before.map((count) => [count.lineNo, count]));
  const counts = present.map(
    (count) => former.get(count.lineNo) ?? { ...count, in: 0, out: 0, knownMs: 0, classes: null },
  );
  putCounts(target, record, counts, nowMs);
  changes.displaced.push({ sensor, ep, q: record.q, reason: overwriteReason, record });
}

/** Counts ahead of their time become dead letters when a record with another number replaces them. */
function displaceAhead(target: SensorCountUpdate, replaced: readonly store.UnpackedCount[]): void {
  const ahead = replaced.filter((count) => count.ahead);
  if (ahead.length === 0) return;
  target.changes.displaced.push(
    toRefusedRecord(target, ahead, "It was dated in the future, and a later record covers the same time"),
  );
}

/** Reconstructs a record from stored counts, as far as it is known. */
export function toRefusedRecord(
  { sensor, counter }: SensorCountUpdate,
  counts: readonly store.UnpackedCount[],
  reason: string,
): RefusedRecord {
  const [first] = counts;
  if (!first) throw new Error("A record without counts");
  const { ep, q } = first.origin ?? { ep: "", q: null };
  const lines = counts.map((one) => ({ id: counter.lineIds[one.lineNo - 1], in: one.in, out: one.out }));
  const record = { q, t: "count", s: first.startMs, e: first.startMs + first.durationMs, lines };
  return { sensor, ep, q, reason, record };
}

/** Line numbers start at 1. A new line gets the next number, which `nameLines` saves only if the record is stored. */
function lineNoOf(counter: store.Counter, id: string, news: CountRecord["lines"]): number {
  const known = counter.lineIds.indexOf(id);
  return 1 + (known >= 0 ? known : counter.lineIds.length + news.findIndex((line) => line.id === id));
}

function nameLines({ counter, changes }: SensorCountUpdate, record: CountRecord): void {
  for (const { id, name } of record.lines) {
    const index = counter.lineIds.indexOf(id);
    if (index >= 0 && (name === undefined || counter.lineNames[index] === name)) continue;
    if (index < 0) counter.lineIds.push(id);
    counter.lineNames[index < 0 ? counter.lineIds.length - 1 : index] = name ?? id;
    changes.counters.add(counter);
  }
}

type Sum = ReturnType<typeof rules.sumCounts>;

function addDifference(
  target: SensorCountUpdate,
  { s: startMs, e: endMs }: RecordInterval,
  before: Sum,
  after: Sum,
  nowMs: number,
): void {
  const { sensor, counter, assignments, changes } = target;
  const { locationId, zone, hours } = store.resolveLocation(assignments, startMs);
  const day = zone.dayAt(startMs);
  const key = `${counter.sensorNum}/${day}/${locationId}`;
  const sum = changes.sums.getOrInsertComputed(key, () =>
    store.createDaySum({ sensorNum: counter.sensorNum, day, locationId, hours }),
  );
  store.addToDaySum(sum, hours, startMs, after, 1);
  store.addToDaySum(sum, hours, startMs, before, -1);
  // Marks only past days, and a day's first count, because it shows that the day before is complete.
  if (day < zone.dayAt(nowMs) || zone.dayStart(day) === startMs) addFactMark(changes.facts, counter.sensorNum, startMs);
  const place = `${counter.sensorNum}/${locationId}`;
  const span = changes.spans.get(place) ?? { locationId, sensorId: sensor.id, fromMs: startMs, toMs: endMs };
  span.fromMs = Math.min(span.fromMs, startMs);
  span.toMs = Math.max(span.toMs, endMs);
  changes.spans.set(place, span);
}
