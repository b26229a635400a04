// Query parameters of the account list. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, queryFlag, queryInt, repeatable, textFilter } from "../kit/page.ts";
import { ownerChoiceKinds } from "../permission/standing.ts";

export const accountListQuery = z.strictObject({
  ...pageQuery(["name", "role", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  email: textFilter.optional(),
  roleID: idFilter.optional(),
  accountState: repeatable(queryInt(-2, 2) as z.ZodType<number, string>).optional(),
  parentID: idFilter.optional(),
  exclude: idFilter.optional(),
  /** Only the roots of the visible trees: accounts whose parent is hidden from the caller or excluded by `exclude`. */
  topLevel: queryFlag.optional(),
  /** Only accounts that the caller may select for this purpose, such as the owner of a new sensor. */
  choice: z.enum(ownerChoiceKinds).optional(),
  /** The currently selected account, which `choice` never filters out. */
  keep: uuid.optional(),
});
