// The stays of sensors at locations: which of their counts belong to one, and when they are expected to count.
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";

export type Span = { fromMs: number; toMs: number };

/** Starts of one sensor that belong to a location or a sensor that is looked at. Ends may be infinite. */
export type Slice = Span & { sensorNum: number; sensorId: string };

/** `countsFromMs` is earlier than `fromMs` only where the stay is the sensor's first. */
export type Stay = Slice & { countsFromMs: number; isFirst: boolean; firstCountMs: number };

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
  }>`
    select a.location_id as "locationId", a.sensor_num as "sensorNum", s.id as "sensorId", a.from_at as "from", a.to_at as "to",
      a.counts_from as "countsFrom", c.first_ms as "firstMs",
      not exists (select from sensor_location b where b.sensor_num = a.sensor_num and b.from_at < a.from_at) as "isFirst"
    from sensor_location a join sensor s on s.num = a.sensor_num left join counter c on c.sensor_num = a.sensor_num
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

/**
 * When a location's sensors count into completeness. Before its first assignment a sensor counts where its counts do:
 * from its first count on, and as long as no other sensor was there at all (a history that was filled in afterwards).
 */
export function expectedOf(stays: readonly Stay[]): { fromMs: number; toMs: number }[] {
  const settledMs = Math.min(...stays.map((stay) => stay.fromMs));
  return stays.flatMap(({ fromMs, toMs, countsFromMs, isFirst, firstCountMs }) => {
    const since = isFirst ? Math.min(fromMs, firstCountMs) : fromMs;
    const spans = !isFirst
      ? [{ fromMs, toMs }]
      : since <= settledMs
        ? [{ fromMs: -Infinity, toMs }]
        : [
            { fromMs: -Infinity, toMs: settledMs },
            { fromMs: since, toMs },
          ];
    return spans.flatMap((span) => nonEmpty({ fromMs: Math.max(span.fromMs, countsFromMs), toMs: span.toMs }));
  });
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
