// Query parameters of the customer list. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
import { z } from "zod";
import { idText, pageQuery, repeatable, textFilter } from "../kit/page.ts";
import { customerSorts, troubles } from "./trouble.ts";

const { includeDeleted: _deleted, ...page } = pageQuery(customerSorts);

export const customerListQuery = z.strictObject({
  ...page,
  name: textFilter.optional(),
  /** The account whose children are listed; the caller's own account by default. */
  parentID: idText.optional(),
  /** Only customers with at least one of these kinds of trouble. */
  trouble: repeatable(z.enum(troubles)).optional(),
});
