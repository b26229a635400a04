// The stays of sensors at locations: which of their counts belong to one, and when they are expected to count.
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";

export type Span = { fromMs: number; toMs: number };

/** Starts of one sensor that belong to a location or a sensor that is looked at. Ends may be infinite. */
export type Slice = Span & { sensorNum: number; sensorId: string };

/**
 * `countsFromMs` is earlier than `fromMs` only where the stay is the sensor's first. `activeFromMs` is the sensor's enrollment,
 * or its first count if that is earlier; Infinity where there is neither.
 */
export type Stay = Slice & { countsFromMs: number; isFirst: boolean; firstCountMs: number; activeFromMs: number };

/** Every stay of a sensor at these locations, by location. */
export async function findStays(reader: Reader, locationIds: readonly string[]): Promise<Map<string, Stay[]>> {
  const { rows } = await sql<{
    locationId: string;
    sensorNum: number;
    sensorId: string;
    from: Date | number;
    to: Date | number;
    countsFrom: Date | number;
    isFirst: boolean;
    firstMs: number | null;
    enrolledAt: Date | null;
  }>`
    select a.location_id as "locationId", a.sensor_num as "sensorNum", s.id as "sensorId", a.from_at as "from", a.to_at as "to",
      a.counts_from as "countsFrom", c.first_ms as "firstMs", d.enrolled_at as "enrolledAt",
      not exists (select from sensor_location b where b.sensor_num = a.sensor_num and b.from_at < a.from_at) as "isFirst"
    from sensor_location a join sensor s on s.num = a.sensor_num left join counter c on c.sensor_num = a.sensor_num
      left join device d on d.sensor_num = a.sensor_num
    where a.location_id = any(${[...locationIds]}::uuid[]) order by s.id, a.from_at`.execute(reader);
  const stays = rows.map((row) => ({
    locationId: row.locationId,
    sensorNum: row.sensorNum,
    sensorId: row.sensorId,
    fromMs: Number(row.from),
    toMs: Number(row.to),
    countsFromMs: Number(row.countsFrom),
    isFirst: row.isFirst,
    firstCountMs: row.firstMs ?? Infinity,
    activeFromMs: activeFrom(row.enrolledAt, row.firstMs),
  }));
  return Map.groupBy(stays, ({ locationId }) => locationId);
}

/** What of the sensors' time belongs to the location. */
export function slicesOf(stays: readonly Stay[]): Slice[] {
  return stays.flatMap(({ sensorNum, sensorId, countsFromMs, toMs }) =>
    nonEmpty({ sensorNum, sensorId, fromMs: countsFromMs, toMs }),
  );
}

/** From when on the stored daily sums of these sensors are the location's own. */
export function sumsFromOf(stays: readonly Stay[]): Map<number, number> {
  return new Map(stays.flatMap((stay) => (stay.isFirst ? [[stay.sensorNum, stay.countsFromMs] as const] : [])));
}

/** From when on a sensor can count: its enrollment, or its first count if that is earlier (a device that enrolled again). */
export function activeFrom(enrolledAt: Date | null, firstCountMs: number | null): number {
  return Math.min(enrolledAt?.getTime() ?? Infinity, firstCountMs ?? Infinity);
}

/**
 * When a sensor counts into completeness during a stay: from its assignment and enrollment on. Before its first assignment it
 * counts from its first count on, because that is where its earlier counts belong.
 */
export function expectedDuring({ fromMs, toMs, countsFromMs, isFirst, firstCountMs, activeFromMs }: Stay): Span[] {
  const sinceMs = isFirst && firstCountMs < fromMs ? firstCountMs : Math.max(fromMs, activeFromMs);
  return nonEmpty({ fromMs: Math.max(sinceMs, countsFromMs), toMs });
}

/**
 * When how many sensors count into a location's completeness, one span per sensor. Before the first one and after the last one
 * nothing is expected; while the location is between two sensors, one is missing.
 */
export function expectedOf(stays: readonly Stay[]): Span[] {
  const spans = stays.flatMap(expectedDuring);
  const covered = union(spans);
  const gaps = covered.slice(1).map(({ fromMs }, index) => ({ fromMs: covered[index]?.toMs ?? fromMs, toMs: fromMs }));
  return [...spans, ...gaps];
}

/**
 * Part of an earlier period is not compared with a whole one: its expected time, in proportion also for the time before the
 * first sensor. A shop that opened on Sunday did not grow sevenfold in the week after.
 */
export function expectedOfWhole(expectedMs: number, spans: readonly Span[], fromMs: number, toMs: number): number {
  const sinceMs = Math.min(toMs, Math.max(fromMs, Math.min(...spans.map((span) => span.fromMs))));
  return sinceMs < toMs ? (expectedMs * (toMs - fromMs)) / (toMs - sinceMs) : expectedMs;
}

/** The spans in order, those that touch or overlap as one. */
function union(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else joined.push({ ...span });
  }
  return joined;
}

export function nonEmpty<S extends Span>(span: S): S[] {
  return span.fromMs < span.toMs ? [span] : [];
}

/** The slices cut to a range, without the empty ones. */
export function cutSlices<S extends Span>(slices: readonly S[], fromMs: number, toMs: number): S[] {
  return slices.flatMap((slice) =>
    nonEmpty({ ...slice, fromMs: Math.max(slice.fromMs, fromMs), toMs: Math.min(slice.toMs, toMs) }),
  );
}
