// Relays device commands from a process without a gateway to one with a gateway.
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import { createPeerRequests, servePeerRequests, NoResponseError } from "../../open/peer-requests.ts";
import type { DeviceResponse, DeviceCalls, DeviceRefusal } from "./request.ts";

type Command = { func: string; data: string; timeoutMs: number; waits: boolean };
type Outcome = { answer: DeviceResponse | DeviceRefusal | null } | { code: number; details?: Record<string, unknown> };

/** Throws 509 if no gateway accepts the request within two seconds. */
export function createRelayedCalls(ctx: Context): DeviceCalls & { stop(): void } {
  const others = createPeerRequests<Command, Outcome>(ctx.bus, "command");

  async function call(sensorId: string, command: Command): Promise<DeviceResponse | DeviceRefusal | null> {
    const outcome = await others.ask(sensorId, command, command.timeoutMs).catch((error: unknown): Outcome => {
      if (!(error instanceof NoResponseError)) throw error;
      if (error.kind === "late") return { code: errorCode.rpcTimeout };
      return {
        code: errorCode.comLinkSensor,
        ...(error.kind === "refused" ? { details: { reason: "No gateway runs" } } : {}),
      };
    });
    if ("answer" in outcome) return outcome.answer;
    throw new AppError(isServerErrorCode(outcome.code) ? outcome.code : errorCode.sensorError, outcome.details);
  }

  return {
    async call(sensorId, func, data, timeoutMs) {
      const answer = await call(sensorId, { func, data, timeoutMs, waits: true });
      if (!answer) throw new AppError(errorCode.invalidRpc);
      return answer;
    },
    send: async (sensorId, func, data, timeoutMs) =>
      void (await call(sensorId, { func, data, timeoutMs, waits: false })),
    stop: () => others.stop(),
  };
}

/** Handles requests of processes without a gateway, until the returned function is called. */
export function serveRelayedCalls(ctx: Context, devices: DeviceCalls): () => void {
  return servePeerRequests<Command, Outcome>(
    ctx.bus,
    "command",
    () => true,
    (sensorId, { func, data, timeoutMs, waits }) =>
      outcomeOf(() => (waits ? devices.call : devices.send)(sensorId, func, data, timeoutMs)),
  );
}

async function outcomeOf(ask: () => Promise<DeviceResponse | DeviceRefusal | void>): Promise<Outcome> {
  try {
    return { answer: (await ask()) ?? null };
  } catch (error) {
    if (!(error instanceof AppError)) return { code: errorCode.sensorError };
    return { code: error.code, ...(error.details ? { details: error.details } : {}) };
  }
}
