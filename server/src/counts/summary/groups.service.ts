// Sums the counts of groups of locations for reports, by the rules of compared groups (docs/rules/counts.md#groups).
import type { CountSum } from "@psp/contract/counts/counts.api.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../kit/app-error.ts";
import { type ComparedSales, type ConversionFigures, createComparedSum } from "../conversion/compared-sales.service.ts";
import { addExpected, createNothing, type Expected, toCountSum } from "../count-sum.rules.ts";
import { createLikeForLike, maxMemberships } from "../group/group.rules.ts";
import { findGroups } from "../group/group.store.ts";
import { type Change, inOrder, rankAll } from "../group/ranking.rules.ts";

export type RankedGroup = ConversionFigures & {
  /** Null for locations without a tag or country. */
  name: string | null;
  locations: number;
  /** Locations that the change considers. */
  comparable: number;
  sum: CountSum;
  change: Change;
  /** Null for a group that is too incomplete. */
  rank: number | null;
};

/** `present` and `past` are both periods without the days that are left out. */
export type GroupedLocation = {
  id: string;
  sums: Expected;
  present: CountSum;
  past: CountSum;
  sales: ComparedSales | undefined;
};

type Group = {
  key: string | null;
  name: string | null;
  locations: number;
  sums: Expected;
  like: ReturnType<typeof createLikeForLike>;
  sales: ReturnType<typeof createComparedSum>;
};

/** Collects the sums of all parts of the locations. Keeps no locations, to bound memory. */
export function createGroups(groupBy: Grouping, isOpenOnly: boolean) {
  const groups = new Map<string | null, Group>();
  let memberships = 0;
  return {
    /** Throws 102 beyond the limit for files, because a location may be in many groups. */
    async add(ctx: Context, part: readonly GroupedLocation[]): Promise<void> {
      const found = await findGroups(
        ctx.db,
        part.map(({ id }) => id),
        groupBy,
      );
      for (const { key, name, members } of found) {
        memberships += members.length;
        if (memberships > maxMemberships) throw createTooMany();
        const group = groups.getOrInsertComputed(key, () => createGroup(key, name));
        for (const member of members) {
          const one = part[member];
          if (!one) continue;
          group.locations += 1;
          addExpected(group.sums, one.sums);
          group.like.take(one.present, one.past);
          if (one.sales) group.sales.take(one.sales);
        }
      }
    },
    /** Sorted by rank, groups without one last. */
    result(): RankedGroup[] {
      const summed = [...groups.values()].map(({ key, name, locations, sums, like, sales }) => {
        return { key, name, locations, sum: toCountSum(sums, isOpenOnly), ...like.result(), ...sales.result() };
      });
      const sorted = inOrder(rankAll(summed), [], ({ key, name, change, sales, conversionChange }) => {
        return { name, id: key, change: change.in, sales, conversionChange };
      });
      return sorted.map(({ key: _key, ...group }) => group);
    },
  };
}

const createGroup = (key: string | null, name: string | null): Group => {
  return { key, name, locations: 0, sums: createNothing(), like: createLikeForLike(), sales: createComparedSum() };
};

function createTooMany(): AppError {
  const most = maxMemberships.toLocaleString("en");
  return new AppError(errorCode.invalidArgument, {
    field: "groupBy",
    reason: `More than ${most} locations in groups. Narrow the filters`,
    limit: maxMemberships,
  });
}
