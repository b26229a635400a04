// Streams datapoints and their sums. All checks run before the first byte is sent.
import type * as calls from "@psp/contract/datapoint/datapoint.api.ts";
import { type AggregationPeriod, type AggregateRow, dataLimits } from "@psp/contract/datapoint/datapoint.api.ts";
import { type Datapoint, type DatapointType, datapointTypes } from "@psp/contract/datapoint/datapoint.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller, LongCall } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import {
  aggregate,
  type Bucket,
  findFirstCountMs,
  hasKnownData,
  minPartialCompleteness,
} from "../counts/aggregate.store.ts";
import { findBucketStart, countBuckets, type Range, clipToCurrentBucket } from "../counts/bucket.rules.ts";
import { toCountSum } from "../counts/count-sum.rules.ts";
import { requireSubject } from "../counts/subject.service.ts";
import { findEarliestStart, pointSources } from "./point.store.ts";
import { parseFilter, resolveRange } from "../counts/range.rules.ts";
import type { SheetRow, SheetSubject } from "./sheet.wire.ts";
import { coversPeriodsOf, type Subject } from "../counts/subject.store.ts";
import { dayMs, localIso } from "@psp/contract/kit/zone.ts";
import { utcMonth, utcMonthStart } from "../count/month.rules.ts";

type Requested = { text: string; type: DatapointType | null; subject: Subject; range: Range };
type Download = HandlerInput<typeof calls.downloadCsv>["query"];
type Aggregate = HandlerInput<typeof calls.aggregateCsv>["query"];
/** `shown` lists the requested subjects and ranges. It is complete before the first row is read. */
export type DataStream<R> = { shown: readonly SheetSubject[]; rows: AsyncGenerator<SheetRow<R>> };

/** Resolves each filter to an object and a range in the object's time zone. Throws 105 if the object is not visible. */
async function resolve(ctx: Context, caller: Caller, query: Download): Promise<Requested[]> {
  const filters = query.filter.map(parseFilter);
  const requested: Requested[] = [];
  for (const { text, type, kind, id } of filters) {
    const subject = await requireSubject(ctx, caller, kind, id);
    requested.push({ text, type, subject, range: resolveRange(query, subject.zone, ctx.clock.now()) });
  }
  return requested;
}

/** Aborts a download when the caller may no longer see its content: a sensor changed owner, or the caller lost a role. */
function endWithView(ctx: Context, longCall: LongCall, query: Download, requested: readonly Requested[]): void {
  const sinceMs = ctx.clock.now();
  longCall.reliesOn(async (now) => {
    const still = await resolve({ ...ctx, db: ctx.primary }, now, query);
    if (!requested.every(({ subject }, n) => still[n] && coversPeriodsOf(still[n].subject, subject, sinceMs)))
      throw new AppError(errorCode.notFound, { field: "filter" });
  });
}

/**
 * Rows are ordered by filter and type. Counts are then ordered by sensor and time, other types by time. Invalid requests are refused
 * before anything is streamed.
 */
export async function streamDatapoints(
  ctx: Context,
  longCall: LongCall,
  query: Download,
): Promise<DataStream<Datapoint>> {
  const requested = await resolve(ctx, longCall.caller, query);
  endWithView(ctx, longCall, query, requested);
  const rows = (async function* () {
    for (const shown of requested) {
      const types = shown.type ? [shown.type] : datapointTypes;
      for (const type of types)
        for await (const row of pointsOf(ctx, type, shown.subject, shown.range)) yield { shown, row };
    }
  })();
  return { shown: requested, rows };
}

/** Reads counts by sensor and month, and other types by day, so that only a few thousand datapoints are in memory. */
async function* pointsOf(ctx: Context, type: DatapointType, subject: Subject, range: Range) {
  const source = pointSources[type];
  if (type !== "counting") {
    const histogram = await source.histogram(ctx.db, subject, range);
    for (const day of [...histogram.keys()].toSorted((a, b) => a - b)) {
      const part = { from: Math.max(range.from, day * dayMs), to: Math.min(range.to, (day + 1) * dayMs) };
      yield* inOrder(await source.load(ctx.db, subject, part));
    }
    return;
  }
  for (const slice of subject.slices) {
    const from = Math.max(range.from, slice.fromMs, await findFirstCountMs(ctx.db, [slice.sensorNum]));
    const to = Math.min(range.to, slice.toMs);
    if (from >= to) continue;
    for (let month = utcMonth(from); month <= utcMonth(to - 1); month += 1) {
      const part = { from: Math.max(from, utcMonthStart(month)), to: Math.min(to, utcMonthStart(month + 1)) };
      yield* inOrder(await source.load(ctx.db, { ...subject, slices: [slice] }, part));
    }
  }
}

function inOrder(points: Datapoint[]): Datapoint[] {
  return points.sort((a, b) => (a.startUTC < b.startUTC ? -1 : a.startUTC > b.startUTC ? 1 : a.id < b.id ? -1 : 1));
}

/**
 * Sums each filter by bucket, including empty buckets, up to the current bucket. Without `from` or a preset, rows begin with the first
 * bucket that has data. Invalid requests are refused before anything is streamed.
 */
export async function streamAggregates(
  ctx: Context,
  longCall: LongCall,
  query: Aggregate,
): Promise<DataStream<AggregateRow>> {
  for (const { type } of query.filter.map(parseFilter)) {
    if (type && query.type && type !== query.type)
      throw new AppError(errorCode.invalidArgument, { field: "type", reason: "Differs from the filter's" });
    if ((type ?? query.type ?? "counting") !== "counting")
      throw new AppError(errorCode.invalidArgument, { field: "type", reason: "Only counting can be summed" });
  }
  const nowMs = ctx.clock.now();
  const requested = await resolve(ctx, longCall.caller, query);
  const isOpen = query.from === undefined && query.preset === undefined;
  for (const one of requested) one.range = await summedRange(ctx, one, { acc: query.acc, isOpen, nowMs });
  requireFewRows(requested, query.acc);
  endWithView(ctx, longCall, query, requested);
  const rows = (async function* () {
    for (const one of requested) {
      let hasBegun = !isOpen || query.acc === "total";
      for await (const bucket of aggregate(ctx.db, one.subject, { acc: query.acc, range: one.range, nowMs })) {
        hasBegun ||= hasKnownData(bucket);
        if (hasBegun) yield { shown: one, row: toRow(one, bucket, query.open === true) };
      }
    }
  })();
  return { shown: requested, rows };
}

type Summing = { acc: AggregationPeriod; isOpen: boolean; nowMs: number };

/** Ends the range with the current bucket. If the query has no start, begins the range with the first data. */
async function summedRange(ctx: Context, { subject, range }: Requested, { acc, isOpen, nowMs }: Summing) {
  const past = clipToCurrentBucket(subject.zone, acc, range, nowMs);
  if (!isOpen) return past;
  const firstMs = await findEarliestStart(ctx.db, subject.slices);
  if (firstMs < past.to) return { ...past, from: Math.max(past.from, findBucketStart(subject.zone, acc, firstMs)) };
  return acc === "total" ? past : { from: past.to, to: past.to };
}

function toRow({ text, subject: { zone, hoursAt } }: Requested, bucket: Bucket, isOpenOnly: boolean): AggregateRow {
  const { from, to } = bucket;
  const sums = toCountSum(bucket, isOpenOnly);
  const isClosed = hoursAt(from)?.time.msBetween(from, to) === 0;
  return {
    filter: text,
    type: "counting",
    start: localIso(zone, from),
    end: localIso(zone, to),
    startUTC: new Date(from).toISOString(),
    endUTC: new Date(to).toISOString(),
    data: { in: sums.in, out: sums.out },
    // While closed, nothing can be missing.
    completeness: sums.in === null ? 0 : Math.max(minPartialCompleteness, sums.completeness ?? (isClosed ? 1 : 0)),
  };
}

function requireFewRows(requested: readonly Requested[], acc: AggregationPeriod): void {
  const rows = requested.reduce((sum, { subject, range }) => sum + countBuckets(subject.zone, acc, range), 0);
  if (rows <= dataLimits.rows) return;
  const reason = `More than ${dataLimits.rows} rows. Choose a shorter range, fewer filters or longer steps`;
  throw new AppError(errorCode.invalidArgument, { field: "acc", reason, rows });
}
