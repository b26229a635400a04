// What the live socket says: one message per changed object, only to those who may see it now (decisions 12).
import { z } from "zod";

const liveTypes = ["account", "role", "sensor", "measurement", "artifact", "init-token"] as const;
export type LiveType = (typeof liveTypes)[number];
const liveOps = ["create", "update", "delete"] as const;
export type LiveOp = (typeof liveOps)[number];

const identified = z.looseObject({ _id: z.string() });

export const liveMessageSchema = z.union([
  z.object({ type: z.enum(liveTypes), op: z.enum(liveOps), obj: identified, seq: z.int() }),
  /** The client missed too much: load everything again. */
  z.object({ type: z.literal("resync"), seq: z.int() }),
  /** First message after the upgrade: where the numbering is. */
  z.object({ type: z.literal("hello"), seq: z.int() }),
]);
export type LiveMessage = z.output<typeof liveMessageSchema>;
