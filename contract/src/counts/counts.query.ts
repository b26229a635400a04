// Query parameters of the counts calls.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { idFilter, idText, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { comparisons } from "./count-range.ts";
import { groupBySchema } from "./grouping.ts";

/** A preset, or `YYYY-MM-DD,YYYY-MM-DD` (inclusive) in the object's zone; unreadable values mean today. */
export const rangeSchema = boundedText(64).optional();
export const comparisonSchema = z.enum(comparisons);

/** Counts only what lies within opening hours, and leaves closed days out of comparisons. Without hours, nothing is filtered. */
export const openOnly = queryFlag.optional();

/** The filters of the location list. */
export const countedLocationsFilter = {
  ids: idFilter.optional(),
  name: textFilter.optional(),
  tag: repeatable(textFilter, 20).optional(),
  tagAny: repeatable(textFilter, 20).optional(),
  ownerID: idFilter.optional(),
  ownerTreeID: idText.optional(),
  country: repeatable(textFilter).optional(),
  occupancy: queryFlag.optional(),
};

/** `revenuePerVisitor` is sorted by currency first, because currencies are not compared. */
export const salesSorts = ["conversion", "conversionChange", "revenuePerVisitor", "transactions"] as const;
export type SalesSort = (typeof salesSorts)[number];

export const locationCountsQuery = z.strictObject({
  ...pageQuery(["in", "out", "name", "completeness", "change", ...salesSorts]),
  ...countedLocationsFilter,
  range: rangeSchema,
  compare: comparisonSchema.optional(),
  groupBy: groupBySchema.optional(),
  open: openOnly,
});
