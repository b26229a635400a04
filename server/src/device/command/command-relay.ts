// Commands to devices from a process without a gateway: through the gateway of another one.
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import { createAsk, respondTo, UnansweredError } from "../../open/ask.ts";
import type { DeviceAnswer, DeviceCalls, Refusal } from "./request.ts";

type Command = { func: string; data: string; timeoutMs: number; waits: boolean };
type Outcome = { answer: DeviceAnswer | Refusal | null } | { code: number; details?: Record<string, unknown> };

/** Asks through the gateway of another process; 509 when none accepts the request within two seconds. */
export function relayCalls(ctx: Context): DeviceCalls & { stop(): void } {
  const others = createAsk<Command, Outcome>(ctx.bus, "command");

  async function call(sensorId: string, command: Command): Promise<DeviceAnswer | Refusal | null> {
    const outcome = await others.ask(sensorId, command, command.timeoutMs).catch((error: unknown): Outcome => {
      if (!(error instanceof UnansweredError)) throw error;
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
    async ask(sensorId, func, data, timeoutMs) {
      const answer = await call(sensorId, { func, data, timeoutMs, waits: true });
      if (!answer) throw new AppError(errorCode.invalidRpc);
      return answer;
    },
    tell: async (sensorId, func, data, timeoutMs) =>
      void (await call(sensorId, { func, data, timeoutMs, waits: false })),
    stop: () => others.stop(),
  };
}

/** Responds to processes without a gateway; the result ends it. */
export function answerRelayed(ctx: Context, devices: DeviceCalls): () => void {
  return respondTo<Command, Outcome>(
    ctx.bus,
    "command",
    () => true,
    (sensorId, { func, data, timeoutMs, waits }) =>
      outcomeOf(() => (waits ? devices.ask : devices.tell)(sensorId, func, data, timeoutMs)),
  );
}

async function outcomeOf(ask: () => Promise<DeviceAnswer | Refusal | void>): Promise<Outcome> {
  try {
    return { answer: (await ask()) ?? null };
  } catch (error) {
    if (!(error instanceof AppError)) return { code: errorCode.sensorError };
    return { code: error.code, ...(error.details ? { details: error.details } : {}) };
  }
}
