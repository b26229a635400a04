// Questions to connected devices, and what it says about a device that it does not answer (device-protocol 4.4).
import type { Context } from "../../context.ts";
import type { Gateway } from "../../mqtt/gateway.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Presence } from "../presence/presence.ts";
import { isStoredConnected } from "../presence/presence.store.ts";
import type { DeviceAnswer, Refusal, Requests } from "./request.ts";

/** Requests to devices: by the gateway of this process, or by that of another one. Codes as in request.ts. */
export type DeviceCalls = {
  ask(sensorId: string, func: string, data: string, timeoutMs: number): Promise<DeviceAnswer | Refusal>;
  tell(sensorId: string, func: string, data: string, timeoutMs: number): Promise<void>;
};

/** `shortMs`: two requests that wait less than this and stay unanswered say only that a ping should ask. */
export function createQuestions(
  ctx: Context,
  {
    gateway,
    requests,
    presence,
    shortMs,
  }: {
    gateway: Gateway;
    requests: Requests;
    /** Looked up at each request: presence itself asks by pings. */
    presence: () => Presence;
    shortMs: number;
  },
): DeviceCalls & { ping(sensorId: string, timeoutMs: number): void } {
  /** An external broker can't say who is connected; then the stored presence, whichever gateway noted it, does. */
  async function requireConnected(sensorId: string) {
    if (gateway.isConnected(sensorId) === null && !(await isStoredConnected(ctx.db, sensorId))) throw new AppError(509);
  }

  async function ask(sensorId: string, func: string, data: string, timeoutMs: number) {
    try {
      await requireConnected(sensorId);
      return await requests.ask(sensorId, func, data, timeoutMs);
    } catch (error) {
      const isHurried = timeoutMs < shortMs;
      presence().unanswered(sensorId, func === "ping" ? "ping" : isHurried ? "hurried" : "patient");
      throw error;
    }
  }

  return {
    ask,
    async tell(sensorId, func, data, timeoutMs) {
      await requireConnected(sensorId);
      await requests.tell(sensorId, func, data, timeoutMs);
    },
    ping: (sensorId, timeoutMs) => void ask(sensorId, "ping", "", timeoutMs).catch(() => undefined),
  };
}
