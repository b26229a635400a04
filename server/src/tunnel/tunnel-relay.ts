// Relays requests to the process that has the tunnel.
import type { Bus } from "../kit/bus.ts";
import { createPeerRequests, servePeerRequests, NoResponseError } from "../open/peer-requests.ts";
import {
  TunnelError,
  type TunnelReply,
  type TunnelRequest,
  type Tunnels,
  type TunnelStreams,
} from "./tunnel.service.ts";

type Asked = { probe: true } | { request: TunnelRequest };
type Answered =
  | { reply: { status: number; body: string } }
  | { isThere: boolean }
  | { error: { message: string; sent: boolean; kind: TunnelError["kind"] } };

export type TunnelRelay = {
  ask(sensorId: string, request: TunnelRequest): Promise<TunnelReply>;
  probe(sensorId: string): Promise<boolean>;
  stop(): void;
};

/** Throws TunnelError, also if no process accepts the request within two seconds. */
export function createTunnelRelay(bus: Bus): TunnelRelay {
  const others = createPeerRequests<Asked, Answered>(bus, "tunnel");

  async function call(sensorId: string, asked: Asked, timeoutMs: number) {
    const outcome = await others.ask(sensorId, asked, timeoutMs).catch((error: unknown) => {
      throw error instanceof NoResponseError ? tunnelErrors[error.kind]() : error;
    });
    if (!("error" in outcome)) return outcome;
    throw new TunnelError(outcome.error.message, outcome.error.sent, null, outcome.error.kind);
  }

  return {
    async ask(sensorId, request) {
      const outcome = await call(sensorId, { request }, request.timeoutMs ?? 30_000);
      if (!("reply" in outcome)) throw new TunnelError("The response can't be read", true);
      return { status: outcome.reply.status, body: Buffer.from(outcome.reply.body, "base64") };
    },
    async probe(sensorId) {
      const outcome = await call(sensorId, { probe: true }, 3_000).catch(() => null);
      return outcome !== null && "isThere" in outcome && outcome.isThere;
    },
    stop: () => others.stop(),
  };
}

const tunnelErrors: Record<NoResponseError["kind"], () => TunnelError> = {
  refused: () => new TunnelError("No process has the tunnel", false),
  late: () => new TunnelError("No response in time", true, null, "late"),
  stopped: () => new TunnelError("The process stops", false),
};

/** Serves requests of processes that do not have the tunnel. Returns a function that stops serving. */
export function serveTunnelRelay(bus: Bus, tunnels: Tunnels & TunnelStreams): () => void {
  return servePeerRequests<Asked, Answered>(bus, "tunnel", tunnels.isOpen, (sensorId, asked) =>
    outcomeOf(tunnels, sensorId, asked),
  );
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
