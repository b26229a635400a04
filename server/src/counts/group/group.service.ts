// Compares groups of locations: by tag, by owner, or by country (docs/rules/counts.md#groups).
import type { GroupCounts } from "@psp/contract/counts/counts.api.ts";
import { type BucketSize, dateOfDay, defaultBucketSize, parseRange } from "@psp/contract/counts/count-range.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { generateBuckets } from "../bucket.rules.ts";
import { type CompareQuery, longest, sumMatching, sumOutside, sumUp } from "../compare/compare.service.ts";
import { findLikeSums, type Summed } from "../compare/changes.service.ts";
import { dayCurves, hourCurves } from "../compare/curve.service.ts";
import { findComparedSales, sumComparedSales } from "../conversion/compared-sales.service.ts";
import { toCountSum } from "../count-sum.rules.ts";
import { bucketKey } from "./local-bucket.rules.ts";
import { createLikeForLike } from "./group.rules.ts";
import { findGroups, type LocationGroup } from "./group.store.ts";
import { figuresOf, inOrder, rankAll } from "./ranking.rules.ts";

/** Reading hours takes much longer than reading days, so the curves of bigger groups have none. */
const maxHourCurves = 500;

/** Returns one page of the groups of the matching visible locations, each ranked among all groups. */
export async function compareGroups(ctx: Context, caller: Caller, query: CompareQuery, groupBy: Grouping) {
  const { skip = 0, limit = ctx.config.pageSize, range, compare = "previous", includeTotals, ...rest } = query;
  const { sortBy, sortDesc, includeDeleted: _deleted, open: isOpenOnly = false, groupBy: _by, ...filter } = rest;
  const nowMs = ctx.clock.now();
  const mode = { nowMs, isOpenOnly };
  const keys = sortKeys({ sortBy, sortDesc });
  const all = await sumMatching(ctx, caller, filter, range, mode);
  const [found, like] = await Promise.all([
    findGroups(
      ctx.db,
      all.map(({ location }) => location.id),
      groupBy,
    ),
    findLikeSums(ctx, caller, all, compare, mode),
  ]);
  const sales = await findComparedSales(
    ctx,
    caller,
    all.map((one, index) => ({ ...one, skipped: like[index]?.skipped ?? [] })),
    compare,
    { ...mode, tooMany: figuresOf(keys) === "all" ? "refuse" : "leaveOut" },
  );
  const changeOf = (members: readonly number[]) => {
    const both = createLikeForLike();
    for (const member of members) {
      const one = like[member];
      if (one) both.take(one.now, one.before);
    }
    return { ...both.result(), ...sumComparedSales(pick(sales, members)) };
  };
  const groups = rankAll(
    found.map((group) => ({ ...group, sum: sumOf(all, group, isOpenOnly), ...changeOf(group.members) })),
  );
  const sorted = inOrder(groups, keys, ({ name, key, change, conversionChange, sales: sold }) => ({
    name,
    id: key,
    change: change.in,
    conversionChange,
    sales: sold,
  }));
  const page = sorted.slice(skip, skip + limit);
  const days = parseRange(range, zoneOf(null).dayAt(nowMs));
  const shown = page.map(({ members }) => pick(all, members));
  const by = defaultBucketSize(longest([days, ...shown.flat().map((one) => one.days)]));
  const curves = await curvesOf(ctx, shown, by, isOpenOnly);
  return {
    objects: [],
    groups: page.map(({ key, name, members, sum, rank, ...figures }, index): GroupCounts => ({
      key,
      name,
      ...sum,
      locations: members.length,
      rank,
      change: figures.change,
      comparable: figures.comparable,
      sales: figures.sales,
      conversionChange: figures.conversionChange,
      curve: curves[index] ?? [],
    })),
    ...(includeTotals ? { total: groups.length } : {}),
    sum: { ...toCountSum(sumUp(all), isOpenOnly), locations: all.length, ...changeOf([...all.keys()]) },
    first: dateOfDay(days.first),
    last: dateOfDay(days.last),
    by,
    outside: sumOutside(all),
  };
}

const pick = <T>(all: readonly T[], members: readonly number[]) => members.flatMap((member) => all[member] ?? []);
const sumOf = (all: readonly Summed[], { members }: LocationGroup, isOpenOnly: boolean) =>
  toCountSum(sumUp(pick(all, members)), isOpenOnly);

/** Adds up the curves of the members by local time. Reads each location once, whatever its number of groups. */
async function curvesOf(ctx: Context, groups: readonly (readonly Summed[])[], by: BucketSize, isOpenOnly: boolean) {
  const members = [...new Set(groups.flat())];
  if (by === "hour" && members.length > maxHourCurves) return [];
  const read =
    by === "hour" ? await hourCurves(ctx, members, isOpenOnly) : await dayCurves(ctx, members, by, isOpenOnly);
  const curves = new Map(members.map((one, index) => [one, read[index] ?? []]));
  return groups.map((group) => {
    const heights = new Map<number, number | null>();
    for (const one of group) {
      const curve = curves.get(one) ?? [];
      for (const [index, key] of keysOf(one, by).entries()) {
        const [height, more] = [heights.get(key) ?? null, curve[index] ?? null];
        heights.set(key, more === null ? height : (height ?? 0) + more);
      }
    }
    return [...heights].toSorted(([a], [b]) => a - b).map(([, height]) => height);
  });
}

const keysOf = ({ place: { zone }, range }: { place: Summed["place"]; range: Summed["range"] }, by: BucketSize) =>
  [...generateBuckets(zone, by, range)].map(({ from }) => bucketKey(zone, by, from));
