// Accepts tunnels at `/device/tunnel`, and ends them (docs/rules/remote-access.md#tunnels).
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { WebSocket } from "ws";
import type { Context } from "../context.ts";
import { hashToken } from "../kit/tokens.ts";
import { createRateLimit } from "../kit/limits/rate-limit.ts";
import { isWireId } from "../mqtt/device-access.ts";
import { acceptSockets } from "../open/connection.ts";
import { createSocketPairs } from "./socket-pair.ts";
import { createTunnelRegistry } from "./tunnel-registry.ts";
import { type Tunnels, type TunnelStreams, TunnelError } from "./tunnel.service.ts";
import {
  openTunnelSession,
  tunnelCloseCodes,
  type TunnelTiming,
  tunnelTiming,
  type TunnelSession,
} from "./tunnel.session.ts";

export const tunnelPath = "/device/tunnel";
/** HTTP/2 frames are 16 KiB, and a sensor may put several into one message. */
const maxMessageBytes = 256 * 1024;
const maxTunnels = 20_000;
const probeMs = 3_000;
/** New tunnels per sensor and minute. Limited, because each is stored and published. */
const maxAMinute = 30;

type Tunnel = {
  id: string;
  sensorId: string;
  hash: Buffer;
  session: TunnelSession;
  isReady: boolean;
  isStored: boolean;
};
export type TunnelGuard = Tunnels & TunnelStreams & { stop(): Promise<void> };
export type TunnelOptions = {
  /** Checks a device's wire id and secret, like the device gateway. */
  authenticate(wireId: string, secret: string): Promise<boolean>;
  limits?: TunnelTiming;
  /** URL at which other processes reach this one; null if they can't. */
  url?: string | null;
};

const endReplaced = (tunnel: Tunnel | undefined) =>
  tunnel?.session.end(tunnelCloseCodes.replaced, "Another tunnel of this sensor");

/** Accepts tunnels, and removes the tunnels of dead processes. */
export function startTunnels(ctx: Context, server: Server, options: TunnelOptions): TunnelGuard {
  /** The ready tunnel of each sensor; at most one more per sensor is being opened. */
  const ready = new Map<string, Tunnel>();
  const coming = new Map<string, Tunnel>();
  const pairs = createSocketPairs();
  const opened = createRateLimit(ctx.clock, maxAMinute, 60_000);
  const listeners = new Set<(sensorId: string) => void>();
  const ofSensor = (sensorId: string) => [ready.get(sensorId), coming.get(sensorId)].filter((one) => one !== undefined);
  const all = () => [...ready.values(), ...coming.values()];
  const endVoid = (sensorIds: readonly string[]) => {
    for (const sensorId of sensorIds)
      for (const tunnel of ofSensor(sensorId)) tunnel.session.end(tunnelCloseCodes.void, "The credential is void");
  };
  const { limits = tunnelTiming } = options;
  const registry = createTunnelRegistry(ctx, {
    open: all,
    onVoid: endVoid,
    onReplaced: (ids) => all().forEach((tunnel) => ids.has(tunnel.id) && endReplaced(tunnel)),
    everyMs: limits.registryMs,
    url: options.url ?? null,
  });

  const sockets = acceptSockets(ctx, server, {
    path: tunnelPath,
    maxPayload: maxMessageBytes,
    async decide({ request }) {
      const login = readBasic(request.headers.authorization);
      if (!login) return { refused: "401 Unauthorized" };
      if (ready.size + coming.size >= maxTunnels) return { refused: "503 Service Unavailable" };
      if (!(await options.authenticate(login.wireId, login.secret))) return { refused: "401 Unauthorized" };
      if (opened.take(login.sensorId) > 0) return { refused: "429 Too Many Requests" };
      if (registry.stopped || !pairs.isReady()) return { refused: "503 Service Unavailable" };
      return { open: (socket) => open(socket, login) };
    },
  });

  function open(socket: WebSocket, { sensorId, secret }: Login) {
    endReplaced(coming.get(sensorId));
    const session = openTunnelSession(socket, pairs, limits, {
      onReady: () => activate(tunnel),
      onEnd: (reason) => leave(tunnel, reason),
    });
    const hash = hashToken(secret);
    const tunnel: Tunnel = { id: randomUUID(), sensorId, hash, session, isReady: false, isStored: false };
    coming.set(sensorId, tunnel);
  }

  /** The newest tunnel that speaks HTTP/2 replaces the former one. */
  function activate(tunnel: Tunnel) {
    const before = ready.get(tunnel.sensorId);
    if (coming.get(tunnel.sensorId) === tunnel) coming.delete(tunnel.sensorId);
    ready.set(tunnel.sensorId, tunnel);
    tunnel.isReady = true;
    ctx.metrics.tunnels.set(ready.size);
    endReplaced(before);
    registry.opened(tunnel);
    for (const listener of listeners) listener(tunnel.sensorId);
  }

  function leave(tunnel: Tunnel, reason: string) {
    if (coming.get(tunnel.sensorId) === tunnel) coming.delete(tunnel.sensorId);
    if (ready.get(tunnel.sensorId) === tunnel) ready.delete(tunnel.sensorId);
    ctx.metrics.tunnels.set(ready.size);
    ctx.log.debug({ sensorId: tunnel.sensorId, reason }, "a tunnel ended");
    if (tunnel.isReady) registry.closed(tunnel);
  }

  function sessionOf(sensorId: string): TunnelSession {
    const tunnel = ready.get(sensorId);
    if (!tunnel) throw new TunnelError("There is no tunnel", false);
    return tunnel.session;
  }

  const unsubscribe = [
    ctx.bus.on("sensorsDropped", ({ sensorIds }) => endVoid(sensorIds)),
    ctx.bus.on("tunnelOpened", ({ sensorId, tunnelId }) => {
      const mine = ready.get(sensorId);
      if (mine?.id !== tunnelId) endReplaced(mine);
    }),
  ];

  return {
    isOpen: (sensorId) => ready.has(sensorId),
    openIds: () => [...ready.keys()],
    request: async (sensorId, request) => sessionOf(sensorId).request(request),
    stream: (sensorId, head) => sessionOf(sensorId).stream(head),
    probe: async (sensorId) => (await ready.get(sensorId)?.session.probe(probeMs)) ?? false,
    onOpen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      for (const off of unsubscribe) off();
      for (const tunnel of all()) tunnel.session.end(tunnelCloseCodes.goingAway, "Server stops");
      sockets.stop();
      pairs.stop();
      await registry.stop();
    },
  };
}

type Login = { wireId: string; sensorId: string; secret: string };

/** HTTP Basic with the device's MQTT credential; null if malformed. */
function readBasic(header: string | undefined): Login | null {
  const [, encoded = ""] = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(header ?? "") ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const wireId = text.slice(0, Math.max(0, colon));
  const sensorId = isWireId(wireId) ? parseMac(wireId) : null;
  return sensorId === null ? null : { wireId, sensorId, secret: text.slice(colon + 1) };
}
