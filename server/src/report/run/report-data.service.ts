// Computes what a report contains. Runs of the same account and query share one computation.
import { defaultBucketSize, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { ReportQuery } from "@psp/contract/report/report.ts";
import type { Context } from "../../context.ts";
import { type Summary, summarize } from "../../counts/summary/summary.service.ts";
import type { Caller } from "../../kit/caller.ts";
import { rightsKey } from "../creator.service.ts";

export type ReportData = { days: DayRange; by: "hour" | "day" | "week" | "month"; summary: Summary };

export async function readReportData(
  ctx: Context,
  caller: Caller,
  query: ReportQuery,
  days: DayRange,
): Promise<ReportData> {
  const by = query.by ?? defaultBucketSize(days);
  const summary = await summarize(ctx, caller, {
    filter: query.filters,
    days,
    compare: query.compare,
    by: query.content.includes("chart") ? by : null,
    isOpenOnly: query.open,
    groupBy: query.groupBy,
    withSales: query.content.includes("sales"),
  });
  return { days, by, summary };
}

const maxShared = 8;
const maxAgeMs = 60_000;

export type SharedReports = ReturnType<typeof createSharedReports>;

/** Caches a few results, which is enough because runs with the same key follow one another. */
export function createSharedReports(ctx: Context) {
  const kept = new Map<string, { atMs: number; data: Promise<ReportData> }>();
  return function read(caller: Caller, query: ReportQuery, days: DayRange): Promise<ReportData> {
    const { filters, by, compare, groupBy, content, open } = query;
    const [chart, sales] = [content.includes("chart"), content.includes("sales")];
    const needed = { filters, by, compare, groupBy, open, chart, sales, days };
    const key = `${rightsKey(caller)} ${JSON.stringify(needed)}`;
    const known = kept.get(key);
    const nowMs = ctx.clock.now();
    if (known && nowMs - known.atMs <= maxAgeMs) return known.data;
    const data = ctx.replica.read((db) => readReportData({ ...ctx, db }, caller, query, days));
    kept.delete(key);
    kept.set(key, { atMs: nowMs, data });
    data.catch(() => kept.delete(key));
    for (const oldest of kept.keys()) {
      if (kept.size <= maxShared) break;
      kept.delete(oldest);
    }
    return data;
  };
}
