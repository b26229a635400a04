// The API call that sends an RPC request to a sensor. The response comes from the device, or from the last known values on the
// server (SE-06, SE-07).
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { endpoint } from "../kit/endpoint.ts";
import { mac } from "../kit/ids.ts";
import { maxRpcBytes, rpcResponseSchema, rpcBodySchema } from "./rpc.ts";

export const callSensorRpc = endpoint("rpcSensor", "POST", "/sensor/{id}/rpc", {
  summary:
    "Asks a ZOD or PS.C1 for a section of its configuration or a preview, sets a section or restarts it, by JSON-RPC 2.0; what the device refuses comes as an error of JSON-RPC with status 200",
  params: z.strictObject({ id: mac }),
  body: rpcBodySchema,
  maxBodyBytes: maxRpcBytes,
  // JSON-RPC batches are not supported (docs/rules/settings.md#methods).
  listCode: errorCode.invalidArgument,
  reply: rpcResponseSchema,
});
