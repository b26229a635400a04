// Relays device commands to the gateway that reaches the sensor.
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import { createPeerRequests, servePeerRequests, NoResponseError } from "../../open/peer-requests.ts";
import { findGateway } from "../gateways/gateways.store.ts";
import type { SensorGateway } from "../sensor-gateway.ts";
import type { DeviceResponse, DeviceCalls, DeviceRefusal } from "./request.ts";

type Command = { func: string; data: string; timeoutMs: number; waits: boolean };
type Outcome = { answer: DeviceResponse | DeviceRefusal | null } | { code: number; details?: Record<string, unknown> };
type LocalGateway = Pick<SensorGateway, "gatewayId" | "isConnected" | "call" | "send">;

const noGateway: Outcome = { code: errorCode.comLinkSensor, details: { reason: "No gateway runs" } };

/** `local` is the gateway of this process, if it has one. Throws 509 if no gateway accepts the request within two seconds. */
export function createRelayedCalls(ctx: Context, local: LocalGateway | null): DeviceCalls & { stop(): void } {
  const others = createPeerRequests<Command, Outcome>(ctx.bus, "command");

  async function relay(sensorId: string, command: Command, to: string): Promise<Outcome> {
    return others.ask(sensorId, command, command.timeoutMs, to).catch((error: unknown): Outcome => {
      if (!(error instanceof NoResponseError)) throw error;
      if (error.kind === "late") return { code: errorCode.rpcTimeout };
      return error.kind === "refused" ? noGateway : { code: errorCode.comLinkSensor };
    });
  }

  async function find(sensorId: string, command: Command): Promise<Outcome> {
    // An external broker can't tell, and every gateway reaches the sensor.
    if (local && local.isConnected(sensorId) !== false) return outcomeOf(local, sensorId, command);
    const { gatewayId, isRunning } = await findGateway(ctx.db, sensorId);
    if (gatewayId !== null && gatewayId !== local?.gatewayId) return relay(sensorId, command, gatewayId);
    if (local) return outcomeOf(local, sensorId, command);
    return isRunning ? { code: errorCode.comLinkSensor } : noGateway;
  }

  async function call(sensorId: string, command: Command): Promise<DeviceResponse | DeviceRefusal | null> {
    const outcome = await find(sensorId, command);
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

/** Handles requests of other processes, until the returned function is called. */
export function serveRelayedCalls(ctx: Context, gateway: LocalGateway): () => void {
  return servePeerRequests<Command, Outcome>(
    ctx.bus,
    "command",
    (_sensorId, to) => to === gateway.gatewayId,
    (sensorId, command) => outcomeOf(gateway, sensorId, command),
  );
}

async function outcomeOf(
  gateway: LocalGateway,
  sensorId: string,
  { func, data, timeoutMs, waits }: Command,
): Promise<Outcome> {
  try {
    return { answer: (await (waits ? gateway.call : gateway.send)(sensorId, func, data, timeoutMs)) ?? null };
  } catch (error) {
    if (!(error instanceof AppError)) return { code: errorCode.sensorError };
    return { code: error.code, ...(error.details ? { details: error.details } : {}) };
  }
}
