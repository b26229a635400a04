// Sales of a period, and how they compare with the people counted at the same time (docs/rules/sales.md#conversion).
import { z } from "zod";

const figures = {
  transactions: z.int(),
  /** One element per currency. `perVisitor` is null if it is unknown, or if there are several currencies. */
  revenue: z.array(z.object({ currency: z.string(), amount: z.number(), perVisitor: z.number().nullable() })),
  /** Null if they are not known for all of the period. */
  staffHours: z.number().nullable(),
  /** People in at the time of these sales, as far as they are known; null if none is. */
  visitors: z.int().nullable(),
  /** Transactions per visitor, 0.25 for 25 %. Null if unknown. */
  conversion: z.number().nullable(),
};
export const salesFiguresSchema = z.object(figures);
export type SalesFigures = z.output<typeof salesFiguresSchema>;

export const salesTotalSchema = z.object({
  ...figures,
  /** Number of days with sales, and how many of them have known visitors and count for the conversion. */
  days: z.int(),
  comparedDays: z.int(),
});
export type SalesTotal = z.output<typeof salesTotalSchema>;

/** Percentage points, over the days that are known on both sides. */
export const conversionChangeSchema = z.number().nullable();
