// Query parameters of the role list. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, textFilter } from "../kit/page.ts";

export const roleListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
  withoutOwn: queryFlag.optional(),
});
