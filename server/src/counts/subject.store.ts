// Queries for the subject of a counts request: a visible location or sensor, with the sensor time that belongs to it.
import { sql } from "kysely";
import type { Caller } from "../kit/caller.ts";
import type { Reader } from "../db/database.ts";
import { whereEditable, whereViewable } from "../db/visible.ts";
import { toPgArray } from "../db/arrays.ts";
import { type Assignment, findAssignments, type LocationZone, resolveLocation } from "../count/count.store.ts";
import { findFormerZones, resolveZone } from "../count/former-zone.store.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import { hoursColumns, type HoursKeys } from "../db/applied-hours.ts";
import type { LocationHours } from "../opening/opening.store.ts";
import { findLocationStays, type LocationStays } from "./place-sums.store.ts";
import {
  computeActiveFrom,
  clipSlices,
  toExpectedSpans,
  keepNonEmpty,
  type SensorSlice,
  toSlices,
  type ExpectedSpan,
  type Span,
  computeSumsFrom,
} from "./stay.store.ts";

export type Subject = {
  kind: "location" | "sensor";
  id: string;
  /** For a sensor, the name of its location, or empty if the caller may not view the location. */
  name: string;
  /** Zone of the local days and hours. */
  zone: Zone;
  slices: SensorSlice[];
  /** By sensor number: the time from which the stored daily sums belong to the location. */
  sumsFrom: Map<number, number>;
  /** Spans of time in which counts are expected. Where spans overlap, several sensors are expected. */
  expected: ExpectedSpan[];
  /** The opening hours that apply at an instant. */
  hoursAt(ms: number): LocationHours | null;
  /** Finds the location of a count by its start, and the zone of its local time. */
  placeOf(sensorNum: number, ms: number): LocationZone;
  /** Whether the stored daily sums can be used, because their days are days of `zone`. */
  sumsFit: boolean;
  canEdit: boolean;
  owner: { id: string; path: string };
  /** Null for a sensor. */
  place: LocationStays | null;
};

type Owned = { canEdit: boolean; ownerId: string; ownerPath: string };

/** Finds a visible location that is not deleted, with all sensors that were ever there. */
export async function findLocationSubject(reader: Reader, caller: Caller, id: string): Promise<Subject | undefined> {
  const { rows } = await sql<Owned & HoursKeys & { id: string; name: string; timezone: string | null }>`
    select l.id, l.name, l.timezone, l.owner_id as "ownerId", l.owner_path as "ownerPath", ${hoursColumns("l", "a")},
      ${whereEditable(caller, "measurement", "l")} as "canEdit"
    from location l join account a on a.id = l.owner_id where l.id = ${id} and not l.is_deleted
      and ${whereViewable(caller, "measurement", "l")}`.execute(reader);
  const location = rows[0];
  if (!location) return undefined;
  const [place] = await findLocationStays(reader, [location]);
  if (!place) return undefined;
  const { zone, stays, hours } = place;
  const former = (await findFormerZones(reader, [id])).get(id);
  return {
    kind: "location",
    id,
    name: location.name,
    zone,
    slices: toSlices(stays, hours),
    sumsFrom: computeSumsFrom(stays),
    expected: toExpectedSpans(stays, hours),
    hoursAt: () => hours,
    placeOf: (_num, ms) => ({ locationId: id, zone: resolveZone(former, zone, ms) }),
    sumsFit: true,
    canEdit: location.canEdit,
    owner: { id: location.ownerId, path: location.ownerPath },
    place,
  };
}

/**
 * Finds a visible sensor that is not deleted. Its slices contain the time under the current owner, and earlier time at locations
 * that the caller may view (ADR 0017).
 */
export async function findSensorSubject(reader: Reader, caller: Caller, id: string): Promise<Subject | undefined> {
  const nameIfSeen = sql`case when not l.is_deleted
    and ${whereViewable(caller, "measurement", "l")} then l.name else '' end`;
  type Row = Owned & { num: number; name: string; visibleFrom: Date | number; timezone: string | null };
  const { rows } = await sql<Row & { enrolledAt: Date | null; firstMs: number | null }>`
    select s.num, ${nameIfSeen} as name, s.visible_from as "visibleFrom", l.timezone, s.owner_id as "ownerId", s.owner_path as "ownerPath",
      d.enrolled_at as "enrolledAt", c.first_ms as "firstMs",
      ${whereEditable(caller, "sensor", "s")} as "canEdit"
    from sensor s left join location l on l.id = s.location_id
      left join device d on d.sensor_num = s.num left join counter c on c.sensor_num = s.num
    where s.id = ${id} and not s.is_deleted and ${whereViewable(caller, "sensor", "s")}`.execute(reader);
  const sensor = rows[0];
  if (!sensor) return undefined;
  const zone = zoneOf(sensor.timezone);
  const assignments = (await findAssignments(reader, [sensor.num])).get(sensor.num) ?? [];
  const visibleMs = Number(sensor.visibleFrom);
  const former = await findFormerZones(
    reader,
    assignments.map(({ locationId }) => locationId),
  );
  const slices = [
    ...(await findSeenBefore(reader, caller, assignments, visibleMs)),
    { fromMs: visibleMs, toMs: Infinity },
  ];
  return {
    kind: "sensor",
    id,
    name: sensor.name,
    zone,
    slices: slices
      .flatMap((slice) => splitByHours(slice, assignments))
      .map((slice) => ({ sensorNum: sensor.num, sensorId: id, ...slice })),
    sumsFrom: new Map(),
    expected: clipSlices(
      slices,
      computeActiveFrom(sensor.enrolledAt?.getTime() ?? null, sensor.firstMs),
      Infinity,
    ).flatMap((span) => splitByHours(span, assignments)),
    hoursAt: (ms) => resolveLocation(assignments, ms).hours,
    placeOf(_num, ms) {
      const place = resolveLocation(assignments, ms);
      return { ...place, zone: resolveZone(former.get(place.locationId ?? ""), place.zone, ms) };
    },
    sumsFit: daysAgree(assignments, zone, visibleMs),
    canEdit: sensor.canEdit,
    owner: { id: sensor.ownerId, path: sensor.ownerPath },
    place: null,
  };
}

/** Splits a period where the sensor moved, unless no location has opening hours. */
function splitByHours(span: Span, assignments: readonly Assignment[]): ExpectedSpan[] {
  if (assignments.every(({ hours }) => hours === null)) return [{ ...span, hours: null }];
  const parts: ExpectedSpan[] = [];
  let at = span.fromMs;
  for (const one of clipSlices(assignments, span.fromMs, span.toMs)) {
    parts.push(...keepNonEmpty({ fromMs: at, toMs: one.fromMs, hours: null }));
    parts.push({ fromMs: one.fromMs, toMs: one.toMs, hours: one.hours });
    at = one.toMs;
  }
  return [...parts, ...keepNonEmpty({ fromMs: at, toMs: span.toMs, hours: null })];
}

/** Finds periods before `visibleMs` in which the sensor was at visible locations. Merges adjacent periods. */
async function findSeenBefore(reader: Reader, caller: Caller, assignments: readonly Assignment[], visibleMs: number) {
  const earlier = assignments.flatMap((one) => keepNonEmpty({ ...one, toMs: Math.min(one.toMs, visibleMs) }));
  if (earlier.length === 0) return [];
  const { rows } = await sql<{ id: string }>`select id from location l
    where id = any(${[...new Set(earlier.map((one) => one.locationId))]}::uuid[]) and not is_deleted
      and ${whereViewable(caller, "measurement", "l")}`.execute(reader);
  const seen = new Set(rows.map((row) => row.id));
  const spans: Span[] = [];
  for (const { locationId, fromMs, toMs } of earlier) {
    if (!seen.has(locationId)) continue;
    const last = spans.at(-1);
    if (last?.toMs === fromMs) last.toMs = toMs;
    else spans.push({ fromMs, toMs });
  }
  return spans;
}

/** Whether the sensor's days since `sinceMs` are all days of this zone. Without a location, days are UTC. */
function daysAgree(assignments: readonly Assignment[], zone: Zone, sinceMs: number): boolean {
  if (assignments.some((one) => one.zone.name !== zone.name)) return false;
  const gapless =
    (assignments[0]?.fromMs ?? Infinity) <= sinceMs &&
    assignments.at(-1)?.toMs === Infinity &&
    assignments.every((one, index) => index === 0 || one.fromMs === assignments[index - 1]?.toMs);
  return gapless || zone.name === "UTC";
}

/** Whether `now` includes all periods before `untilMs` that `before` included. */
export function coversPeriodsOf(now: Subject, before: Subject, untilMs: number): boolean {
  return clipSlices(before.slices, -Infinity, untilMs).every((slice) => isCovered(slice, now.slices));
}

function isCovered({ sensorNum, fromMs, toMs }: SensorSlice, slices: readonly SensorSlice[]): boolean {
  let at = fromMs;
  const own = slices.filter((slice) => slice.sensorNum === sensorNum).toSorted((a, b) => a.fromMs - b.fromMs);
  for (const slice of own) if (slice.fromMs <= at) at = Math.max(at, slice.toMs);
  return at >= toMs;
}

/** Returns the line ids that the device uses, by sensor number. */
export async function findLineIds(reader: Reader, sensorNums: readonly number[]): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ num: number; ids: string[] }>`select sensor_num as num, line_ids as ids from counter
    where sensor_num = any(${toPgArray(sensorNums)}::int[])`.execute(reader);
  return new Map(rows.map((row) => [row.num, row.ids]));
}
