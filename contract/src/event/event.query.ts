// Query parameters of the event list.
import { z } from "zod";
import { idFilter, pageQuery, textFilter } from "../kit/page.ts";
import { eventDate } from "./event.ts";

export const eventListQuery = z.strictObject({
  ...pageQuery(["from", "to", "name", "owner", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
  /** Finds events that apply to one of these locations. */
  measID: idFilter.optional(),
  /** Finds events with at least one day from `from` to `to`, both inclusive. */
  from: eventDate.optional(),
  to: eventDate.optional(),
});
