// Client messages of the live channel (docs/rules/live-channel.md#messages).
import { z } from "zod";
import { maxWatched } from "./channel.ts";

const watchedIds = z.array(z.string().max(64)).max(maxWatched);

/**
 * The only client message: it lists the objects whose counts the page shows. From then on, the server sends no messages about
 * other counts. Before it, the server sends all counts that the client may see. `any` requests one message per batch, whatever
 * the object.
 */
export const watchSchema = z.strictObject({
  watch: z.strictObject({ measIDs: watchedIds, sensorIDs: watchedIds, any: z.boolean() }),
});
export type Watch = z.output<typeof watchSchema>["watch"];
