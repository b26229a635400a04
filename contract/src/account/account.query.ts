// What the list of accounts may be asked for; apart from the calls, as with locations.
import { z } from "zod";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, queryFlag, queryInt, repeatable, textFilter } from "../kit/page.ts";
import { ownerChoices } from "../permission/standing.ts";

export const accountListQuery = z.strictObject({
  ...pageQuery(["name", "role", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  email: textFilter.optional(),
  roleID: idFilter.optional(),
  accountState: repeatable(queryInt(-2, 2) as z.ZodType<number, string>).optional(),
  parentID: idFilter.optional(),
  /** All but these. */
  exclude: idFilter.optional(),
  /** Only those whose parent is missing from the caller's view or excluded: where a tree begins. */
  topLevel: queryFlag.optional(),
  /** Only those that the caller may choose for this. */
  choice: z.enum(ownerChoices).optional(),
  /** Stays among the choices whatever the rights say: what is chosen now. */
  keep: uuid.optional(),
});
