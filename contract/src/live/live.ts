// Client messages of the live channel (docs/rules/live-channel.md#messages).
import { z } from "zod";
import { maxWatched } from "./channel.ts";

const watchedIds = z.array(z.string().max(64)).max(maxWatched);

/**
 * The only client message: the counts that the page shows. Without it, the client gets everything it may see. `any` requests one message per
 * batch regardless of the object.
 */
export const watchSchema = z.strictObject({
  watch: z.strictObject({ measIDs: watchedIds, sensorIDs: watchedIds, any: z.boolean() }),
});
export type Watch = z.output<typeof watchSchema>["watch"];
