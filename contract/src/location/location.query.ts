// Query parameters of the location list. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { idFilter, idText, pageQuery, queryFlag, repeatable, textFilter } from "../kit/page.ts";

export const maxFilterTags = 20;

export const locationFilter = {
  ids: idFilter.optional(),
  /** Finds substrings of the name, a tag or the external id. */
  name: textFilter.optional(),
  /** Finds locations that have all of these tags, ignoring case and accents. */
  tag: repeatable(textFilter, maxFilterTags).optional(),
  tagAny: repeatable(textFilter, maxFilterTags).optional(),
  ownerID: idFilter.optional(),
  /** Finds locations of this account and of all accounts below it. */
  ownerTreeID: idText.optional(),
  country: repeatable(textFilter).optional(),
  occupancy: queryFlag.optional(),
};

export const locationListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "country", "createdAt", "_id"]),
  ...locationFilter,
  onlyIDs: queryFlag.optional(),
  onlyLocation: queryFlag.optional(),
});
