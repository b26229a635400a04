// Requests and responses between processes over the bus of their shared database.
import { randomUUID } from "node:crypto";
import type { Bus } from "../kit/bus.ts";

/** Characters of payload per notification, which can contain 8,000 bytes including the envelope. */
const partLength = 6_000;
const acceptedWithinMs = 2_000;
/** Time for transport, in addition to the timeout of the work. */
const spareMs = 5_000;
/** Maximum incomplete messages. Beyond it, the oldest one is dropped. */
const maxGathered = 1_000;

export type PeerTopic = "command" | "tunnel";

/** No response: no process accepted the request, it timed out, or this process is stopping. */
export class NoResponseError extends Error {
  readonly kind: "refused" | "late" | "stopped";
  constructor(kind: NoResponseError["kind"]) {
    super(`No response: ${kind}`);
    this.kind = kind;
  }
}

type Pending<Response> = { accepted(): void; resolve(response: Response): void; reject(error: NoResponseError): void };

export function createPeerRequests<Request, Response>(bus: Bus, topic: PeerTopic) {
  const open = new Map<string, Pending<Response>>();
  const gathering = createGathering();
  const off = bus.on("responded", ({ callId, part, parts, text }) => {
    const pending = open.get(callId);
    if (!pending) return;
    pending.accepted();
    const whole = part === 0 ? undefined : gathering.add(callId, part, parts, text);
    if (whole !== undefined) pending.resolve(whole as Response);
  });

  return {
    /**
     * Resolves with the response of the process responsible for the sensor, which is the gateway `to` if given. `timeoutMs` limits only
     * the work in that process. Throws NoResponseError.
     */
    async ask(sensorId: string, request: Request, timeoutMs: number, to?: string): Promise<Response> {
      const callId = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const unaccepted = setTimeout(() => reject(new NoResponseError("refused")), acceptedWithinMs);
      const late = setTimeout(() => reject(new NoResponseError("late")), timeoutMs + spareMs);
      open.set(callId, { accepted: () => clearTimeout(unaccepted), resolve, reject });
      try {
        for (const chunk of chunksOf(request))
          bus.send({
            name: "asked",
            event: { callId, topic, sensorId, ...(to === undefined ? {} : { to }), ...chunk },
          });
        return await promise;
      } finally {
        clearTimeout(unaccepted);
        clearTimeout(late);
        open.delete(callId);
        gathering.drop(callId);
      }
    },
    stop() {
      off();
      for (const pending of open.values()) pending.reject(new NoResponseError("stopped"));
    },
  };
}

/** Serves requests of other processes; returns a function that stops it. `respond` must not throw. */
export function servePeerRequests<Request, Response>(
  bus: Bus,
  topic: PeerTopic,
  accepts: (sensorId: string, to: string | undefined) => boolean,
  respond: (sensorId: string, request: Request) => Promise<Response>,
): () => void {
  const gathering = createGathering();
  return bus.on("asked", ({ callId, topic: asked, sensorId, to, part, parts, text }) => {
    if (asked !== topic || !accepts(sensorId, to)) return;
    const send = (chunk: Chunk) => bus.send({ name: "responded", event: { callId, ...chunk } });
    // Part 0 acknowledges the request.
    if (part === 1) send({ part: 0, parts: 0, text: "" });
    const request = gathering.add(callId, part, parts, text);
    if (request !== undefined)
      void respond(sensorId, request as Request).then((response) => chunksOf(response).forEach(send));
  });
}

type Chunk = { part: number; parts: number; text: string };

/** Splits Base64 text, because it can be cut anywhere. */
function chunksOf(value: unknown): Chunk[] {
  const text = Buffer.from(JSON.stringify(value)).toString("base64");
  const parts = Math.ceil(text.length / partLength);
  return Array.from({ length: parts }, (_, n) => ({
    part: n + 1,
    parts,
    text: text.slice(n * partLength, (n + 1) * partLength),
  }));
}

function createGathering() {
  const open = new Map<string, string[]>();
  return {
    /** Returns the complete value once all parts have arrived, else undefined. */
    add(id: string, part: number, parts: number, text: string): unknown {
      const held = open.getOrInsertComputed(id, () => []);
      held[part - 1] = text;
      if (open.size > maxGathered) open.delete(open.keys().next().value ?? "");
      if (Object.keys(held).length < parts) return undefined;
      open.delete(id);
      return JSON.parse(Buffer.from(held.join(""), "base64").toString("utf8"));
    },
    drop: (id: string) => void open.delete(id),
  };
}
