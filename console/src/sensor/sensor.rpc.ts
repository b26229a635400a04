// JSON-RPC calls to a ZOD or PS.C1, and messages for refusals (SE-06, SE-07).
import { errorCode, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { FieldError } from "@psp/contract/section/check/check-field.ts";
import { type RpcError, rpcErrors, type RpcMethod } from "@psp/contract/section/rpc.ts";
import { callSensorRpc } from "@psp/contract/section/section.api.ts";
import type { Values } from "@psp/contract/section/field.ts";
import { call, CallError } from "../api/call.ts";
import { sensorRpcText as text } from "./sensor-page.text.ts";

/** An error response of the sensor itself. */
export class SensorRefusedError extends Error {
  readonly code: number;
  readonly fields: readonly FieldError[];
  constructor({ code, message, data }: RpcError) {
    super(message);
    this.name = "SensorRefusedError";
    this.code = code;
    this.fields = data?.fields ?? [];
  }
}

let asked = 0;

/** Throws SensorRefusedError, or CallError if the server could not reach the sensor. */
export async function callSensor(
  id: string,
  method: RpcMethod,
  params: Values,
  signal?: AbortSignal,
): Promise<unknown> {
  asked = (asked + 1) % 1_000_000_000;
  const body = { jsonrpc: "2.0" as const, id: asked, method, params };
  const { result, error } = await call(callSensorRpc, { params: { id }, body, ...(signal && { signal }) });
  if (error !== undefined) throw new SensorRefusedError(error);
  return result;
}

const comLinkLost: ServerErrorCode = errorCode.comLinkSensor;
/** Whether the server could not reach the sensor and has no stored values. */
export const isSensorUnreachable = (error: unknown): boolean =>
  error instanceof CallError && error.code === comLinkLost;

const longestSentence = 200;
/** Quotes a message of the device, shortened to 200 characters. */
export const quoteSensorMessage = (sentence: string): string =>
  sentence.trim() === "" ? text.unreadable : text.says(sentence.slice(0, longestSentence));

/** `unknownMethod` is the message for firmware without this method. */
export function refusalMessage({ code, message }: SensorRefusedError, unknownMethod: string): string {
  if (code === rpcErrors.busy) return text.busy;
  if (code === rpcErrors.unknownMethod) return unknownMethod;
  return quoteSensorMessage(message);
}
