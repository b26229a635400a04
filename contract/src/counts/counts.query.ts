// Query parameters of the counts calls.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { idFilter, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { comparisons } from "./count-range.ts";

/** A preset, or `YYYY-MM-DD,YYYY-MM-DD` (inclusive) in the object's zone; unreadable values mean today. */
export const rangeSchema = boundedText(64).optional();
export const comparisonSchema = z.enum(comparisons);

/** Counts only what lies within opening hours, and leaves closed days out of comparisons. Without hours, nothing is filtered. */
export const openOnly = queryFlag.optional();

export const locationCountsQuery = z.strictObject({
  ...pageQuery(["in", "out", "name", "completeness", "change"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  tag: repeatable(textFilter, 20).optional(),
  tagAny: repeatable(textFilter, 20).optional(),
  ownerID: idFilter.optional(),
  country: repeatable(textFilter).optional(),
  occupancy: queryFlag.optional(),
  range: rangeSchema,
  compare: comparisonSchema.optional(),
  open: openOnly,
});
