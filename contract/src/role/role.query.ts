// What the list of roles may be asked for; apart from the calls, as with locations.
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, textFilter } from "../kit/page.ts";

export const roleListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
  /** Leaves out the role that the caller holds: no one edits their own. */
  withoutOwn: queryFlag.optional(),
});
