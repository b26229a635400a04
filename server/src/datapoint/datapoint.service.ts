// Lists datapoints and refused records, and adds occupancy that people enter.
import type * as calls from "@psp/contract/datapoint/datapoint.api.ts";
import {
  type Datapoint,
  type DatapointType,
  datapointTypes,
  occupancyDataSchema,
} from "@psp/contract/datapoint/datapoint.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput, ReplyOf } from "@psp/contract/kit/endpoint.ts";
import { type SortKey, sortKeys } from "@psp/contract/kit/page.ts";
import { getOwner } from "../owned/owner.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { keepPartitions } from "../count/partition/partition.store.ts";
import type { Reader } from "../db/database.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { write } from "../db/write.ts";
import { locationReasons } from "../location/location.reasons.ts";
import { toDatapoint } from "./datapoint.wire.ts";
import { type DayHistogram, pointSources, putOccupancy } from "./point.store.ts";
import type { Range } from "../counts/bucket.rules.ts";
import { earliestMs, latestMs } from "../counts/range.rules.ts";
import { listDeadLetters } from "../device/record/dead-letter.store.ts";
import { requireSubject } from "../counts/subject.service.ts";
import { findSensorSubject, type Subject } from "../counts/subject.store.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";

export { requireSubject };

type ListQuery = HandlerInput<typeof calls.listSensorDatapoints>["query"];

export async function listDatapoints(ctx: Context, whole: Subject, query: ListQuery) {
  const { sens } = query;
  const subject = sens ? { ...whole, slices: whole.slices.filter((slice) => sens.includes(slice.sensorId)) } : whole;
  const range = {
    from: Math.max(earliestMs, query.from ? Date.parse(query.from) : -Infinity),
    to: Math.min(latestMs, query.to ? Date.parse(query.to) : Infinity),
  };
  const types = datapointTypes
    .filter((type) => !query.type || query.type.includes(type))
    // Occupancy belongs to the location itself, not to a sensor.
    .filter((type) => type !== "occupancy" || !query.sens);
  const sort = sortKeys(query);
  const skip = query.skip ?? 0;
  const limit = query.limit ?? ctx.config.pageSize;
  // All reads use one snapshot. Otherwise, counts that are packed between two reads would be counted twice.
  const reading = ctx.db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return reading.execute(async (tx) => {
    await keepPartitions(tx);
    let total = 0;
    const objects: Datapoint[] = [];
    for (const group of groupsOf(types, sort)) {
      const histogram = await histogramOf(tx, subject, group, range);
      const part = { skip: Math.max(0, skip - total), limit: limit - objects.length };
      objects.push(...(await pageOf(tx, subject, group, range, histogram, sort, part)));
      for (const n of histogram.values()) total += n;
    }
    return { objects, total };
  });
}

/** Returns one group per type if the list is sorted by type first, otherwise one group with all types. */
function groupsOf(types: readonly DatapointType[], sort: readonly SortKey[]): DatapointType[][] {
  if (sort[0]?.field !== "type") return [[...types]];
  const sorted = types.toSorted();
  return (sort[0].descending ? sorted.toReversed() : sorted).map((type) => [type]);
}

async function histogramOf(reader: Reader, subject: Subject, types: readonly DatapointType[], range: Range) {
  const sum: DayHistogram = new Map();
  for (const type of types) {
    const histogram = await pointSources[type].histogram(reader, subject, range);
    for (const [day, n] of histogram) sum.set(day, (sum.get(day) ?? 0) + n);
  }
  return sum;
}

async function pageOf(
  reader: Reader,
  subject: Subject,
  types: readonly DatapointType[],
  range: Range,
  histogram: DayHistogram,
  sort: readonly SortKey[],
  { skip, limit }: { skip: number; limit: number },
): Promise<Datapoint[]> {
  if (limit <= 0) return [];
  const time = sort.find((key) => key.field !== "type") ?? { field: "startUTC", descending: false };
  const sign = time.descending ? -1 : 1;
  const days = [...histogram].toSorted(([a], [b]) => (a - b) * sign);
  let before = 0;
  let at = 0;
  for (; at < days.length && before + (days[at]?.[1] ?? 0) <= skip; at += 1) before += days[at]?.[1] ?? 0;
  const picked: number[] = [];
  for (let n = before; at < days.length && n < skip + limit; at += 1) {
    picked.push(days[at]?.[0] ?? 0);
    n += days[at]?.[1] ?? 0;
  }
  if (picked.length === 0) return [];
  const from = Math.max(range.from, Math.min(...picked) * dayMs);
  const to = Math.min(range.to, (Math.max(...picked) + 1) * dayMs);
  const found: Datapoint[] = [];
  for (const type of types) found.push(...(await pointSources[type].load(reader, subject, { from, to })));
  const field = time.field === "endUTC" ? "endUTC" : "startUTC";
  found.sort(
    (a, b) =>
      sign * (order(a[field], b[field]) || order(a.startUTC, b.startUTC)) || order(a.type, b.type) || order(a.id, b.id),
  );
  return found.slice(skip - before, skip - before + limit);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Adds occupancy to a location, or replaces the value with the same start. Throws 102 for other types, which only devices and the
 * server create, and 305 without the right to edit the location.
 */
export async function createDatapoint(
  ctx: Context,
  caller: Caller,
  id: string,
  body: HandlerInput<typeof calls.createDatapoint>["body"],
): Promise<ReplyOf<typeof calls.createDatapoint>> {
  const subject = await requireSubject(ctx, caller, "location", id);
  if (body.type !== "occupancy")
    throw new AppError(errorCode.invalidArgument, { field: "type", reason: "Only occupancy can be added" });
  const data = occupancyDataSchema.safeParse(body.data);
  if (!data.success) throw new AppError(errorCode.datapointFormat, { field: "data" });
  const startMs = Date.parse(body.startUTC);
  const endMs = Date.parse(body.endUTC);
  if (startMs < earliestMs || endMs >= latestMs)
    throw new AppError(errorCode.invalidArgument, { field: "startUTC", reason: "Not in this century" });
  if (endMs < startMs)
    throw new AppError(errorCode.invalidArgument, { field: "endUTC", reason: "Should not be before startUTC" });
  if (!subject.canEdit)
    throw new AppError(errorCode.noEdit, locationReasons.edit(caller, await getOwner(ctx.db, subject.owner.id)));
  return write(ctx, caller, async (w) => {
    const pointId = uuidv7(ctx.clock.now());
    const kept = await putOccupancy(w.tx, { locationId: id, startMs, endMs, id: pointId, count: data.data.count });
    const stored = { id: kept, type: "occupancy", sens: null, startMs, endMs, data: data.data } as const;
    const point = toDatapoint(stored, { locationId: id, zone: subject.zone });
    w.audit({ action: "create", object: { type: "datapoint", _id: point.id }, owner: subject.owner, after: point });
    return { _id: point.id, ...point };
  });
}

/** Lists the refused records of a sensor; empty if the sensor is unknown. Throws 305 without the right to edit the sensor. */
export async function listSensorDeadLetters(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.listDeadLetters>["query"],
): Promise<ReplyOf<typeof calls.listDeadLetters>> {
  const subject = await findSensorSubject(ctx.db, caller, query.sens);
  // The last slice is the current owner's.
  const slice = subject?.slices.at(-1);
  if (!subject || !slice) return { objects: [], total: 0 };
  if (!subject.canEdit) throw new AppError(errorCode.noEdit);
  const { letters, total } = await listDeadLetters(ctx.db, slice.sensorNum, {
    skip: query.skip ?? 0,
    limit: query.limit ?? ctx.config.pageSize,
    descending: sortKeys(query)[0]?.descending ?? true,
    since: slice.fromMs,
  });
  return { objects: letters.map((letter) => ({ ...letter, at: letter.at.toISOString(), sens: query.sens })), total };
}
