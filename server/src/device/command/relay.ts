// Requests to devices from a process without a gateway, over the bus that processes with one database share (decisions 2).
import { randomUUID } from "node:crypto";
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Context } from "../../context.ts";
import type { DeviceAnswer, DeviceCalls, Refusal } from "./request.ts";

type Outcome = { answer: DeviceAnswer | Refusal | null } | { code: number; details?: Record<string, unknown> };
type Open = { taken(): void; parts: string[]; settle(outcome: Outcome): void };

/** One notification holds 8,000 bytes; the rest is left for its frame. */
const partLength = 6_000;
/** A live gateway takes a request at once. */
const takenWithinMs = 2_000;
/** For the way back, in addition to the device's own time. */
const spareMs = 5_000;

/** Asks through the gateway of another process; 509 when none takes the request within two seconds. */
export function relayCalls(ctx: Context): DeviceCalls & { stop(): void } {
  const open = new Map<string, Open>();
  const off = ctx.bus.on("deviceAnswered", ({ callId, part, parts, text }) => {
    const pending = open.get(callId);
    if (!pending) return;
    pending.taken();
    if (part === 0) return;
    pending.parts[part - 1] = text;
    if (Object.keys(pending.parts).length < parts) return;
    pending.settle(JSON.parse(Buffer.from(pending.parts.join(""), "base64").toString("utf8")) as Outcome);
  });

  async function call(waits: boolean, sensorId: string, func: string, data: string, timeoutMs: number) {
    const callId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const untaken = setTimeout(
      () => resolve({ code: errorCode.comLinkSensor, details: { reason: "No gateway runs" } }),
      takenWithinMs,
    );
    const unanswered = setTimeout(() => resolve({ code: errorCode.rpcTimeout }), timeoutMs + spareMs);
    open.set(callId, { parts: [], settle: resolve, taken: () => clearTimeout(untaken) });
    try {
      ctx.bus.emit({ name: "deviceAsked", event: { callId, sensorId, func, data, timeoutMs, waits } });
      const outcome = await promise;
      if ("answer" in outcome) return outcome.answer;
      throw new AppError(isServerErrorCode(outcome.code) ? outcome.code : errorCode.sensorError, outcome.details);
    } finally {
      clearTimeout(untaken);
      clearTimeout(unanswered);
      open.delete(callId);
    }
  }

  return {
    async ask(sensorId, func, data, timeoutMs) {
      const answer = await call(true, sensorId, func, data, timeoutMs);
      if (!answer) throw new AppError(errorCode.invalidRpc);
      return answer;
    },
    tell: async (sensorId, func, data, timeoutMs) => void (await call(false, sensorId, func, data, timeoutMs)),
    stop() {
      off();
      for (const pending of open.values()) pending.settle({ code: errorCode.comLinkSensor });
    },
  };
}

/** Answers what processes without a gateway ask; the result ends it. */
export function answerRelayed(ctx: Context, devices: DeviceCalls): () => void {
  return ctx.bus.on("deviceAsked", ({ callId, sensorId, func, data, timeoutMs, waits }) => {
    const say = (part: number, parts: number, text: string) =>
      ctx.bus.emit({ name: "deviceAnswered", event: { callId, part, parts, text } });
    say(0, 0, "");
    void outcomeOf(() => (waits ? devices.ask : devices.tell)(sensorId, func, data, timeoutMs)).then((outcome) => {
      const text = Buffer.from(JSON.stringify(outcome)).toString("base64");
      const parts = Math.ceil(text.length / partLength);
      for (let n = 0; n < parts; n += 1) say(n + 1, parts, text.slice(n * partLength, (n + 1) * partLength));
    });
  });
}

async function outcomeOf(ask: () => Promise<DeviceAnswer | Refusal | void>): Promise<Outcome> {
  try {
    return { answer: (await ask()) ?? null };
  } catch (error) {
    if (!(error instanceof AppError)) return { code: errorCode.sensorError };
    return { code: error.code, ...(error.details ? { details: error.details } : {}) };
  }
}
