// What the list of locations may be asked for; apart from the calls, so that pages that only call it read no queries (ADR 0027).
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";

const maxTags = 20;

/** The filters of the location list beside paging. */
export const locationFilter = {
  ids: idFilter.optional(),
  /** A part of the name or of a tag. */
  name: textFilter.optional(),
  /** With all of these tags, compared without case and accents. */
  tag: repeatable(textFilter, maxTags).optional(),
  /** With any of these tags. */
  tagAny: repeatable(textFilter, maxTags).optional(),
  ownerID: idFilter.optional(),
  country: repeatable(textFilter).optional(),
  /** With or without the occupancy license. */
  occupancy: queryFlag.optional(),
};

export const locationListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "country", "createdAt", "_id"]),
  ...locationFilter,
  onlyIDs: queryFlag.optional(),
  onlyLocation: queryFlag.optional(),
});
