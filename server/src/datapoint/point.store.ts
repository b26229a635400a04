// Reads the datapoints of a location or sensor by type, and counts them per day.
import type { Datapoint, DatapointType } from "@psp/contract/datapoint/datapoint.ts";
import { type RawBuilder, sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import { toPgArray } from "../db/arrays.ts";
import { findCounters, readCounts } from "../count/count.store.ts";
import { utcMonth } from "../count/month.rules.ts";
import { monthsWithin, startsWithin } from "../count/partition/pruning.store.ts";
import type { Range } from "../counts/bucket.rules.ts";
import { toCounting, toDatapoint } from "./datapoint.wire.ts";
import type { Count } from "../count/pack.rules.ts";
import { clipSlices, type SensorSlice } from "../counts/stay.store.ts";
import { maxSensorsInMemory } from "../counts/aggregate.store.ts";
import { findLineIds, type Subject } from "../counts/subject.store.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";

export type DayHistogram = Map<number, number>;

export type PointSource = {
  histogram(reader: Reader, subject: Subject, range: Range): Promise<DayHistogram>;
  load(reader: Reader, subject: Subject, range: Range): Promise<Datapoint[]>;
};

function sliceColumns(slices: readonly SensorSlice[]) {
  return sql`unnest(${toPgArray(slices.map((s) => s.sensorNum))}::int[], ${toPgArray(slices.map((s) => s.fromMs))}::bigint[],
    ${toPgArray(slices.map((s) => s.toMs))}::bigint[]) w (num, f, t)`;
}

type DayCount = { day: number; n: number };

function addTo(histogram: DayHistogram, rows: readonly DayCount[]): void {
  for (const { day, n } of rows) histogram.set(day, (histogram.get(day) ?? 0) + n);
}

async function countDays(reader: Reader, query: RawBuilder<DayCount>): Promise<DayHistogram> {
  return new Map((await query.execute(reader)).rows.map(({ day, n }) => [day, n]));
}

const counting: PointSource = {
  async histogram(reader, subject, { from, to }) {
    const slices = clipSlices(subject.slices, from, to);
    const histogram: DayHistogram = new Map();
    const hot = await sql<DayCount>`
      select h.start_ms / ${dayMs} as day, count(*) as n from ${sliceColumns(slices)} cross join lateral (
        select start_ms from count_hot
        where sensor_num = w.num and start_ms >= w.f and start_ms < w.t and not over_pack
          and ${startsWithin(slices, (s) => ({ from: s.fromMs, to: s.toMs }))} offset 0
      ) h group by 1`.execute(reader);
    addTo(histogram, hot.rows);
    const whole = slices.map((s) => ({ ...s, fromMs: Math.ceil(s.fromMs / dayMs), toMs: Math.floor(s.toMs / dayMs) }));
    const packed = await sql<DayCount>`
      select d.day, sum(d.n)::bigint as n from ${sliceColumns(whole)}
      cross join lateral (
        select month, day_points from count_pack where sensor_num = w.num
          and ${monthsWithin(slices.flatMap((s) => [utcMonth(s.fromMs), utcMonth(s.toMs)]))} offset 0
      ) p
      cross join lateral (
        select make_date(1970 + p.month / 12, p.month % 12 + 1, 1) - date '1970-01-01' + nth::int - 1 as day, n
        from unnest(p.day_points) with ordinality points (n, nth)
      ) d where d.day >= w.f and d.day < w.t and d.n > 0 group by d.day`.execute(reader);
    addTo(histogram, packed.rows);
    for (const { slice, fromMs, toMs } of slices.flatMap(partDays)) {
      const counts = (await readCounts(reader, [slice.sensorNum], fromMs, toMs)).get(slice.sensorNum) ?? [];
      const n = counts.filter(isPacked).length;
      if (n > 0) addTo(histogram, [{ day: Math.floor(fromMs / dayMs), n }]);
    }
    return histogram;
  },
  async load(reader, subject, { from, to }) {
    const slices = clipSlices(subject.slices, from, to);
    const found: Datapoint[] = [];
    for (let i = 0; i < slices.length; i += maxSensorsInMemory) {
      const some = slices.slice(i, i + maxSensorsInMemory);
      const nums = [...new Set(some.map((slice) => slice.sensorNum))];
      const lineIds = await findLineIds(reader, nums);
      const counts = await readCounts(reader, nums, from, to);
      for (const slice of some) {
        const sensor = { num: slice.sensorNum, id: slice.sensorId, lineIds: lineIds.get(slice.sensorNum) ?? [] };
        for (const count of counts.get(slice.sensorNum) ?? []) {
          if (count.startMs < slice.fromMs || count.startMs >= slice.toMs) continue;
          found.push(toCounting(count, sensor, subject.placeOf(slice.sensorNum, count.startMs)));
        }
      }
    }
    return found;
  },
};

/** Whether the number of datapoints stored with a pack includes this count, also if an unpacked row has replaced the packed count. */
function isPacked(count: Count): boolean {
  return !("overPack" in count) || count.overPack === true;
}

/** The parts of a slice that do not fill a UTC day, because packs store the number of datapoints for whole days only. */
function partDays(slice: SensorSlice): { slice: SensorSlice; fromMs: number; toMs: number }[] {
  const first = Math.ceil(slice.fromMs / dayMs) * dayMs;
  const last = Math.floor(slice.toMs / dayMs) * dayMs;
  if (first > last) return [{ slice, fromMs: slice.fromMs, toMs: slice.toMs }];
  const parts = [
    { slice, fromMs: slice.fromMs, toMs: first },
    { slice, fromMs: last, toMs: slice.toMs },
  ];
  return parts.filter((part) => part.fromMs < part.toMs);
}

const position: PointSource = {
  async histogram(reader, subject, { from, to }) {
    const perDay = sql<DayCount>`
      select r.start_ms / ${dayMs} as day, count(*) as n from ${sliceColumns(clipSlices(subject.slices, from, to))}
      join device_record r on r.kind = 'position' and r.sensor_num = w.num and r.start_ms >= w.f and r.start_ms < w.t
      group by 1`;
    return countDays(reader, perDay);
  },
  async load(reader, subject, { from, to }) {
    const slices = clipSlices(subject.slices, from, to);
    const ids = new Map(slices.map((slice) => [slice.sensorNum, slice.sensorId]));
    const { rows } = await sql<{ num: number; startMs: number; endMs: number; body: Record<string, unknown> }>`
      select w.num, r.start_ms as "startMs", r.end_ms as "endMs", r.body from ${sliceColumns(slices)}
      join device_record r on r.kind = 'position' and r.sensor_num = w.num and r.start_ms >= w.f
        and r.start_ms < w.t`.execute(reader);
    return rows.map(({ num, startMs, endMs, body: { lat, lng, speed } }) => {
      const data = { lat, lng, speed };
      const point = { id: `p.${num}.${startMs}`, type: "position", sens: ids.get(num) ?? null, data } as const;
      return toDatapoint({ ...point, startMs, endMs }, subject.placeOf(num, startMs));
    });
  },
};

const occupancy: PointSource = {
  async histogram(reader, subject, { from, to }) {
    if (subject.kind === "sensor") return new Map();
    const perDay = sql<DayCount>`
      select start_ms / ${dayMs} as day, count(*) as n from occupancy_point
      where location_id = ${subject.id} and start_ms >= ${from} and start_ms < ${to} group by 1`;
    return countDays(reader, perDay);
  },
  async load(reader, subject, { from, to }) {
    if (subject.kind === "sensor") return [];
    const { rows } = await sql<{ id: string; startMs: number; endMs: number; count: number }>`
      select id, start_ms as "startMs", end_ms as "endMs", count from occupancy_point
      where location_id = ${subject.id} and start_ms >= ${from} and start_ms < ${to}`.execute(reader);
    return rows.map(({ count, ...point }) =>
      toDatapoint(
        { ...point, type: "occupancy", sens: null, data: { count } },
        // No sensor number is needed, because occupancy belongs to the location itself.
        subject.placeOf(0, point.startMs),
      ),
    );
  },
};

type Status = {
  id: string;
  num: number;
  mac: string;
  startMs: number;
  endMs: number;
  location: string | null;
} & Record<"issueType" | "issueStatus" | "issueMessage", string> & { acknowledgedAt: Date | null };

function statusWhere(subject: Subject, { from, to }: Range) {
  if (subject.kind === "sensor")
    return sql`from ${sliceColumns(clipSlices(subject.slices, from, to))} join monitoring_status m
      on m.sensor_num = w.num and m.start_ms >= w.f and m.start_ms < w.t`;
  // Filters by the location stored in the row, because the sensor may have left the location since.
  const nums = toPgArray(new Set(subject.slices.map((slice) => slice.sensorNum)));
  return sql`from unnest(${nums}::int[]) w (num) join monitoring_status m
    on m.sensor_num = w.num and m.start_ms >= ${from} and m.start_ms < ${to} and m.location_id = ${subject.id}`;
}

const monitoringStatus: PointSource = {
  async histogram(reader, subject, range) {
    const perDay = sql<DayCount>`
      select m.start_ms / ${dayMs} as day, count(*) as n ${statusWhere(subject, range)} group by 1`;
    return countDays(reader, perDay);
  },
  async load(reader, subject, range) {
    const { rows } = await sql<Status>`
      select m.id, m.sensor_num as num, s.id as mac, m.start_ms as "startMs", m.end_ms as "endMs", m.location_id as location,
        m.issue_type as "issueType", m.issue_status as "issueStatus", m.issue_message as "issueMessage",
        m.acknowledged_at as "acknowledgedAt"
      ${statusWhere(subject, range)} join sensor s on s.num = m.sensor_num`.execute(reader);
    return rows.map(
      ({ id, num, mac, startMs, endMs, location, acknowledgedAt, issueType, issueStatus, issueMessage }) => {
        const data = { issueType, issueStatus, issueMessage, acknowledgedAt: acknowledgedAt?.toISOString() ?? null };
        const { zone } = subject.placeOf(num, startMs);
        return toDatapoint(
          { id, type: "monitoringStatus", sens: mac, startMs, endMs, data },
          { locationId: location, zone },
        );
      },
    );
  },
};

export const pointSources: Record<DatapointType, PointSource> = { counting, occupancy, monitoringStatus, position };

/** A lower bound for the starts of all counts; Infinity if there are none. */
export async function findEarliestStart(reader: Reader, slices: readonly SensorSlice[]): Promise<number> {
  const counters = await findCounters(reader, [...new Set(slices.map((slice) => slice.sensorNum))]);
  const starts = slices.flatMap(({ sensorNum, fromMs, toMs }) => {
    const startMs = Math.max(fromMs, counters.get(sensorNum)?.firstMs ?? Infinity);
    return startMs < toMs ? [startMs] : [];
  });
  return Math.min(Infinity, ...starts);
}

type OccupancyPoint = { locationId: string; startMs: number; endMs: number; id: string; count: number };

/** Stores an occupancy value, replacing the one with the same start. Returns its id. */
export async function putOccupancy(tx: Tx, { locationId, startMs, endMs, id, count }: OccupancyPoint): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into occupancy_point (location_id, start_ms, end_ms, id, count)
    values (${locationId}, ${startMs}, ${endMs}, ${id}, ${count})
    on conflict (location_id, start_ms) do update set end_ms = excluded.end_ms, count = excluded.count
    returning id`.execute(tx);
  return rows[0]?.id ?? id;
}
