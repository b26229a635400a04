// Queries for the stays of sensors at locations: which counts belong to a location, and when counts are expected.
import { sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { type LocationHours, openMsBetween } from "../opening/opening.store.ts";
import type { Range } from "./bucket.rules.ts";

export type Span = { fromMs: number; toMs: number };

/** The opening hours that apply during a period; null if it is always open. */
type WithHours = { hours: LocationHours | null };
export type ExpectedSpan = Span & WithHours;

/** A period of one sensor. Counts that start in it belong to the subject. Its ends may be infinite. */
export type SensorSlice = Span & WithHours & { sensorNum: number; sensorId: string };

/**
 * `countsFromMs` is before `fromMs` only in the sensor's first stay. `activeFromMs` is the enrollment or the first count, whichever
 * is earlier, or Infinity without either.
 */
export type Stay = Span & { sensorNum: number; sensorId: string } & {
  countsFromMs: number;
  isFirst: boolean;
  firstCountMs: number;
  activeFromMs: number;
};

/** `nth`: position of the location, from 1. Instants that are infinite are null. */
type StayRow = [
  nth: number,
  sensorNum: number,
  sensorId: string,
  fromMs: number | null,
  toMs: number | null,
  countsFromMs: number | null,
  isFirst: boolean,
  firstMs: number | null,
  enrolledMs: number | null,
];

const toMs = (column: string) =>
  sql`case when isfinite(${sql.ref(column)}) then floor(extract(epoch from ${sql.ref(column)}) * 1000) end`;

/** Reads one JSON text, because rows of a table would take the driver several times as long. */
export async function findStays(reader: Reader, locationIds: readonly string[]): Promise<Map<string, Stay[]>> {
  const { rows } = await sql<{ stays: StayRow[] | null }>`
    select json_agg(json_build_array(l.nth, a.sensor_num, s.id, ${toMs("a.from_at")}, ${toMs("a.to_at")},
        ${toMs("a.counts_from")},
        not exists (select from sensor_location b where b.sensor_num = a.sensor_num and b.from_at < a.from_at),
        c.first_ms, ${toMs("d.enrolled_at")}) order by s.id, a.from_at) as stays
    from unnest(${[...locationIds]}::uuid[]) with ordinality l (id, nth) join sensor_location a on a.location_id = l.id
      join sensor s on s.num = a.sensor_num left join counter c on c.sensor_num = a.sensor_num
      left join device d on d.sensor_num = a.sensor_num`.execute(reader);
  const stays = new Map<string, Stay[]>();
  for (const [nth, sensorNum, sensorId, from, to, countsFrom, isFirst, firstMs, enrolledMs] of rows[0]?.stays ?? []) {
    const locationId = locationIds[nth - 1];
    if (locationId === undefined) continue;
    stays
      .getOrInsertComputed(locationId, () => [])
      .push({
        sensorNum,
        sensorId,
        fromMs: from ?? -Infinity,
        toMs: to ?? Infinity,
        countsFromMs: countsFrom ?? -Infinity,
        isFirst,
        firstCountMs: firstMs ?? Infinity,
        activeFromMs: computeActiveFrom(enrolledMs, firstMs),
      });
  }
  return stays;
}

export function toSlices(stays: readonly Stay[], hours: LocationHours | null): SensorSlice[] {
  return stays.flatMap(({ sensorNum, sensorId, countsFromMs, toMs }) =>
    keepNonEmpty({ sensorNum, sensorId, fromMs: countsFromMs, toMs, hours }),
  );
}

/** Maps each sensor in its first stay to the time from which its stored daily sums belong to the location. */
export function computeSumsFrom(stays: readonly Stay[]): Map<number, number> {
  return new Map(stays.flatMap((stay) => (stay.isFirst ? [[stay.sensorNum, stay.countsFromMs] as const] : [])));
}

/** A device that enrolled again may have counted before its enrollment. */
export function computeActiveFrom(enrolledMs: number | null, firstCountMs: number | null): number {
  return Math.min(enrolledMs ?? Infinity, firstCountMs ?? Infinity);
}

/**
 * Returns when a sensor is expected to count during a stay: from its assignment and enrollment on. In its first stay, from its
 * first count on if that is earlier, because counts before the assignment belong to the first location.
 */
export function toExpectedSpan({ fromMs, toMs, countsFromMs, isFirst, firstCountMs, activeFromMs }: Stay): Span[] {
  const sinceMs = isFirst && firstCountMs < fromMs ? firstCountMs : Math.max(fromMs, activeFromMs);
  return keepNonEmpty({ fromMs: Math.max(sinceMs, countsFromMs), toMs });
}

/**
 * Returns one span per stay, and one per gap between stays, because the location lacks a sensor during a gap. Nothing is
 * expected before the first stay and after the last one.
 */
export function toExpectedSpans(stays: readonly Stay[], hours: LocationHours | null): ExpectedSpan[] {
  const spans = stays.flatMap(toExpectedSpan);
  const covered = union(spans);
  const gaps = covered.slice(1).map(({ fromMs }, index) => ({ fromMs: covered[index]?.toMs ?? fromMs, toMs: fromMs }));
  return [...spans, ...gaps].map((span) => ({ ...span, hours }));
}

/**
 * Scales the expected time to the whole period, including the time before the first sensor. Otherwise a partly covered period would
 * pass for a complete one: a shop that opened on Sunday would seem to grow sevenfold in the week after. `expectedMs` excludes the time
 * that is left out.
 */
export function scaleExpected(
  expectedMs: number,
  spans: readonly ExpectedSpan[],
  { from, to }: Range,
  leftOut: readonly Range[] = [],
): number {
  const first = spans.reduce<ExpectedSpan | undefined>((a, b) => (a && a.fromMs <= b.fromMs ? a : b), undefined);
  if (!first || first.fromMs <= from) return expectedMs;
  const openSince = (since: number) =>
    leftOut.reduce(
      (sum, out) => sum - openMsBetween(first.hours, Math.max(since, out.from), Math.min(to, out.to)),
      openMsBetween(first.hours, since, to),
    );
  const partMs = openSince(Math.min(to, first.fromMs));
  return partMs > 0 ? (expectedMs * openSince(from)) / partMs : expectedMs;
}

/** Merges spans that touch or overlap. */
function union(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else joined.push({ ...span });
  }
  return joined;
}

export function keepNonEmpty<S extends Span>(span: S): S[] {
  return span.fromMs < span.toMs ? [span] : [];
}

export function clipSlices<S extends Span>(slices: readonly S[], fromMs: number, toMs: number): S[] {
  return slices.flatMap((slice) =>
    keepNonEmpty({ ...slice, fromMs: Math.max(slice.fromMs, fromMs), toMs: Math.min(slice.toMs, toMs) }),
  );
}
