// Sends requests to connected devices and joins their responses from parts. Unanswered requests count for presence
// (docs/rules/devices.md#presence).
import { randomBytes } from "node:crypto";
import { errorCode } from "@psp/contract/errors.ts";
import { type RpcResponse, rpcResponseSchema } from "@psp/contract/device/device-rpc.ts";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import { z } from "zod";
import { AppError } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import type { Gateway } from "../../mqtt/gateway.ts";
import type { Presence } from "../presence/presence.ts";
import { isStoredConnected } from "../presence/presence.store.ts";

export type DeviceAnswer = {
  ok: true;
  func: string;
  data: string;
  ct: string | null;
  timestamp: number;
  durMs: number | null;
};
export type Refusal = { ok: false; code: string | number; message: string };

/** Requests to devices: by the gateway of this process, or by that of another one. */
export type DeviceCalls = {
  /**
   * Asks with a timeout in milliseconds. Throws 509 when the device is not connected or the request could not be
   * sent, 504 when no answer came in time, 503 when the answer made no sense.
   */
  ask(sensorId: string, func: string, data: string, timeoutMs: number): Promise<DeviceAnswer | Refusal>;
  /** Sends the same request and does not wait: 509 when it could not be sent. */
  tell(sensorId: string, func: string, data: string, timeoutMs: number): Promise<void>;
};

type Open = {
  sensorId: string;
  func: string;
  parts: Map<number, Extract<RpcResponse, { ok: true }>>;
  bytes: number;
  settle(result: DeviceAnswer | Refusal | AppError): void;
};

/** An answer that makes no sense is still one: the caller need not wait any longer. */
const answerSchema = rpcResponseSchema.or(z.unknown().transform(() => null));

/** Base64 of a full-size picture; more is nonsense. */
const maxAnswer = 16 * 1024 * 1024;

/**
 * `presence` is looked up at each request: presence itself asks by pings. `shortMs`: two requests that wait less than this
 * and stay unanswered say only that a ping should ask.
 */
export function createRequests(
  ctx: Context,
  { gateway, presence, shortMs }: { gateway: Gateway; presence: () => Presence; shortMs: number },
) {
  const open = new Map<string, Open>();
  // Only the instance that asked receives the answer: the topic carries its name.
  const instance = randomBytes(6).toString("hex");

  gateway.handle("rpc", answerSchema, ({ sensorId, correlation }, answer) => {
    const call = correlation ? open.get(correlation.toString("hex")) : undefined;
    // Another device can't answer for this one, even if it guessed the number.
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

  /** Resolves when the broker has it. */
  async function send(sensorId: string, func: string, data: string, timeoutMs: number, correlation: Buffer) {
    const request = { func, data, timeout: timeoutMs, at: ctx.clock.now() };
    const responseTopic = upTopic(sensorId, `rpc/${instance}`);
    await gateway
      .publish(sensorId, "rpc", request, { qos: 1, expiryS: Math.ceil(timeoutMs / 1000), responseTopic, correlation })
      .catch((error: unknown) => {
        throw new AppError(errorCode.comLinkSensor, undefined, { cause: error });
      });
  }

  /** An external broker can't say who is connected; then the stored presence, whichever gateway noted it, does. */
  async function requireConnected(sensorId: string) {
    if (!(gateway.isConnected(sensorId) ?? (await isStoredConnected(ctx.db, sensorId))))
      throw new AppError(errorCode.comLinkSensor);
  }

  async function exchange(sensorId: string, func: string, data: string, timeoutMs: number) {
    const correlation = randomBytes(16);
    const key = correlation.toString("hex");
    const { promise, resolve } = Promise.withResolvers<DeviceAnswer | Refusal | AppError>();
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
      presence().unanswered(sensorId, func === "ping" ? "ping" : timeoutMs < shortMs ? "short" : "long");
      throw error;
    }
  }

  const calls: DeviceCalls = {
    ask,
    async tell(sensorId, func, data, timeoutMs) {
      await requireConnected(sensorId);
      await send(sensorId, func, data, timeoutMs, randomBytes(16));
    },
  };
  return {
    ...calls,
    ping: (sensorId: string, timeoutMs: number) => void ask(sensorId, "ping", "", timeoutMs).catch(() => undefined),
    /** Callers that wait for this device get 509: it is no longer theirs to ask. */
    abandon(sensorId: string) {
      for (const call of open.values())
        if (call.sensorId === sensorId) call.settle(new AppError(errorCode.comLinkSensor));
    },
    stop() {
      for (const call of open.values()) call.settle(new AppError(errorCode.comLinkSensor));
    },
  };
}

/** Each part may be padded on its own. */
function joinBase64(parts: string[]): string {
  if (parts.length === 1) return parts[0] ?? "";
  return Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))).toString("base64");
}
