// Streams the counts of many locations, or of groups of them, as the blocks of one file. All checks run before the first byte is sent.
import { type countsFile, fileLimits } from "@psp/contract/counts/counts-file.api.ts";
import {
  type BucketSize,
  dateOfDay,
  type DayRange,
  defaultBucketSize,
  parseRange,
} from "@psp/contract/counts/count-range.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../kit/app-error.ts";
import type { LongCall } from "../../kit/caller.ts";
import {
  countLocationsByZone,
  describeLocations,
  findLocationIdsByName,
  requireEditableLocations,
  requireVisibleLocations,
} from "../../location/location.counted.service.ts";
import { findLocationsWithSales } from "../../sales/sales.service.ts";
import { clipToCurrentBucket, countBuckets, type Range } from "../bucket.rules.ts";
import { longest } from "../compare/compare.service.ts";
import { maxMemberships } from "../group/group.rules.ts";
import { countGroups, findGroups, type LocationGroup } from "../group/group.store.ts";
import { rangeOfDays } from "../period.rules.ts";
import { type Calendar, calendarRange, countCalendar, createCalendar } from "./calendar.rules.ts";
import type { Lead } from "./columns.rules.ts";
import { groupBlocks, locationBlocks, type Reading } from "./blocks.service.ts";
import type { Block } from "./blocks.service.ts";

export type FileQuery = HandlerInput<typeof countsFile>["query"];

export type CountsFile = {
  lead: Lead;
  by: BucketSize;
  /** Present if the file is wide. */
  calendar: Calendar | null;
  /** Whether the file has columns for sales. */
  hasSales: boolean;
  blocks: AsyncGenerator<Block>;
  /** Content, first day, last day and bucket size, for the name of the file. */
  nameParts: string[];
};

type InZone = { zone: Zone; days: DayRange; range: Range; locations: number };

/** Columns of a wide file that are not buckets. */
const leadColumns = { location: 6, group: 2 } as const;

/** The long layout includes sales that the caller may read, unless `omitSales`. */
export async function openCountsFile(
  ctx: Context,
  longCall: LongCall,
  query: FileQuery,
  { omitSales = false } = {},
): Promise<CountsFile> {
  const { caller } = longCall;
  const {
    range,
    compare,
    open: isOpenOnly = false,
    layout,
    groupBy = "none",
    ids,
    name,
    tag,
    tagAny,
    ownerID,
    ...more
  } = query;
  const { country, occupancy, format } = more;
  const filter = { ids, name, tag, tagAny, ownerID, country, occupancy };
  const nowMs = ctx.clock.now();
  const found = (await countLocationsByZone(ctx, caller, filter)).map(({ timezone, n }) => {
    const zone = zoneOf(timezone);
    return { zone, days: parseRange(range, zone.dayAt(nowMs)), locations: n };
  });
  const utcDays = parseRange(range, zoneOf(null).dayAt(nowMs));
  const by = query.by ?? defaultBucketSize(longest([utcDays, ...found.map(({ days }) => days)]));
  const zones = found.map((one): InZone => {
    return { ...one, range: clipToCurrentBucket(one.zone, by, rangeOfDays(one.zone, one.days), nowMs) };
  });
  const all = zones.reduce((sum, { locations }) => sum + locations, 0);
  requireAtMost("locations", fileLimits.locations, all);
  const calendarSpan = calendarRange(by, zones);
  const buckets = countCalendar(by, calendarSpan);
  const lead = groupBy === "none" ? "location" : "group";
  if (layout === "wide") requireAtMost("columns", fileLimits.columns, leadColumns[lead] + buckets);
  const maxRows = format === "xlsx" ? fileLimits.xlsxRows : fileLimits.csvRows;
  const rows = zones.reduce((sum, { zone, range: part, locations }) => {
    return sum + locations * countBuckets(zone, by, part);
  }, 0);
  // Also bounds the work of a wide or grouped file, which has fewer rows.
  requireAtMost("rows", lead === "location" && layout === "long" ? maxRows : fileLimits.csvRows, rows);
  const locationIds = await findLocationIdsByName(ctx, caller, filter, fileLimits.locations);
  const groups =
    groupBy === "none"
      ? null
      : await groupsOf(ctx, locationIds, groupBy, { buckets, maxRows, isLong: layout === "long" });
  if (layout === "wide") requireAtMost("rows", maxRows, groups?.length ?? locationIds.length);
  const withSales =
    layout === "wide" || omitSales ? [] : await findLocationsWithSales(ctx.db, caller, locationIds, wholeRange(zones));
  const hasSales = withSales.length > 0;
  const checking = { ...ctx, db: ctx.primary };
  longCall.reliesOn(async (now) => {
    await requireVisibleLocations(checking, now, locationIds);
    if (hasSales) await requireEditableLocations(checking, now, withSales);
  });
  const reading: Reading = { ctx, caller, range, by, compare, isOpenOnly, nowMs, hasSales };
  const calendar = createCalendar(by, calendarSpan);
  const shownDays = zones.length === 0 ? [utcDays] : zones.map(({ days }) => days);
  return {
    lead,
    by,
    calendar: layout === "wide" ? calendar : null,
    hasSales,
    blocks: groups
      ? groupBlocks(reading, { ids: locationIds, groups, calendar })
      : locationBlocks(reading, locationIds, buckets),
    nameParts: [
      await contentName(ctx, longCall, locationIds, groupBy),
      dateOfDay(Math.min(...shownDays.map(({ first }) => first))),
      dateOfDay(Math.max(...shownDays.map(({ last }) => last))),
      by,
    ],
  };
}

const wholeRange = (zones: readonly InZone[]): Range => ({
  from: Math.min(...zones.map(({ range }) => range.from)),
  to: Math.max(...zones.map(({ range }) => range.to)),
});

type GroupLimits = { buckets: number; maxRows: number; isLong: boolean };

async function groupsOf(
  ctx: Context,
  ids: readonly string[],
  by: Grouping,
  { buckets, maxRows, isLong }: GroupLimits,
): Promise<LocationGroup[]> {
  const { groups, memberships } = await countGroups(ctx.db, ids, by);
  requireAtMost("rows", maxRows, isLong ? groups * buckets : groups);
  requireAtMost("locations in groups", maxMemberships, memberships);
  requireAtMost("rows", fileLimits.csvRows, memberships * buckets);
  return findGroups(ctx.db, ids, by);
}

const advice = {
  locations: "Narrow the filters",
  "locations in groups": "Narrow the filters",
  rows: "Choose a shorter range, longer steps or fewer locations",
  columns: "Choose a shorter range or longer steps, or the long layout",
} as const;

function requireAtMost(what: keyof typeof advice, limit: number, asked: number): void {
  if (asked <= limit) return;
  const number = (n: number) => n.toLocaleString("en");
  throw new AppError(errorCode.invalidArgument, {
    field: what === "rows" || what === "columns" ? "by" : "name",
    reason: `${number(asked)} ${what}, but a file has at most ${number(limit)}. ${advice[what]}`,
    limit,
    asked,
  });
}

async function contentName(ctx: Context, { caller }: LongCall, ids: readonly string[], groupBy: Grouping | "none") {
  const grouped = groupBy === "none" ? "" : ` by ${groupBy}`;
  if (ids.length !== 1) return `${ids.length} locations${grouped}`;
  const [only] = await describeLocations(ctx, caller, ids);
  return `${only?.name ?? ""}${grouped}`;
}
