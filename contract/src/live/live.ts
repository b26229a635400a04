// What the live socket says: one message per changed object, only to those who may see it now (docs/rules/live-channel.md#messages).
import { z } from "zod";
import { maxWatched } from "./channel.ts";

const liveTypes = ["account", "role", "sensor", "measurement", "artifact", "init-token", "issue"] as const;
export type LiveType = (typeof liveTypes)[number];
const liveOps = ["create", "update", "delete"] as const;
export type LiveOp = (typeof liveOps)[number];

/** What every message ends with. */
const place = {
  /** Counts the messages of this connection, from 1. */
  seq: z.int(),
  /** With it as `since` the account resumes after this message; opaque. */
  cursor: z.string(),
};

/** Counts of one sensor were stored; `from` and `to` are the span of the records. */
const countsStoredSchema = z.object({
  type: z.literal("datapoint"),
  op: z.literal("create"),
  obj: z.object({
    /** The location that they belong to; null while the sensor has none. */
    measID: z.string().nullable(),
    sens: z.string(),
    type: z.literal("counting"),
    from: z.string(),
    to: z.string(),
  }),
  ...place,
});
export type CountsStoredMessage = z.output<typeof countsStoredSchema>;

const watchedIds = z.array(z.string().max(64)).max(maxWatched);

/**
 * The one thing that a client may say: which counts it shows. Until it does, it is sent all that it may see. `any` asks for
 * one message a batch, whatever was counted.
 */
export const watchSchema = z.strictObject({
  watch: z.strictObject({ measIDs: watchedIds, sensorIDs: watchedIds, any: z.boolean() }),
});
export type Watch = z.output<typeof watchSchema>["watch"];

const identified = z.looseObject({ _id: z.string() });

export const liveMessageSchema = z.union([
  z.object({ type: z.enum(liveTypes), op: z.enum(liveOps), obj: identified, ...place }),
  countsStoredSchema,
  /** The client missed too much: load everything again. */
  z.object({ type: z.literal("resync"), ...place }),
  /** First message after the upgrade, or the end of what was missed: where the connection stands. */
  z.object({ type: z.literal("hello"), ...place }),
]);
export type LiveMessage = z.output<typeof liveMessageSchema>;
