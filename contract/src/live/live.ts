// Client messages of the live channel (docs/rules/live-channel.md#messages).
import { z } from "zod";
import { maxWatched } from "./channel.ts";

const watchedIds = z.array(z.string().max(64)).max(maxWatched);

/**
 * The only client message: the objects whose counts the page shows. From then on, the client gets no other counts;
 * without it, it gets all that it may see. `any` requests one message per batch regardless of the object.
 */
export const watchSchema = z.strictObject({
  watch: z.strictObject({ measIDs: watchedIds, sensorIDs: watchedIds, any: z.boolean() }),
});
export type Watch = z.output<typeof watchSchema>["watch"];
