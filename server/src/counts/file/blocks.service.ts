// Reads the blocks of a file, a few locations at a time, so that memory does not grow with the file.
import { type BucketSize, type Comparison, parseRange } from "@psp/contract/counts/count-range.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../../context.ts";
import { findEventsOfLocations } from "../../event/event.service.ts";
import type { Caller } from "../../kit/caller.ts";
import { type DescribedLocation, describeLocations } from "../../location/location.counted.service.ts";
import type { LocationGroup } from "../group/group.store.ts";
import { createExclusion } from "../notes.service.ts";
import { createTurns } from "../../kit/limits/turns.ts";
import { findLocationStays } from "../place-sums.store.ts";
import { type Calendar, placesIn } from "./calendar.rules.ts";
import {
  type CountMode,
  createGroupSums,
  type FileRow,
  factsOf,
  planZone,
  type Read,
  toLocationRow,
  type ZonePlan,
} from "./rows.rules.ts";
import { findFileSales } from "./file-sales.service.ts";
import { sumSeries } from "./series.store.ts";
import type { Steps } from "./steps.rules.ts";

export type Reading = {
  ctx: Context;
  caller: Caller;
  range: string | undefined;
  by: BucketSize;
  compare: Comparison | undefined;
  /** Whether only opening hours count. Locations without opening hours are always open. */
  isOpenOnly: boolean;
  nowMs: number;
  hasSales: boolean;
};

export type BlockSubject =
  | { kind: "location"; location: DescribedLocation }
  | { kind: "group"; name: string | null; locations: number };

/** The rows of one location or group, in order. `steps` are those of its zone, or of the local calendar for groups. */
export type Block = {
  subject: BlockSubject;
  steps: Steps;
  rows: Iterable<[index: number, row: FileRow]>;
};

/** Buckets in memory at a time. The first batch is small, so that the download starts quickly. */
const bucketsAtOnce = 12_000;
const firstBuckets = 1_000;
const locationsAtOnce = 500;

export async function* locationBlocks(
  reading: Reading,
  ids: readonly string[],
  buckets: number,
): AsyncGenerator<Block> {
  const planOf = createPlans(reading);
  for await (const batch of readAhead(batchesOf(ids, buckets), (some) => readLocations(reading, some, planOf))) {
    for (const { location, plan, read } of batch)
      yield {
        subject: { kind: "location", location },
        steps: plan.steps,
        rows: locationRows(plan, read, reading),
      };
  }
}

function* locationRows(plan: ZonePlan, read: Read, mode: CountMode): Generator<[number, FileRow]> {
  let index = 0;
  for (const facts of factsOf(plan, read, mode)) yield [index++, toLocationRow(facts, mode.isOpenOnly)];
}

type Grouped = { ids: readonly string[]; groups: readonly LocationGroup[]; calendar: Calendar };

/** Reads one group after the other. A location in several groups is read for each, so that only one group is in memory. */
export async function* groupBlocks(reading: Reading, { ids, groups, calendar }: Grouped): AsyncGenerator<Block> {
  const planOf = createPlans(reading);
  const places = new WeakMap<Steps, Int32Array>();
  const nextTurn = createTurns();
  for (const { name, members } of groups) {
    const sums = createGroupSums(calendar.steps.count, reading.isOpenOnly);
    const own = members.flatMap((member) => ids[member] ?? []);
    const batches = batchesOf(own, calendar.steps.count);
    for await (const batch of readAhead(batches, (some) => readLocations(reading, some, planOf))) {
      for (const { plan, read } of batch) {
        const at = places.get(plan.steps) ?? placesIn(calendar, plan.steps);
        places.set(plan.steps, at);
        let index = 0;
        for (const facts of factsOf(plan, read, reading)) sums.take(at[index++] ?? -1, facts);
        await nextTurn();
      }
    }
    yield { subject: { kind: "group", name, locations: members.length }, steps: calendar.steps, rows: sums.rows() };
  }
}

/** Maximum number of buckets in cached plans. Twenty years of hours in hundreds of zones would exhaust the memory. */
const maxPlanned = 400_000;

/** Plans are shared by zone. */
function createPlans({ by, compare, nowMs, range }: Reading): (timezone: string | null) => ZonePlan {
  const plans = new Map<string, ZonePlan>();
  let planned = 0;
  return (timezone) => {
    const zone = zoneOf(timezone);
    const known = plans.get(zone.name);
    if (known) return known;
    const plan = planZone(zone, parseRange(range, zone.dayAt(nowMs)), { by, compare, nowMs });
    const size = plan.steps.count + (plan.earlier?.steps.count ?? 0);
    if (planned + size > maxPlanned) {
      plans.clear();
      planned = 0;
    }
    plans.set(zone.name, plan);
    planned += size;
    return plan;
  };
}

function* batchesOf(ids: readonly string[], buckets: number): Generator<readonly string[]> {
  let size = Math.max(1, Math.floor(firstBuckets / Math.max(1, buckets)));
  const most = Math.min(locationsAtOnce, Math.max(1, Math.floor(bucketsAtOnce / Math.max(1, buckets))));
  for (let from = 0; from < ids.length;) {
    size = Math.min(size, most);
    yield ids.slice(from, from + size);
    from += size;
    size *= 3;
  }
}

type ReadLocation = { location: DescribedLocation; plan: ZonePlan; read: Read };

async function readLocations(
  reading: Reading,
  ids: readonly string[],
  planOf: (timezone: string | null) => ZonePlan,
): Promise<ReadLocation[]> {
  const { ctx, caller } = reading;
  const locations = await describeLocations(ctx, caller, ids);
  const places = await findLocationStays(ctx.db, locations);
  const asked = places.flatMap((place, index) => {
    const location = locations[index];
    return location ? [{ location, place, plan: planOf(location.timezone) }] : [];
  });
  const now = await sumSeries(
    ctx.db,
    asked.map(({ place, plan }) => ({ place, steps: plan.steps })),
  );
  const compared = asked.flatMap(({ place, plan }) => (plan.earlier ? [{ place, steps: plan.earlier.steps }] : []));
  const before = compared.length > 0 ? await sumSeries(ctx.db, compared) : [];
  const exclusions = await findExclusions(ctx, caller, asked);
  const sales = reading.hasSales
    ? await findFileSales(ctx, caller, asked, { ...reading, byHour: reading.by === "hour" })
    : [];
  return asked.flatMap(({ location, plan, place }, index) => {
    const series = now[index];
    return series
      ? [
          {
            location,
            plan,
            read: {
              place,
              now: series,
              before: before[index] ?? null,
              isExcluded: exclusions(place.id),
              salesOf: sales[index] ?? null,
            },
          },
        ]
      : [];
  });
}

type Planned = { place: { id: string }; plan: ZonePlan };

/** Returns for each location which days its events leave out of comparisons. */
async function findExclusions(ctx: Context, caller: Caller, asked: readonly Planned[]) {
  const compared = asked.filter(({ plan }) => plan.earlier !== null);
  const first = Math.min(...compared.map(({ plan: { days, earlier } }) => days.first - (earlier?.shift ?? 0)));
  const last = Math.max(...compared.map(({ plan: { days } }) => days.last));
  const ids = compared.map(({ place }) => place.id);
  const events = ids.length > 0 ? await findEventsOfLocations(ctx, caller, ids, first, last) : new Map<string, never>();
  return (id: string) => createExclusion(events.get(id) ?? []);
}

/** Reads one batch ahead of the one that is being written, so that a slow client slows down the reading. */
async function* readAhead<B, R>(batches: Iterable<B>, read: (batch: B) => Promise<R>): AsyncGenerator<R> {
  const iterator = batches[Symbol.iterator]();
  const start = (): Promise<R> | null => {
    const next = iterator.next();
    if (next.done === true) return null;
    const reading = read(next.value);
    // Prevents an unhandled rejection if the client disconnects before this is awaited.
    reading.catch(() => undefined);
    return reading;
  };
  for (let reading = start(); reading !== null;) {
    const current = await reading;
    reading = start();
    yield current;
  }
}
