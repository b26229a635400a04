// Use cases of sales: store, list and delete entries of one location, and what counts, comparisons, files and reports need.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import type * as calls from "@psp/contract/sales/sales.api.ts";
import type { NewSale, Sale, StoredSales } from "@psp/contract/sales/sales.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { lockEditableLocation, requireEditableLocation } from "../location/location.lookup.service.ts";
import { salesReasons } from "./sales.reasons.ts";
import { type Entry, findClashes, isCurrency, judgePeriod } from "./sales.rules.ts";
import * as store from "./sales.store.ts";
import { countOutcomes, iso, planSales, writeSales } from "./sales.writing.service.ts";

/** Stores all entries or none. An entry replaces the entries whose time it covers (docs/rules/sales.md#replacement). */
export function putSales(ctx: Context, caller: Caller, id: string, sales: readonly NewSale[]): Promise<StoredSales> {
  return write(ctx, caller, async (w) => {
    const { timezone, owner } = await lockEditableLocation(w.tx, caller, id);
    const zone = zoneOf(timezone);
    const entries = sales.map((sale, index) => parseEntry(zone, sale, index, ctx.clock.now()));
    for (const { index, other, isDuplicate } of findClashes(entries)) {
      const reason = isDuplicate
        ? salesReasons.duplicateStarts(zone, index, other, entries[index]?.startMs ?? 0)
        : salesReasons.overlap(index, other);
      throw fault(index, "start", reason);
    }
    const place = { id, owner };
    const additions = entries.map((entry) => ({ place, entry }));
    const plan = await planSales(w.tx, additions);
    for (const [index, decision] of plan.decisions.entries())
      if (typeof decision !== "string")
        throw fault(index, "start", salesReasons.conflict(zone, decision.conflict), 409);
    await writeSales(w, additions, plan);
    return countOutcomes(plan.decisions);
  });
}

function parseEntry(zone: Zone, { start, end, staffHours, ...sale }: NewSale, index: number, nowMs: number): Entry {
  const period = { startMs: Date.parse(start), endMs: Date.parse(end) };
  const judged = judgePeriod(zone, period, nowMs);
  if ("fault" in judged) throw fault(index, "start", judged.fault);
  if (!isCurrency(sale.currency)) throw fault(index, "currency", salesReasons.unknownCurrency);
  return { ...period, ...judged, ...sale, staffHours: staffHours ?? null };
}

function fault(index: number, field: string, reason: string, status = 400): AppError {
  return new AppError(errorCode.invalidArgument, { field: `${index}.${field}`, index, reason }, { status });
}

export { requireEditableLocation } from "../location/location.lookup.service.ts";

export async function listSales(
  ctx: Context,
  caller: Caller,
  id: string,
  { from, to, skip = 0, limit = ctx.config.pageSize, includeTotals }: HandlerInput<typeof calls.listSales>["query"],
) {
  await requireEditableLocation(ctx, caller, id);
  const range = {
    fromMs: from === undefined ? null : Date.parse(from),
    toMs: to === undefined ? null : Date.parse(to),
  };
  const [rows, total] = await Promise.all([
    store.listRows(ctx.db, caller, id, range, { skip, limit }),
    includeTotals ? store.countSales(ctx.db, caller, id, range) : undefined,
  ]);
  const objects = rows.map(toSale);
  return total === undefined ? { objects } : { objects, total };
}

function toSale(row: store.SaleRow): Sale {
  return {
    start: iso(row.start_ms),
    end: iso(row.end_ms),
    period: row.is_day ? "day" : "hour",
    transactions: row.transactions,
    revenue: row.revenue,
    currency: row.currency,
    staffHours: row.staff_hours,
  };
}

/** Deletes entries that start in the range and that the caller may see. */
export function deleteSales(
  ctx: Context,
  caller: Caller,
  id: string,
  { from, to }: HandlerInput<typeof calls.deleteSales>["query"],
): Promise<{ deleted: number }> {
  return write(ctx, caller, async (w) => {
    const { owner } = await lockEditableLocation(w.tx, caller, id);
    const range = { fromMs: Date.parse(from), toMs: Date.parse(to) };
    if (range.fromMs >= range.toMs)
      throw new AppError(errorCode.invalidArgument, { field: "to", reason: "Should be later than from" });
    const deleted = await store.deleteRange(w.tx, caller, id, range);
    if (deleted > 0)
      w.audit({ action: "deleteSales", object: { type: "measurement", _id: id }, owner, after: { deleted, from, to } });
    return { deleted };
  });
}

export { type Amounts, addAmounts, type Revenue, toAmounts } from "./amounts.rules.ts";
export { type DaySumRow, type EntryRow, findLocationsWithSales, listEntries, sumByDay } from "./sales.sums.store.ts";
