// What the calls about counts may be asked: ranges, comparisons, and the list of locations side by side.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { idFilter, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";
import { comparisons } from "./count-range.ts";

/** A preset, or `YYYY-MM-DD,YYYY-MM-DD` in the object's zone, both days included; what can't be read is today. */
export const range = boundedText(64).optional();
export const comparison = z.enum(comparisons);

export const locationCountsQuery = z.strictObject({
  ...pageQuery(["in", "out", "name", "completeness", "change"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  tag: repeatable(textFilter, 20).optional(),
  tagAny: repeatable(textFilter, 20).optional(),
  ownerID: idFilter.optional(),
  country: repeatable(textFilter).optional(),
  occupancy: queryFlag.optional(),
  range,
  compare: comparison.optional(),
});
