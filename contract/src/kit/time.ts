// Timestamps on the wire: ISO 8601 in UTC with milliseconds.
import { z } from "zod";

/** UTC years 1 to 9999; others have no four-digit form and don't fit the database. */
export const instant = z.iso
  .datetime({ offset: true, abort: true })
  .max(64, { abort: true })
  .refine((text) => hasFourDigitYear(new Date(text).getUTCFullYear()), { error: "Out of the calendar", abort: true })
  .transform((text) => new Date(text).toISOString());

function hasFourDigitYear(year: number): boolean {
  return year >= 1 && year <= 9999;
}
