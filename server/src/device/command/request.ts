// Sends requests to connected devices and joins their chunked responses. Failed requests affect presence
// (docs/rules/devices.md#presence).
import { randomBytes } from "node:crypto";
import { errorCode } from "@psp/contract/errors.ts";
import { type DeviceRpcResponse, deviceRpcResponseSchema } from "@psp/contract/device/device-rpc.ts";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import { z } from "zod";
import { AppError } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import type { Gateway } from "../../mqtt/gateway.ts";
import type { Presence } from "../presence/presence.ts";
import { isStoredAsConnected } from "../presence/presence.store.ts";

export type DeviceResponse = {
  ok: true;
  func: string;
  data: string;
  ct: string | null;
  timestamp: number;
  durMs: number | null;
};
export type DeviceRefusal = { ok: false; code: string | number; message: string };

/** Requests to devices through the gateway of this process or of another one. */
export type DeviceCalls = {
  /**
   * Waits at most `timeoutMs`. Throws 509 if the device is not connected or the request could not be sent, 504 on timeout, 503 if the
   * response is malformed.
   */
  call(sensorId: string, func: string, data: string, timeoutMs: number): Promise<DeviceResponse | DeviceRefusal>;
  /** Sends the request without waiting for a response. Throws 509 if it could not be sent. */
  send(sensorId: string, func: string, data: string, timeoutMs: number): Promise<void>;
};

type Open = {
  sensorId: string;
  func: string;
  parts: Map<number, Extract<DeviceRpcResponse, { ok: true }>>;
  bytes: number;
  settle(result: DeviceResponse | DeviceRefusal | AppError): void;
};

const answerSchema = deviceRpcResponseSchema.or(z.unknown().transform(() => null));

/** Enough for a full-size picture in Base64. */
const maxAnswer = 16 * 1024 * 1024;

/**
 * `presence` is a function because presence and requests depend on each other. Two failed requests with a timeout below
 * `shortTimeoutMs` only trigger a ping.
 */
export function createDeviceCalls(
  ctx: Context,
  options: { gateway: Gateway; gatewayId: string; presence: () => Presence; shortTimeoutMs: number },
) {
  const { gateway, gatewayId, presence, shortTimeoutMs } = options;
  const open = new Map<string, Open>();

  gateway.handle("rpc", answerSchema, ({ sensorId, correlation }, answer) => {
    const call = correlation ? open.get(correlation.toString("hex")) : undefined;
    // A device must not answer for another one, even if it guessed the correlation data.
    if (!call || call.sensorId !== sensorId) return;
    if (answer === null) return call.settle(new AppError(errorCode.invalidRpc));
    if (!answer.ok) return call.settle({ ok: false, code: answer.code, message: answer.message });
    if (answer.func !== call.func || answer.part > answer.parts) return call.settle(new AppError(errorCode.invalidRpc));
    if (!call.parts.has(answer.part)) call.bytes += answer.data.length;
    call.parts.set(answer.part, answer);
    if (call.bytes > maxAnswer) return call.settle(new AppError(errorCode.invalidRpc));
    if (call.parts.size < answer.parts) return;
    const parts = [...call.parts.values()].toSorted((a, b) => a.part - b.part);
    call.settle({
      ok: true,
      func: answer.func,
      data: joinBase64(parts.map((part) => part.data)),
      ct: parts[0]?.ct ?? null,
      timestamp: answer.timestamp,
      durMs: answer.durMs ?? null,
    });
  });

  /** Resolves when the broker has accepted the message. */
  async function send(sensorId: string, func: string, data: string, timeoutMs: number, correlation: Buffer) {
    const request = { func, data, timeout: timeoutMs, at: ctx.clock.now() };
    // Names this gateway, so that no other one receives the response.
    const responseTopic = upTopic(sensorId, `rpc/${gatewayId}`);
    await gateway
      .publish(sensorId, "rpc", request, { qos: 1, expiryS: Math.ceil(timeoutMs / 1000), responseTopic, correlation })
      .catch((error: unknown) => {
        throw new AppError(errorCode.comLinkSensor, undefined, { cause: error });
      });
  }

  /** An external broker can't say who is connected, so the stored presence decides. */
  async function requireConnected(sensorId: string) {
    if (!(gateway.isConnected(sensorId) ?? (await isStoredAsConnected(ctx.db, sensorId))))
      throw new AppError(errorCode.comLinkSensor);
  }

  async function exchange(sensorId: string, func: string, data: string, timeoutMs: number) {
    const correlation = randomBytes(16);
    const key = correlation.toString("hex");
    const { promise, resolve } = Promise.withResolvers<DeviceResponse | DeviceRefusal | AppError>();
    const timer = setTimeout(() => resolve(new AppError(errorCode.rpcTimeout)), timeoutMs);
    open.set(key, { sensorId, func, parts: new Map(), bytes: 0, settle: resolve });
    try {
      send(sensorId, func, data, timeoutMs, correlation).catch(resolve);
      const result = await promise;
      if (result instanceof AppError) throw result;
      return result;
    } finally {
      clearTimeout(timer);
      open.delete(key);
    }
  }

  async function ask(sensorId: string, func: string, data: string, timeoutMs: number) {
    try {
      await requireConnected(sensorId);
      return await exchange(sensorId, func, data, timeoutMs);
    } catch (error) {
      presence().unanswered(sensorId, func === "ping" ? "ping" : timeoutMs < shortTimeoutMs ? "short" : "long");
      throw error;
    }
  }

  const calls: DeviceCalls = {
    call: ask,
    async send(sensorId, func, data, timeoutMs) {
      await requireConnected(sensorId);
      await send(sensorId, func, data, timeoutMs, randomBytes(16));
    },
  };
  return {
    ...calls,
    ping: (sensorId: string, timeoutMs: number) => void ask(sensorId, "ping", "", timeoutMs).catch(() => undefined),
    /** Rejects pending requests with 509: the sensor was deleted or changed owner. */
    abandon(sensorId: string) {
      for (const call of open.values())
        if (call.sensorId === sensorId) call.settle(new AppError(errorCode.comLinkSensor));
    },
    stop() {
      for (const call of open.values()) call.settle(new AppError(errorCode.comLinkSensor));
    },
  };
}

/** Parts can't simply be concatenated, because each may be padded. */
function joinBase64(parts: string[]): string {
  if (parts.length === 1) return parts[0] ?? "";
  return Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))).toString("base64");
}
