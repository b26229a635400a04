// How the gateway stores records: of any kind and of many sensors in one transaction, each with its outcome.
import type { CountRecord, DeviceRecord } from "@psp/contract/sensor/sensor.device.ts";
import { sql } from "kysely";
import { numbers } from "../db/arrays.ts";
import type { Tx } from "../db/database.ts";
import { toStorableJson, toStorableText } from "../db/storable.ts";
import * as rules from "./count.rules.ts";
import * as store from "./count.store.ts";
import { type FactMarks, markFacts, noteFact } from "./fact-mark.store.ts";
import type { IncomingRecord, Outcome, Stored, StoringSensor } from "../device/capability.ts";
import { dayMs, utcMonth } from "./zone.rules.ts";

/** A record with its place among all that came. */
type Incoming<R> = { index: number; sensor: StoringSensor; record: R; via: "live" | "fill" };

type OtherRecord = Exclude<DeviceRecord, CountRecord>;

/** More lines than any sensor draws: a device that makes up names must not fill the table. */
const maxLines = 256;

/**
 * Stores what came in, in order, at the time of its arrival. Runs inside the gateway's transaction. The sensors of a
 * batch are locked in the order of their numbers, so that parallel batches never deadlock.
 */
export async function storeRecords(tx: Tx, nowMs: number, incoming: readonly IncomingRecord[]): Promise<Stored> {
  // By index, filled in any order.
  const outcomes: Outcome[] = [];
  const counts: Incoming<CountRecord>[] = [];
  const others: Incoming<OtherRecord>[] = [];
  incoming.forEach(({ sensor, record, via }, index) => {
    if (record.t !== "count") {
      others.push({ index, sensor, record, via });
      return;
    }
    const reason = rules.badCount(record);
    if (reason) outcomes[index] = { outcome: "invalid", reason };
    else counts.push({ index, sensor, record, via });
  });
  const marks: FactMarks = new Map();
  await storeOthers(tx, nowMs, others, outcomes, marks);
  const stored = await storeCounts(tx, nowMs, counts, outcomes, marks);
  await markFacts(tx, marks);
  const events: Stored["events"] = stored.length === 0 ? [] : [{ name: "countsStored", event: { counts: stored } }];
  const viewed = others.filter(({ record }) => record.t === "event" && record.kind === viewEvent);
  const sensorIds = [...new Set(viewed.map(({ sensor }) => sensor.id))];
  if (sensorIds.length > 0) events.push({ name: "sightChanged", event: { sensorIds } });
  return { outcomes, events };
}

/** A report that the view of a sensor is obstructed, or clear again. */
const viewEvent = "osd";

/** Answers the spans in which something changed, by sensor and place. */
async function storeCounts(
  tx: Tx,
  nowMs: number,
  incoming: readonly Incoming<CountRecord>[],
  outcomes: Outcome[],
  marks: FactMarks,
): Promise<StoredSpan[]> {
  if (incoming.length === 0) return [];
  const changes = await applyCounts(tx, incoming, outcomes, () => nowMs);
  await store.upsertHot(tx, [...changes.rows.values()]);
  await store.addDaySums(tx, [...changes.sums.values()]);
  await store.saveCounters(tx, [...changes.counters]);
  for (const [num, fromMs] of changes.facts) noteFact(marks, num, fromMs);
  return [...changes.spans.values()];
}

/** What records change, with the sensors locked; `arrivedAt` says when a record came. The caller writes it. */
export async function applyCounts(
  tx: Tx,
  incoming: readonly Incoming<CountRecord>[],
  outcomes: Outcome[],
  arrivedAt: (record: CountRecord) => number,
): Promise<Changes> {
  const bySensor = Map.groupBy(incoming, ({ sensor }) => sensor.num);
  const counters = await store.lockCounters(tx, bySensor.keys());
  // After the lock: what another writer committed while this one waited is seen.
  const assignments = await store.findAssignments(tx, bySensor.keys());
  const stored = await findStored(tx, bySensor, counters);
  const changes: Changes = {
    rows: new Map(),
    sums: new Map(),
    counters: new Set(),
    spans: new Map(),
    facts: new Map(),
  };
  for (const [num, records] of bySensor) {
    const counter = counters.get(num);
    if (!counter) throw new Error(`Sensor ${num} has no counter`);
    const timeline = rules.createTimeline(stored.get(num) ?? []);
    const sensorId = records[0]?.sensor.id ?? "";
    const target = { sensorId, counter, timeline, assignments: assignments.get(num) ?? [], changes };
    for (const { index, record, via } of records) outcomes[index] = apply(target, record, via, arrivedAt(record));
  }
  return changes;
}

/** What is stored near the records, rows over packs, in order of start. */
async function findStored(
  tx: Tx,
  bySensor: Map<number, Incoming<CountRecord>[]>,
  counters: Map<number, store.Counter>,
) {
  const packedTo = (num: number) => counters.get(num)?.packedToMs ?? -Infinity;
  const windows = [...bySensor].flatMap(([num, records]) => windowsOf(num, records, packedTo(num)));
  const hot = await store.findHotWithin(tx, windows);
  const stored = Map.groupBy(hot, (row) => row.sensorNum);
  const packed = windows.filter((w) => w.fromMs < packedTo(w.sensorNum));
  const packs = await store.findPacks(tx, packed.flatMap(monthsOf));
  for (const window of packed) {
    const { sensorNum, fromMs, toMs } = window;
    const rows = stored.get(sensorNum) ?? [];
    const newer = new Set(rows.map((row) => `${row.lineNo}/${row.startMs}`));
    for (const { month } of monthsOf(window)) {
      for (const count of packs.get(`${sensorNum}/${month}`) ?? []) {
        if (count.startMs < fromMs || count.startMs >= toMs || newer.has(`${count.lineNo}/${count.startMs}`)) continue;
        rows.push({ ...count, sensorNum, overPack: true });
      }
    }
    stored.set(sensorNum, rows);
  }
  return stored;
}

/**
 * Ranges of starts that can matter to the records; records far apart have a range each. Where packs lie, a range begins
 * an hour early, so that a packed count that would reach into it and the row that corrects it are both seen.
 */
function windowsOf(sensorNum: number, records: readonly Incoming<CountRecord>[], packedToMs: number): store.Window[] {
  const windows: store.Window[] = [];
  for (const { record } of records.toSorted((a, b) => a.record.s - b.record.s)) {
    const last = windows.at(-1);
    const earlyMs = record.s - rules.maxDurationMs;
    if (last && record.s - last.toMs < dayMs) last.toMs = Math.max(last.toMs, record.e);
    else windows.push({ sensorNum, fromMs: earlyMs < packedToMs ? earlyMs : record.s, toMs: record.e });
  }
  return windows;
}

function monthsOf({ sensorNum, fromMs, toMs }: store.Window): { sensorNum: number; month: number }[] {
  const first = utcMonth(fromMs);
  return Array.from({ length: utcMonth(toMs - 1) - first + 1 }, (_, i) => ({ sensorNum, month: first + i }));
}

/** From the first to the last record of a sensor at a place that changed something. */
type StoredSpan = { locationId: string | null; sensorId: string; fromMs: number; toMs: number };

export type Changes = {
  rows: Map<string, store.HotCount>;
  sums: Map<string, store.DaySum>;
  counters: Set<store.Counter>;
  spans: Map<string, StoredSpan>;
  /** What monitoring has to look at: days are judged when they are over. */
  facts: FactMarks;
};
type Target = {
  sensorId: string;
  counter: store.Counter;
  timeline: rules.Timeline<store.HotCount>;
  assignments: readonly store.Assignment[];
  changes: Changes;
};

/** One record against what is stored: all of its lines or none. */
function apply(target: Target, record: CountRecord, via: "live" | "fill", nowMs: number): Outcome {
  const { counter, timeline, changes } = target;
  const news = record.lines.filter((line) => !counter.lineIds.includes(line.id));
  if (counter.lineIds.length + news.length > maxLines)
    return { outcome: "invalid", reason: "The sensor has too many lines" };
  const counts = rules.toCounts(record, via, nowMs, (id) => lineNoOf(counter, id, news));
  const before = timeline.at(record.s);
  const changed = counts.filter((count) => {
    const known = before.get(count.lineNo);
    return !known || !rules.isSame(known, count);
  });
  if (changed.length === 0) return { outcome: counts.length === 0 ? "stored" : "same" };
  if (changed.some((count) => !count.ahead)) {
    const other = timeline.overlapping(record.s, record.e);
    if (other !== null)
      return { outcome: "overlap", reason: `Overlaps the interval from ${new Date(other).toISOString()}` };
  }
  nameLines(target, record);
  const sumBefore = rules.sumOf(before.values());
  const corrects = changed.some((count) => before.has(count.lineNo));
  const rows = changed.map((count) => {
    const overPack = before.get(count.lineNo)?.overPack ?? false;
    return { ...count, sensorNum: counter.sensorNum, overPack };
  });
  for (const row of rows) {
    changes.rows.set(`${row.sensorNum}/${row.startMs}/${row.lineNo}`, row);
    timeline.put(row);
  }
  addDifference(target, record, sumBefore, rules.sumOf(timeline.at(record.s).values()), nowMs);
  if (counter.firstMs === null || record.s < counter.firstMs) {
    counter.firstMs = record.s;
    changes.counters.add(counter);
  }
  return { outcome: corrects ? "corrected" : "stored" };
}

/** Number of a line, counted from 1; new ones get the next numbers, and are kept by `nameLines` only if the record is stored. */
function lineNoOf(counter: store.Counter, id: string, news: CountRecord["lines"]): number {
  const known = counter.lineIds.indexOf(id);
  return 1 + (known >= 0 ? known : counter.lineIds.length + news.findIndex((line) => line.id === id));
}

function nameLines({ counter, changes }: Target, record: CountRecord): void {
  for (const { id, name } of record.lines) {
    const index = counter.lineIds.indexOf(id);
    if (index >= 0 && (name === undefined || counter.lineNames[index] === name)) continue;
    if (index < 0) counter.lineIds.push(id);
    counter.lineNames[index < 0 ? counter.lineIds.length - 1 : index] = name ?? id;
    changes.counters.add(counter);
  }
}

type Sum = { in: number; out: number; knownMs: number };

function addDifference(
  target: Target,
  { s: startMs, e: endMs }: CountRecord,
  before: Sum,
  after: Sum,
  nowMs: number,
): void {
  const { sensorId, counter, assignments, changes } = target;
  const { locationId, zone } = store.placeAt(assignments, startMs);
  const day = zone.dayAt(startMs);
  const key = `${counter.sensorNum}/${day}/${locationId}`;
  const sum = changes.sums.get(key) ?? { sensorNum: counter.sensorNum, day, locationId, in: 0, out: 0, knownMs: 0 };
  sum.in += after.in - before.in;
  sum.out += after.out - before.out;
  sum.knownMs += after.knownMs - before.knownMs;
  changes.sums.set(key, sum);
  // Of a day that is over; or the first of its day, by which the one before is known to be over.
  if (day < zone.dayAt(nowMs) || zone.dayStart(day) === startMs) noteFact(changes.facts, counter.sensorNum, startMs);
  const place = `${counter.sensorNum}/${locationId}`;
  const span = changes.spans.get(place) ?? { locationId, sensorId, fromMs: startMs, toMs: endMs };
  span.fromMs = Math.min(span.fromMs, startMs);
  span.toMs = Math.max(span.toMs, endMs);
  changes.spans.set(place, span);
}

/** Health slices, events, occupancy, dwell and positions: one row per sensor, kind and start. */
type OtherRow = {
  index: number;
  kind: string;
  num: number;
  start: number;
  sub: string;
  end: number;
  ahead: boolean;
  body: string;
};

/** Writes the records and their outcomes: the same again is a no-op, other content of the same key corrects. */
async function storeOthers(
  tx: Tx,
  nowMs: number,
  incoming: readonly Incoming<OtherRecord>[],
  outcomes: Outcome[],
  marks: FactMarks,
): Promise<void> {
  const rows = new Map<string, OtherRow>();
  for (const { index, sensor, record } of incoming) {
    const reason = badOther(record);
    if (reason) {
      outcomes[index] = { outcome: "invalid", reason };
      continue;
    }
    const row = toRow(index, sensor.num, record, nowMs);
    if (isFact(record)) noteFact(marks, sensor.num, row.start);
    const key = `${row.kind}/${row.num}/${row.start}/${row.sub}`;
    const earlier = rows.get(key);
    // A key twice in one batch: the later record counts, the earlier one was stored as far as its sender is concerned.
    if (earlier) outcomes[earlier.index] = { outcome: earlier.body === row.body ? "same" : "stored" };
    rows.set(key, row);
  }
  await upsert(tx, [...rows.values()], outcomes);
}

/** What monitoring looks at: health, and obstructions of the view. */
function isFact(record: OtherRecord): boolean {
  return record.t === "health" || (record.t === "event" && record.kind === "osd");
}

function badOther(record: OtherRecord): string | null {
  const e = record.e ?? record.s;
  const time = rules.badTime({ s: record.s, e, ck: record.ck });
  if (time) return time;
  if (record.t !== "event" && record.t !== "position" && e === record.s) return "The interval is empty";
  if (e - record.s > dayMs) return "The interval is longer than a day";
  return null;
}

function toRow(index: number, num: number, record: OtherRecord, nowMs: number): OtherRow {
  const { q: _q, t, s, e = s, ...body } = record;
  const ahead = rules.isAhead({ s, e, ck: record.ck }, nowMs);
  const sub = record.t === "event" ? toStorableText(record.kind) : "";
  return { index, kind: t, num, start: s, sub, end: e, ahead, body: toStorableJson(body) };
}

async function upsert(tx: Tx, rows: readonly OtherRow[], outcomes: Outcome[]): Promise<void> {
  if (rows.length === 0) return;
  const column = (pick: (row: OtherRow) => number | boolean) => numbers(rows.map(pick));
  const { rows: written } = await sql<{ kind: string; num: number; start: number; sub: string; isNew: boolean }>`
    insert into device_record as d (kind, sensor_num, start_ms, sub, end_ms, is_ahead, body)
    select * from unnest(${rows.map((r) => r.kind)}::text[], ${column((r) => r.num)}::int[], ${column((r) => r.start)}::bigint[],
      ${rows.map((r) => r.sub)}::text[], ${column((r) => r.end)}::bigint[], ${column((r) => r.ahead)}::boolean[],
      ${rows.map((r) => r.body)}::jsonb[]) r (kind, num, start, sub) order by kind, num, start, sub
    on conflict (kind, sensor_num, start_ms, sub) do update
      set end_ms = excluded.end_ms, is_ahead = excluded.is_ahead, body = excluded.body, corrections = d.corrections + 1
      where (d.end_ms, d.is_ahead, d.body) is distinct from (excluded.end_ms, excluded.is_ahead, excluded.body)
    returning kind, sensor_num as num, start_ms as start, sub, corrections = 0 as "isNew"`.execute(tx);
  const found = new Map(written.map((row) => [`${row.kind}/${row.num}/${row.start}/${row.sub}`, row.isNew]));
  for (const row of rows) {
    const isNew = found.get(`${row.kind}/${row.num}/${row.start}/${row.sub}`);
    outcomes[row.index] = { outcome: isNew === undefined ? "same" : isNew ? "stored" : "corrected" };
  }
}
