// Finds the sales of the buckets of a file, for a few locations at a time (docs/rules/sales.md#conversion).
import { listEntries, toAmounts } from "../../sales/sales.service.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { createWatchedTime, knownVisitors } from "../conversion/known-visitors.rules.ts";
import { findSalesDays } from "../conversion/sales-days.service.ts";
import type { SalesPart } from "../conversion/sales-figures.rules.ts";
import type { Expected } from "../count-sum.rules.ts";
import type { LocationStays } from "../place-sums.store.ts";
import type { CountMode, ZonePlan } from "./rows.rules.ts";
import { bucketOf } from "./steps.rules.ts";

/** The days or hours with sales in a bucket. `sums` are the counts of the bucket. */
export type SalesOf = (bucket: number, sums: Expected) => readonly SalesPart[];

type Asked = { place: LocationStays; plan: ZonePlan };
type Mode = CountMode & { byHour: boolean };

export async function findFileSales(
  ctx: Context,
  caller: Caller,
  asked: readonly Asked[],
  mode: Mode,
): Promise<SalesOf[]> {
  return mode.byHour ? findHours(ctx, caller, asked, mode) : findDays(ctx, caller, asked, mode);
}

async function findDays(ctx: Context, caller: Caller, asked: readonly Asked[], mode: Mode): Promise<SalesOf[]> {
  const found = await findSalesDays(
    ctx,
    caller,
    asked.map(({ place, plan: { days } }) => ({ place, days })),
    { ...mode, tooMany: "read" },
  );
  return asked.map(({ plan }, index) => {
    const days = Map.groupBy(found[index] ?? [], ({ day }) => plan.steps.ofDay(day));
    return (bucket) => days.get(bucket) ?? [];
  });
}

async function findHours(ctx: Context, caller: Caller, asked: readonly Asked[], mode: Mode): Promise<SalesOf[]> {
  const ranges = asked.map(({ place, plan }) => ({ locationId: place.id, ...plan.steps.range }));
  const entries = Map.groupBy(await listEntries(ctx.db, caller, ranges), ({ place }) => place);
  return asked.map(({ place, plan }, index) => {
    const byStart = new Map((entries.get(index) ?? []).map((entry) => [entry.start_ms, entry]));
    const watchedMs = createWatchedTime(place);
    return (bucket, sums) => {
      const { from, to } = bucketOf(plan.steps, bucket);
      const entry = byStart.get(from);
      const isClosed = mode.isOpenOnly && place.hours?.time.msBetween(from, to) === 0;
      if (entry?.end_ms !== to || isClosed) return [];
      return [
        {
          amounts: toAmounts(entry),
          visitors: to <= mode.nowMs ? knownVisitors(sums, watchedMs({ from, to }), mode) : null,
        },
      ];
    };
  });
}
