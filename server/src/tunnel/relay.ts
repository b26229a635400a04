// Requests through tunnels that end in another process, over the bus that processes with one database share (decisions 2).
import { randomUUID } from "node:crypto";
import type { Bus } from "../kit/bus.ts";
import {
  TunnelError,
  type TunnelReply,
  type TunnelRequest,
  type Tunnels,
  type TunnelStreams,
} from "./tunnel.service.ts";

/** One notification holds 8,000 bytes; the rest is left for its frame. */
const partLength = 6_000;
/** A process with the tunnel takes a request at once. */
const takenWithinMs = 2_000;
/** For the way back, in addition to the sensor's own time. */
const spareMs = 5_000;
const maxGathered = 1_000;

type Asked = { probe: true } | { request: TunnelRequest };
type Answered =
  | { reply: { status: number; body: string } }
  | { isThere: boolean }
  | { error: { message: string; sent: boolean; kind: TunnelError["kind"] } };

const toParts = (value: unknown): string[] => {
  const text = Buffer.from(JSON.stringify(value)).toString("base64");
  return Array.from({ length: Math.ceil(text.length / partLength) }, (_, n) =>
    text.slice(n * partLength, (n + 1) * partLength),
  );
};
const fromParts = (parts: readonly string[]): unknown =>
  JSON.parse(Buffer.from(parts.join(""), "base64").toString("utf8"));

/** Gathers parts of several messages; what never gets whole makes room for what comes later. */
function createGathering() {
  const open = new Map<string, string[]>();
  return {
    /** The whole value with its last part, else undefined. */
    add(id: string, part: number, parts: number, text: string): unknown {
      const held = open.get(id) ?? [];
      held[part - 1] = text;
      open.set(id, held);
      if (open.size > maxGathered) open.delete(open.keys().next().value ?? "");
      if (Object.keys(held).length < parts) return undefined;
      open.delete(id);
      return fromParts(held);
    },
    drop: (id: string) => void open.delete(id),
  };
}

export type TunnelRelay = {
  ask(sensorId: string, request: TunnelRequest): Promise<TunnelReply>;
  probe(sensorId: string): Promise<boolean>;
  stop(): void;
};

/** Asks through the process that has the tunnel. Throws TunnelError; none has it when none takes the request within two seconds. */
export function relayTunnels(bus: Bus): TunnelRelay {
  type Open = { taken(): void; settle(outcome: Answered): void };
  const open = new Map<string, Open>();
  const gathering = createGathering();
  const off = bus.on("tunnelAnswered", ({ callId, part, parts, text }) => {
    const pending = open.get(callId);
    if (!pending) return;
    pending.taken();
    const whole = part === 0 ? undefined : gathering.add(callId, part, parts, text);
    if (whole !== undefined) pending.settle(whole as Answered);
  });
  const gone = (message: string): Answered => ({ error: { message, sent: false, kind: "gone" } });

  async function call(
    sensorId: string,
    asked: Asked,
    timeoutMs: number,
  ): Promise<Exclude<Answered, { error: unknown }>> {
    const callId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answered>();
    const untaken = setTimeout(() => resolve(gone("No process has the tunnel")), takenWithinMs);
    const late = { message: "No answer in time", sent: true, kind: "late" } as const;
    const unanswered = setTimeout(() => resolve({ error: late }), timeoutMs + spareMs);
    open.set(callId, { settle: resolve, taken: () => clearTimeout(untaken) });
    try {
      const parts = toParts(asked);
      for (const [n, text] of parts.entries())
        bus.emit({ name: "tunnelAsked", event: { callId, sensorId, part: n + 1, parts: parts.length, text } });
      const outcome = await promise;
      if (!("error" in outcome)) return outcome;
      throw new TunnelError(outcome.error.message, outcome.error.sent, null, outcome.error.kind);
    } finally {
      clearTimeout(untaken);
      clearTimeout(unanswered);
      open.delete(callId);
      gathering.drop(callId);
    }
  }

  return {
    async ask(sensorId, request) {
      const outcome = await call(sensorId, { request }, request.timeoutMs ?? 30_000);
      if (!("reply" in outcome)) throw new TunnelError("The answer can't be read", true);
      return { status: outcome.reply.status, body: Buffer.from(outcome.reply.body, "base64") };
    },
    async probe(sensorId) {
      const outcome = await call(sensorId, { probe: true }, 3_000).catch(() => null);
      return outcome !== null && "isThere" in outcome && outcome.isThere;
    },
    stop() {
      off();
      for (const pending of open.values()) pending.settle(gone("The process stops"));
    },
  };
}

/** Answers what processes without the tunnel ask; the result ends it. */
export function answerTunnelRelay(bus: Bus, tunnels: Tunnels & TunnelStreams): () => void {
  const gathering = createGathering();
  return bus.on("tunnelAsked", ({ callId, sensorId, part, parts, text }) => {
    if (!tunnels.isOpen(sensorId)) return;
    const say = (n: number, all: number, piece: string) =>
      bus.emit({ name: "tunnelAnswered", event: { callId, part: n, parts: all, text: piece } });
    if (part === 1) say(0, 0, "");
    const asked = gathering.add(callId, part, parts, text) as Asked | undefined;
    if (asked === undefined) return;
    void outcomeOf(tunnels, sensorId, asked).then((outcome) => {
      const pieces = toParts(outcome);
      for (const [n, piece] of pieces.entries()) say(n + 1, pieces.length, piece);
    });
  });
}

async function outcomeOf(tunnels: Tunnels & TunnelStreams, sensorId: string, asked: Asked): Promise<Answered> {
  try {
    if ("probe" in asked) return { isThere: await tunnels.probe(sensorId) };
    const { status, body } = await tunnels.request(sensorId, asked.request);
    return { reply: { status, body: body.toString("base64") } };
  } catch (error) {
    if (!(error instanceof TunnelError)) return { error: { message: "Failed", sent: true, kind: "gone" } };
    return { error: { message: error.message, sent: error.sent, kind: error.kind } };
  }
}
