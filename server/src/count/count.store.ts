// Queries for counts: locks, rows of the last weeks, packs of older months, and sums per local day.
import { type RawBuilder, sql } from "kysely";
import { toPgColumn, toPgArray } from "../db/arrays.ts";
import type { Reader, Tx } from "../db/database.ts";
import { maxDurationMs, openPart, type sumCounts } from "./count.rules.ts";
import type { RecordOrigin } from "./count.tables.ts";
import { type Count, unpack } from "./pack.rules.ts";
import { hoursColumns, type HoursKeys } from "../db/applied-hours.ts";
import { findLocationHours, type LocationHours } from "../opening/opening.store.ts";
import { zoneOf, type Zone } from "@psp/contract/kit/zone.ts";
import { utcMonth } from "./month.rules.ts";
import { monthsWithin, startsWithin } from "./partition/pruning.store.ts";
import { toJsonb } from "../db/storable.ts";

export type Counter = {
  sensorNum: number;
  lineIds: string[];
  lineNames: string[];
  firstMs: number | null;
  packedToMs: number | null;
};

/** A sensor's time at a location. The first one starts when the owner got the sensor, or at -Infinity. */
export type Assignment = {
  fromMs: number;
  toMs: number;
  locationId: string;
  zone: Zone;
  /** Null if the location has no opening hours. */
  hours: LocationHours | null;
};

/** `overPack`: overrides a packed count. `origin`: its record, kept only if the count replaced another one or is ahead. */
export type UnpackedCount = Count & { sensorNum: number; overPack: boolean; origin: RecordOrigin | null };

/** Locks the counters of sensors until the commit, in the order of sensor numbers. A counter is created with its sensor. */
export async function lockCounters(tx: Tx, sensorNums: Iterable<number>) {
  return selectCounters(tx, [...new Set(sensorNums)], sql`order by sensor_num for update`);
}

export async function findCounters(reader: Reader, sensorNums: readonly number[]): Promise<Map<number, Counter>> {
  return selectCounters(reader, sensorNums, sql``);
}

async function selectCounters(reader: Reader, sensorNums: readonly number[], tail: RawBuilder<unknown>) {
  const { rows } = await sql<Counter>`
    select sensor_num as "sensorNum", line_ids as "lineIds", line_names as "lineNames", first_ms as "firstMs",
      packed_to_ms as "packedToMs"
    from counter where sensor_num = any(${toPgArray(sensorNums)}::int[]) ${tail}`.execute(reader);
  return new Map(rows.map((row) => [row.sensorNum, row]));
}

export async function saveCounters(tx: Tx, counters: readonly Counter[]): Promise<void> {
  if (counters.length === 0) return;
  // Lines are passed as JSON, because PostgreSQL requires arrays of arrays to have equal lengths.
  const lines = counters.map(({ lineIds, lineNames }) => toJsonb([lineIds, lineNames]));
  await sql`
    update counter c set first_ms = w.first, packed_to_ms = w.packed,
      line_ids = array(select jsonb_array_elements_text(w.lines -> 0)),
      line_names = array(select jsonb_array_elements_text(w.lines -> 1))
    from unnest(${toPgColumn(counters, (c) => c.sensorNum)}::int[], ${toPgColumn(counters, (c) => c.firstMs)}::bigint[],
      ${toPgColumn(counters, (c) => c.packedToMs)}::bigint[], ${lines}::jsonb[]) w (num, first, packed, lines)
    where c.sensor_num = w.num`.execute(tx);
}

export async function findAssignments(reader: Reader, sensorNums: Iterable<number>) {
  const { rows } = await sql<
    HoursKeys & { num: number; from: number; to: number; locationId: string; timezone: string | null }
  >`
    select a.sensor_num as num, extract(epoch from a.counts_from)::float8 * 1000 as "from",
      extract(epoch from a.to_at)::float8 * 1000 as "to", a.location_id as "locationId", l.timezone,
      ${hoursColumns("l", "owner")}
    from sensor_location a join location l on l.id = a.location_id join account owner on owner.id = l.owner_id
    where a.sensor_num = any(${toPgArray(sensorNums)}::int[]) order by a.sensor_num, a.from_at`.execute(reader);
  const places = rows.map((row) => ({ ...row, zone: zoneOf(row.timezone) }));
  const hours = await findLocationHours(reader, places);
  const found = places.map(({ num, from, to, locationId, zone }, index) => {
    return { num, fromMs: Math.round(from), toMs: Math.round(to), locationId, zone, hours: hours[index] ?? null };
  });
  return Map.groupBy<number, Assignment & { num: number }>(found, ({ num }) => num);
}

export type LocationZone = { locationId: string | null; zone: Zone };
type CountLocation = LocationZone & { hours: LocationHours | null };

/** Returns the location at which a count started (docs/rules/counts.md#location-of-a-count). Without a location, days are UTC. */
export function resolveLocation(assignments: readonly Assignment[], ms: number): CountLocation {
  const at = assignments.find((one) => ms >= one.fromMs && ms < one.toMs);
  return at ?? { locationId: null, zone: zoneOf(null), hours: null };
}

/** A half-open range of start times of one sensor's counts. */
export type CountWindow = { sensorNum: number; fromMs: number; toMs: number };

export const unpackedColumns = sql`h.start_ms as "startMs", h.sensor_num as "sensorNum", h.duration_ms as "durationMs",
  h.known_ms as "knownMs", h.n_in as "in", h.n_out as "out", h.line_no as "lineNo", h.osd, h.quality,
  h.is_ahead as ahead, h.over_pack as "overPack", h.classes, h.origin`;

/** Finds rows that overlap the windows. The lateral join makes the planner use one index range per window. */
export async function findUnpackedCountsWithin(
  reader: Reader,
  windows: readonly CountWindow[],
): Promise<UnpackedCount[]> {
  const { rows } = await sql<UnpackedCount>`
    select ${unpackedColumns} from unnest(${toPgColumn(windows, (w) => w.sensorNum)}::int[],
      ${toPgColumn(windows, (w) => w.fromMs)}::bigint[], ${toPgColumn(windows, (w) => w.toMs)}::bigint[]) w (num, f, t)
    cross join lateral (
      select * from count_hot where sensor_num = w.num and start_ms >= w.f - ${maxDurationMs} and start_ms < w.t
        and start_ms + duration_ms > w.f
        and ${startsWithin(windows, (w) => ({ from: w.fromMs - maxDurationMs, to: w.toMs }))} offset 0
    ) h`.execute(reader);
  return rows;
}

export async function findUnpackedCounts(
  reader: Reader,
  { sensorNum, fromMs, toMs }: CountWindow,
): Promise<UnpackedCount[]> {
  const { rows } = await sql<UnpackedCount>`select ${unpackedColumns} from count_hot h
    where sensor_num = ${sensorNum} and start_ms >= ${fromMs} and start_ms < ${toMs}`.execute(reader);
  return rows;
}

/** Keys of the result are `sensor/month`. */
export async function findPacks(reader: Reader, keys: readonly { sensorNum: number; month: number }[]) {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ sensorNum: number; month: number; body: Buffer }>`
    select k.num as "sensorNum", k.month, p.body
    from unnest(${toPgColumn(keys, (k) => k.sensorNum)}::int[], ${toPgColumn(keys, (k) => k.month)}::int[]) k (num, month)
    cross join lateral (
      select body from count_pack where sensor_num = k.num and month = k.month
        and ${monthsWithin(keys.map(({ month }) => month))} offset 0
    ) p`.execute(reader);
  return new Map(rows.map((row) => [`${row.sensorNum}/${row.month}`, unpack(row.body)]));
}

type Mixed = UnpackedCount & { body: Buffer | null };

/**
 * Reads counts with starts in [fromMs, toMs) by sensor, ordered by start and line. Uses one statement, so that a month that is
 * being packed is seen exactly once, as rows or as a pack.
 */
export async function readCounts(reader: Reader, sensorNums: readonly number[], fromMs: number, toMs: number) {
  const nums = toPgArray(sensorNums);
  const { rows } = await sql<Mixed>`
    select ${unpackedColumns}, null::bytea as body from count_hot h
      where h.sensor_num = any(${nums}::int[]) and h.start_ms >= ${fromMs} and h.start_ms < ${toMs}
    union all
    select null, sensor_num, null, null, null, null, null, null, null, null, null, null, null, body from count_pack
      where sensor_num = any(${nums}::int[]) and month >= ${utcMonth(fromMs)}
        and month <= ${utcMonth(toMs - 1)}`.execute(reader);
  return merge(rows, fromMs, toMs);
}

function merge(rows: readonly Mixed[], fromMs: number, toMs: number): Map<number, Count[]> {
  const found = new Map<number, Count[]>();
  const newer = new Set<string>();
  const listOf = (num: number) => {
    const list = found.get(num) ?? [];
    found.set(num, list);
    return list;
  };
  for (const row of rows) {
    if (row.body !== null) continue;
    listOf(row.sensorNum).push(row);
    if (row.overPack) newer.add(`${row.sensorNum}/${row.lineNo}/${row.startMs}`);
  }
  for (const { body, sensorNum } of rows) {
    if (body === null) continue;
    const list = listOf(sensorNum);
    for (const count of unpack(body)) {
      if (count.startMs < fromMs || count.startMs >= toMs) continue;
      if (newer.size > 0 && newer.has(`${sensorNum}/${count.lineNo}/${count.startMs}`)) continue;
      list.push(count);
    }
  }
  for (const list of found.values()) list.sort((a, b) => a.startMs - b.startMs || a.lineNo - b.lineNo);
  return found;
}

export async function upsertUnpackedCounts(tx: Tx, rows: readonly UnpackedCount[]): Promise<void> {
  if (rows.length === 0) return;
  const json = (pick: (row: UnpackedCount) => object | null) =>
    rows.some((row) => pick(row) !== null)
      ? sql`${rows.map((row) => (pick(row) ? toJsonb(pick(row)) : null))}::jsonb[]`
      : sql`null::jsonb[]`;
  await sql`
    insert into count_hot (start_ms, sensor_num, duration_ms, known_ms, n_in, n_out, line_no, osd, quality, is_ahead, over_pack, classes, origin)
    select * from unnest(${toPgColumn(rows, (r) => r.startMs)}::bigint[], ${toPgColumn(rows, (r) => r.sensorNum)}::int[],
      ${toPgColumn(rows, (r) => r.durationMs)}::int[], ${toPgColumn(rows, (r) => r.knownMs)}::int[], ${toPgColumn(rows, (r) => r.in)}::int[],
      ${toPgColumn(rows, (r) => r.out)}::int[], ${toPgColumn(rows, (r) => r.lineNo)}::smallint[], ${toPgColumn(rows, (r) => r.osd)}::smallint[],
      ${toPgColumn(rows, (r) => r.quality)}::smallint[], ${toPgColumn(rows, (r) => r.ahead)}::boolean[], ${toPgColumn(rows, (r) => r.overPack)}::boolean[],
      ${json((row) => row.classes)}, ${json((row) => row.origin)})
    on conflict (sensor_num, start_ms, line_no) do update set duration_ms = excluded.duration_ms, known_ms = excluded.known_ms,
      n_in = excluded.n_in, n_out = excluded.n_out, osd = excluded.osd, quality = excluded.quality,
      is_ahead = excluded.is_ahead, classes = excluded.classes, origin = excluded.origin`.execute(tx);
}

export type DaySum = {
  sensorNum: number;
  day: number;
  locationId: string | null;
  in: number;
  out: number;
  knownMs: number;
  /** The part within opening hours; null if the location has none. */
  open: { in: number; out: number; knownMs: number } | null;
};

export function createDaySum({
  hours,
  ...key
}: Pick<DaySum, "sensorNum" | "day" | "locationId"> & { hours: LocationHours | null }): DaySum {
  return { ...key, in: 0, out: 0, knownMs: 0, open: hours && { in: 0, out: 0, knownMs: 0 } };
}

export function addToDaySum(
  sum: DaySum,
  hours: LocationHours | null,
  startMs: number,
  counts: ReturnType<typeof sumCounts>,
  sign: 1 | -1,
) {
  add(sum, counts, sign);
  if (sum.open && hours) add(sum.open, openPart(hours.time, startMs, counts), sign);
}

type Addends = Pick<DaySum, "in" | "out" | "knownMs">;
function add(sum: Addends, more: Addends, sign: 1 | -1): void {
  sum.in += sign * more.in;
  sum.out += sign * more.out;
  sum.knownMs += sign * more.knownMs;
}

/** Rows that were written without opening hours have null in the open columns until they are recomputed. */
export async function addDaySums(tx: Tx, sums: readonly DaySum[]): Promise<void> {
  if (sums.length === 0) return;
  const locations = `{${sums.map((sum) => sum.locationId ?? "null").join(",")}}`;
  const column = (pick: (sum: DaySum) => number | null) => sql`${toPgColumn(sums, pick)}::bigint[]`;
  await sql`
    insert into count_day as d (sensor_num, day, location_id, n_in, n_out, known_ms, open_in, open_out, open_known_ms)
    select * from unnest(${toPgColumn(sums, (s) => s.sensorNum)}::int[], ${toPgColumn(sums, (s) => s.day)}::int[], ${locations}::uuid[],
      ${column((s) => s.in)}, ${column((s) => s.out)}, ${column((s) => s.knownMs)},
      ${column((s) => s.open?.in ?? null)}, ${column((s) => s.open?.out ?? null)}, ${column((s) => s.open?.knownMs ?? null)})
    on conflict (sensor_num, day, location_id) do update set n_in = d.n_in + excluded.n_in,
      n_out = d.n_out + excluded.n_out, known_ms = d.known_ms + excluded.known_ms, open_in = d.open_in + excluded.open_in,
      open_out = d.open_out + excluded.open_out, open_known_ms = d.open_known_ms + excluded.open_known_ms`.execute(tx);
}
