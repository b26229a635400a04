// Sales of the counts page of a location: totals, one row per bucket, and the change of conversion (docs/rules/sales.md#conversion).
import type { Counts } from "@psp/contract/counts/counts.api.ts";
import type { BucketSize, DayRange } from "@psp/contract/counts/count-range.ts";
import type { SalesFigures, SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../kit/caller.ts";
import { listEntries, toAmounts } from "../../sales/sales.service.ts";
import type { Bucket } from "../aggregate.store.ts";
import type { Range } from "../bucket.rules.ts";
import type { LocationStays } from "../place-sums.store.ts";
import type { Subject } from "../subject.store.ts";
import { createWatchedTime, knownVisitors } from "./known-visitors.rules.ts";
import { findSalesDays, type SalesMode } from "./sales-days.service.ts";
import { createConversionChange, createSalesSum, type SalesDay, sumSalesDays } from "./sales-figures.rules.ts";

type Page = {
  subject: Subject;
  by: BucketSize;
  /** Buckets of the page, in order. */
  shown: readonly Bucket[];
  days: DayRange;
  /** `part` is the earlier period up to the same local time. */
  earlier: { days: DayRange; shift: number; part: Range };
  /** Days that are not compared. */
  skipped: readonly number[];
  mode: SalesMode;
};

export async function findPageSales(ctx: Context, caller: Caller, page: Page): Promise<Counts["sales"]> {
  const { place, canEdit } = page.subject;
  if (place === null || !canEdit) return null;
  const [now = [], before = []] = await Promise.all(
    [{ days: page.days }, { days: page.earlier.days, until: page.earlier.part.to }].map(async (asked) => {
      const [found = []] = await findSalesDays(ctx, caller, [{ place, ...asked }], page.mode);
      return found;
    }),
  );
  if (now.length === 0 && before.length === 0) return null;
  const change = createConversionChange();
  const skipped = new Set(page.skipped);
  change.take(now, before, page.earlier.shift, (day) => skipped.has(day));
  return {
    total: sumSalesDays(now),
    rows:
      page.by === "hour" ? await findHourRows(ctx, caller, place, page) : toDayRows(place, page.shown, now).map(toRow),
    earlier: sumSalesDays(before),
    conversionChange: change.result(),
  };
}

async function findHourRows(ctx: Context, caller: Caller, place: LocationStays, { shown, mode }: Page) {
  const range = { from: shown[0]?.from ?? 0, to: shown.at(-1)?.to ?? 0 };
  const entries = new Map(
    (await listEntries(ctx.db, caller, [{ locationId: place.id, ...range }])).map((entry) => [entry.start_ms, entry]),
  );
  const watchedMs = createWatchedTime(place);
  return shown.map((bucket): SalesFigures | null => {
    const entry = entries.get(bucket.from);
    if (entry?.end_ms !== bucket.to || isClosedBucket(place, bucket, mode)) return null;
    const visitors = bucket.to <= mode.nowMs ? knownVisitors(bucket, watchedMs(bucket), mode) : null;
    return toRow(sumSalesDays([{ amounts: toAmounts(entry), visitors }]));
  });
}

function isClosedBucket({ hours }: LocationStays, { from, to }: Bucket, { isOpenOnly }: SalesMode): boolean {
  return isOpenOnly && hours?.time.msBetween(from, to) === 0;
}

function toDayRows({ zone }: LocationStays, shown: readonly Bucket[], days: readonly SalesDay[]) {
  let next = 0;
  return shown.map(({ to }) => {
    const sum = createSalesSum();
    for (let day = days[next]; day && zone.dayStart(day.day) < to; day = days[++next]) sum.take(day);
    return sum.result();
  });
}

function toRow(total: SalesTotal | null): SalesFigures | null {
  if (total === null) return null;
  const { days: _days, comparedDays: _compared, ...figures } = total;
  return figures;
}
