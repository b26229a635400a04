// Client messages of the live channel (docs/rules/live-channel.md#messages).
import { z } from "zod";
import { maxWatched } from "./channel.ts";

const watchedIds = z.array(z.string().max(64)).max(maxWatched);

/**
 * The only client message: it lists the objects whose counts the page shows. Before this message, the server reports all counts
 * that the client may see; after it, only those of the listed objects. `any` also requests one message per batch of counts, even
 * if the batch is about none of the listed objects.
 */
export const watchSchema = z.strictObject({
  watch: z.strictObject({
    measIDs: watchedIds,
    sensorIDs: watchedIds,
    any: z.boolean(),
    /** Requests the current load of all visible vehicles. Not sent without this. */
    vehicles: z.boolean().optional(),
  }),
});
export type Watch = z.output<typeof watchSchema>["watch"];
