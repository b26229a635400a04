// What a client may send on the live channel (docs/rules/live-channel.md#messages).
import { z } from "zod";
import { maxWatched } from "./channel.ts";

const watchedIds = z.array(z.string().max(64)).max(maxWatched);

/**
 * The one thing that a client may say: which counts it shows. Until it does, it is sent all that it may see. `any` asks for
 * one message a batch, whatever was counted.
 */
export const watchSchema = z.strictObject({
  watch: z.strictObject({ measIDs: watchedIds, sensorIDs: watchedIds, any: z.boolean() }),
});
export type Watch = z.output<typeof watchSchema>["watch"];
