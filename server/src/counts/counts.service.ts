// Computes the counts page of a location or sensor: a range of local days, its change, and its typical week.
import type * as calls from "@psp/contract/counts/counts.api.ts";
import type { CountBucket, Counts } from "@psp/contract/counts/counts.api.ts";
import {
  percentChange,
  minCompleteness,
  dateOfDay,
  type DayRange,
  defaultBucketSize,
  maxBuckets,
  parseRange,
  type BucketSize,
} from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { hourMs, localIso, type Zone } from "@psp/contract/kit/zone.ts";
import { aggregate, type Bucket, computeCompleteness, findFirstCountMs } from "./aggregate.store.ts";
import { addExpected, createNothing, type Expected, subtract, toCountSum, toOutside } from "./count-sum.rules.ts";
import { countBuckets, type Range } from "./bucket.rules.ts";
import { findPageSales } from "./conversion/page-sales.service.ts";
import { findNotes } from "./notes.service.ts";
import { findSkippedDays } from "./skipped-days.rules.ts";
import { requireSubject } from "./subject.service.ts";
import { parseFilter } from "./range.rules.ts";
import { scaleExpected } from "./stay.store.ts";
import type { Subject } from "./subject.store.ts";
import { computeEarlierPeriod, matchBuckets, rangeOfDays } from "./period.rules.ts";

function subjectOf(ctx: Context, caller: Caller, filter: string): Promise<Subject> {
  const { kind, id, type } = parseFilter(filter);
  if (type !== null && type !== "counting")
    throw new AppError(errorCode.invalidArgument, { field: "filter", reason: "Only counting can be summed" });
  return requireSubject(ctx, caller, kind, id);
}

export async function getCounts(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.getCounts>["query"],
): Promise<Counts> {
  const subject = await subjectOf(ctx, caller, query.filter);
  const { zone } = subject;
  const nowMs = ctx.clock.now();
  const today = zone.dayAt(nowMs);
  const days = parseRange(query.range, today);
  const by = query.by ?? defaultBucketSize(days);
  const range = rangeOfDays(zone, days);
  requireFewBuckets(zone, by, range);
  const { compare = "previous", open: isOpenOnly = false } = query;
  const earlier = computeEarlierPeriod(zone, days, compare, nowMs);
  const { notes, isExcluded } = await findNotes(ctx, caller, subject, days, earlier.shift);
  const skipped = findSkippedDays(days, earlier.shift, today, {
    isClosed: (day) => isOpenOnly && subject.hoursAt(zone.dayStart(day))?.time.isClosedDay(day) === true,
    isExcluded,
  });
  const [shown, before, fine] = await Promise.all([
    bucketsIn(ctx, subject, by, range, nowMs),
    bucketsIn(ctx, subject, "total", earlier.part, nowMs),
    query.compare === undefined ? null : bucketsIn(ctx, subject, by === "hour" ? "hour" : "day", earlier.range, nowMs),
  ]);
  const beforeRows = fine === null ? [] : pairUp(shown, fine, matchBuckets(zone, by, shown, earlier.shift));
  const sums = sumUp(shown);
  const earlierSums = sumUp(before);
  const like = await leaveOutDays(ctx, subject, { range, part: earlier.part, shift: earlier.shift, nowMs }, skipped);
  const sales = await findPageSales(ctx, caller, {
    subject,
    by,
    shown,
    days,
    earlier,
    skipped,
    mode: { nowMs, isOpenOnly },
  });
  const { from, to } = earlier.part;
  const rest = subtract(earlierSums, like.earlier);
  const leftOut = skipped.map((day) => rangeOfDays(zone, { first: day - earlier.shift, last: day - earlier.shift }));
  const expectedMs = scaleExpected(rest.expectedMs, subject.expected, { from, to }, leftOut);
  const now = toCountSum(subtract(sums, like.now), isOpenOnly);
  const compared = toCountSum({ ...rest, expectedMs }, isOpenOnly);
  const hasOpeningHours = shown.some((bucket) => subject.hoursAt(bucket.from) !== null);
  return {
    timezone: zone.name,
    now: new Date(nowMs).toISOString(),
    today: dateOfDay(today),
    ...dates(days),
    by,
    total: toCountSum(sums, isOpenOnly),
    rows: shown.map((bucket) => toBucket(subject, bucket, isOpenOnly)),
    hasOpeningHours,
    outside: hasOpeningHours ? toOutside(sums) : null,
    notes,
    earlier: {
      ...dates(earlier.days),
      total: toCountSum(earlierSums, isOpenOnly),
      rows: beforeRows.map((row) => toCountSum(row, isOpenOnly)),
      skippedDays: skipped.length,
    },
    change: { in: percentChange(now, compared, "in"), out: percentChange(now, compared, "out") },
    sales,
  };
}

const dates = ({ first, last }: DayRange) => ({ first: dateOfDay(first), last: dateOfDay(last) });

function requireFewBuckets(zone: Zone, by: BucketSize, range: Range): void {
  if (countBuckets(zone, by, range) <= maxBuckets) return;
  throw new AppError(errorCode.invalidArgument, {
    field: "by",
    reason: `More than ${maxBuckets} steps. Choose longer steps or a shorter range`,
  });
}

async function bucketsIn(ctx: Context, subject: Subject, acc: BucketSize | "total", range: Range, nowMs: number) {
  return Array.fromAsync(aggregate(ctx.db, subject, { acc, range, nowMs }));
}

function sumUp(buckets: readonly Bucket[]): Expected {
  const sums = createNothing();
  for (const bucket of buckets) addExpected(sums, bucket);
  return sums;
}

type Compared = { range: Range; part: Range; shift: number; nowMs: number };

/** Sums the days to leave out, on both sides of a comparison. */
async function leaveOutDays(ctx: Context, subject: Subject, compared: Compared, skipped: readonly number[]) {
  const { zone } = subject;
  const { range, part, shift, nowMs } = compared;
  const sides = { now: createNothing(), earlier: createNothing() };
  if (skipped.length === 0) return sides;
  const all = new Set(skipped);
  const add = async (into: Expected, within: Range, distance: number) => {
    for (const bucket of await bucketsIn(ctx, subject, "day", within, nowMs))
      if (all.has(zone.dayAt(bucket.from) + distance)) addExpected(into, bucket);
  };
  await Promise.all([add(sides.now, range, 0), add(sides.earlier, part, shift)]);
  return sides;
}

/** Sums the earlier buckets by the shown bucket that they are compared with. */
function pairUp(shown: readonly Bucket[], earlier: readonly Bucket[], partnerOf: (earlierMs: number) => number) {
  const pairs = shown.map(createNothing);
  for (const one of earlier) {
    const pair = pairs[partnerOf(one.from)];
    if (pair !== undefined) addExpected(pair, one);
  }
  return pairs;
}

function toBucket({ zone, hoursAt }: Subject, bucket: Bucket, isOpenOnly: boolean): CountBucket {
  const { from, to } = bucket;
  return {
    start: localIso(zone, from),
    end: localIso(zone, to),
    startUTC: new Date(from).toISOString(),
    endUTC: new Date(to).toISOString(),
    ...toCountSum(bucket, isOpenOnly),
    closed: hoursAt(from)?.time.msBetween(from, to) === 0,
  };
}

type Mean = { in: number; out: number; hours: number };

/** Computes means by weekday and local hour. Uses only hours that are sufficiently known. */
export async function getTypicalWeek(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.getTypicalWeek>["query"],
): Promise<calls.TypicalWeek> {
  const subject = await subjectOf(ctx, caller, query.filter);
  const { zone } = subject;
  const nowMs = ctx.clock.now();
  const range = rangeOfDays(zone, parseRange(query.range, zone.dayAt(nowMs)));
  // Skips the time before the first count.
  const firstMs = await findFirstCountMs(
    ctx.db,
    subject.slices.map(({ sensorNum }) => sensorNum),
  );
  const knownFrom = firstMs < range.to ? zone.dayStart(zone.dayAt(firstMs)) : range.to;
  const week = Array.from({ length: 7 }, () => Array.from({ length: 24 }, (): Mean => ({ in: 0, out: 0, hours: 0 })));
  const hours = aggregate(ctx.db, subject, {
    acc: "hour",
    range: { from: Math.max(range.from, knownFrom), to: Math.min(range.to, nowMs) },
    nowMs,
  });
  // While closed, no one is expected to be counted, but a call without `open` shows those who were.
  const closedShare = ({ from, to, knownMs }: Bucket) =>
    query.open || subject.hoursAt(from) === null ? 0 : knownMs / (to - from);
  for await (const bucket of hours) {
    const { offsetMs } = zone.spanAt(bucket.from);
    // The current hour is incomplete, unless it has just ended.
    const isUnderWay = bucket.to === nowMs && (nowMs + offsetMs) % hourMs !== 0;
    if (isUnderWay || (computeCompleteness(bucket) ?? closedShare(bucket)) < minCompleteness) continue;
    const hour = Math.floor((bucket.from + offsetMs) / hourMs);
    // Day 0 was a Thursday.
    const cell = week[(Math.floor(hour / 24) + 3) % 7]?.[hour % 24];
    if (!cell) continue;
    cell.in += query.open ? bucket.openIn : bucket.in;
    cell.out += query.open ? bucket.openOut : bucket.out;
    cell.hours += 1;
  }
  const mean = (sum: number, hours: number) => Math.round((sum / hours) * 10) / 10;
  return {
    days: week.map((day) =>
      day.map(({ hours, ...sum }) =>
        hours === 0 ? null : { in: mean(sum.in, hours), out: mean(sum.out, hours), hours },
      ),
    ),
  };
}
