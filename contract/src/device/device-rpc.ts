// RPC messages: the request to a device and its multi-part response (docs/device-protocol.md#8-requests-and-commands).
import { z } from "zod";
import { boundedText, deviceText } from "../kit/bounded-text.ts";
import { protocolLimits } from "./device-topics.ts";
import { epochMsSchema } from "./device-messages.ts";

export const rpcRequestSchema = z.object({ func: z.string(), data: z.string(), timeout: z.int(), at: epochMsSchema });
export const deviceRpcResponseSchema = z.union([
  z.object({
    ok: z.literal(true),
    func: boundedText(64),
    data: boundedText(protocolLimits.packetBytes),
    ct: boundedText(100).optional(),
    timestamp: epochMsSchema,
    durMs: z.number().optional(),
    part: z.int().min(1).max(64).default(1),
    parts: z.int().min(1).max(64).default(1),
  }),
  z.object({
    ok: z.literal(false),
    code: z.union([deviceText(32), z.int()]),
    message: deviceText(500).default(""),
  }),
]);
export type DeviceRpcResponse = z.output<typeof deviceRpcResponseSchema>;
