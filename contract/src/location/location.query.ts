// What the list of locations may be asked for; apart from the calls, so that pages that only call it read no queries (ADR 0068).
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";

/** The filters of the location list beside paging. */
export const locationFilter = {
  ids: idFilter.optional(),
  name: textFilter.optional(),
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
