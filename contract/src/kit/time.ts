// Instants on the wire: ISO 8601 in UTC with milliseconds.
import { z } from "zod";

export const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());
/** An instant that the server writes; it is already canonical. */
export const stampedAt = z.string();
