// Sales of a location by local hour or day (docs/rules/sales.md#entries).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { instant } from "../kit/time.ts";

export const maxSalesEntries = 10_000;
export const salesLimits = { transactions: 1_000_000, revenue: 999_999_999.999, staffHours: 10_000 } as const;
/** Decimal places that are stored. */
export const salesDecimals = { revenue: 3, staffHours: 2 } as const;

/** A number with at most this many decimal places; `toFixed` is exact for values within the limits. */
function decimal(min: number, max: number, places: number) {
  return z
    .number()
    .min(min, { error: `At least ${min}` })
    .max(max, { error: `At most ${max}` })
    .refine((value) => Number(value.toFixed(places)) === value, { error: `At most ${places} decimal places` });
}

export const salesNumbers = {
  transactions: z
    .int()
    .min(0, { error: "At least 0" })
    .max(salesLimits.transactions, { error: `At most ${salesLimits.transactions}` }),
  /** Negative if more was refunded than sold. */
  revenue: decimal(-salesLimits.revenue, salesLimits.revenue, salesDecimals.revenue),
  staffHours: decimal(0, salesLimits.staffHours, salesDecimals.staffHours),
};

/** ISO 4217; the server knows the list. */
export const currencyCode = boundedText(64).regex(/^[A-Z]{3}$/, "Should be a currency code such as EUR");

export const newSaleSchema = z.strictObject({
  start: instant,
  end: instant,
  transactions: salesNumbers.transactions,
  revenue: salesNumbers.revenue,
  currency: currencyCode,
  staffHours: salesNumbers.staffHours.nullable().optional(),
});
export type NewSale = z.output<typeof newSaleSchema>;

export const saleSchema = z.object({
  start: z.string(),
  end: z.string(),
  period: z.enum(["hour", "day"]),
  transactions: z.int(),
  revenue: z.number(),
  currency: z.string(),
  staffHours: z.number().nullable(),
});
export type Sale = z.output<typeof saleSchema>;

export const storedSalesSchema = z.object({
  /** Entries for times that had none. */
  stored: z.int(),
  /** Entries that replaced earlier ones. */
  replaced: z.int(),
  /** Entries that were already stored with the same values. */
  unchanged: z.int(),
});
export type StoredSales = z.output<typeof storedSalesSchema>;
