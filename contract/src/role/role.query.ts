// Query parameters of the role list, kept apart from the calls so that pages that only call it don't load them (ADR 0027).
import { z } from "zod";
import { idFilter, pageQuery, queryFlag, textFilter } from "../kit/page.ts";

export const roleListQuery = z.strictObject({
  ...pageQuery(["name", "owner", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
  withoutOwn: queryFlag.optional(),
});
