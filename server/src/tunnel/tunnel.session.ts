// One tunnel: HTTP/2 on a WebSocket with the sensor as the server. The sensor may be hostile (T-17).
import { connect, type ClientHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { createWebSocketStream, type WebSocket } from "ws";
import { keepAlive } from "../open/connection.ts";
import { defaultMaxBytes, sendBuffered } from "./exchange.ts";
import type { SocketPairs } from "./socket-pair.ts";
import { openStream, streamWindowBytes } from "./stream.ts";
import { type StreamHead, TunnelError, type TunnelRequest } from "./tunnel.service.ts";

export const tunnelCloseCodes = { goingAway: 1001, protocol: 1002, tooBig: 1009, void: 4401, replaced: 4409 } as const;

export const tunnelTiming = {
  /** Ping interval. A sensor that has not answered a ping by the next one is disconnected. */
  beatMs: 15_000,
  /** Time limit for the start of HTTP/2. */
  readyMs: 10_000,
  /** Interval for checking credentials and other processes. */
  registryMs: 10_000,
};
export type TunnelTiming = typeof tunnelTiming;

const maxRequests = 32;
const maxHeaderBytes = 16 * 1024;
/** Bytes that a sensor may send between two pings, besides responses: settings, pings, window updates. */
const smallTalkBytes = 64 * 1024;
/** Maximum unsent bytes, such as ping responses that the sensor does not read. */
const maxUnsentBytes = 1024 * 1024;
const closeTimeoutMs = 500;
/** Overhead in bytes per chunk of a stream. */
const frameBytes = 128;
/** Flow-control window of all streams of a tunnel together, in bytes. */
const sessionWindow = 1024 * 1024;

export type TunnelSession = ReturnType<typeof openTunnelSession>;

type Events = { onReady(): void; onEnd(reason: string): void };

/** Speaks HTTP/2 until either side ends it; `onEnd` is called once. */
export function openTunnelSession(socket: WebSocket, pairs: SocketPairs, limits: TunnelTiming, events: Events) {
  const duplex = createWebSocketStream(socket, { highWaterMark: 64 * 1024 });
  const session = connectOver(pairs.inFrontOf(duplex));
  const inFlight = new Set<(error: TunnelError) => void>();
  let ended = false;
  let isReady = false;
  let budget = smallTalkBytes;

  const unready = setTimeout(() => end(tunnelCloseCodes.protocol, "No HTTP/2 in time"), limits.readyMs);
  keepAlive(
    socket,
    limits.beatMs,
    () => abort("no answer to a ping"),
    () => void (budget = inFlight.size === 0 ? smallTalkBytes : Math.max(budget, smallTalkBytes)),
  );

  function over(reason: string): boolean {
    if (ended) return false;
    ended = true;
    clearTimeout(unready);
    for (const fail of inFlight) fail(new TunnelError(`The tunnel ended: ${reason}`, true));
    events.onEnd(reason);
    return true;
  }

  function abort(reason: string) {
    over(reason);
    session.destroy();
    duplex.destroy();
    socket.terminate();
  }

  function end(code: number, reason: string) {
    if (!over(reason)) return;
    socket.close(code, reason);
    setTimeout(() => abort(reason), closeTimeoutMs).unref();
  }

  socket.on("message", (data: Buffer, isBinary) => {
    budget -= data.length;
    if (!isBinary) end(1003, "Text is no HTTP/2");
    else if (budget < 0) end(1008, "More than was asked for");
  });
  socket.on("ping", () => {
    budget -= 64;
    if (budget < 0 || socket.bufferedAmount > maxUnsentBytes) abort("a flood of pings");
  });
  socket.on("error", (error) => abort(error.message));
  socket.on("close", () => abort("closed"));
  duplex.on("error", (error) => abort(error.message));
  session.on("error", (error) => end(tunnelCloseCodes.protocol, `No HTTP/2: ${error.message}`.slice(0, 120)));
  session.on("goaway", () => end(tunnelCloseCodes.goingAway, "The sensor ended it"));
  session.on("close", () => abort("closed"));
  session.once("remoteSettings", () => {
    if (ended) return;
    isReady = true;
    clearTimeout(unready);
    events.onReady();
  });

  function requireRoom() {
    if (ended || !isReady || session.closed || session.destroyed) throw new TunnelError("There is no tunnel", false);
    if (inFlight.size >= maxRequests) throw new TunnelError("Too many requests at once", false);
  }

  return {
    /** Sends the reason and closes within half a second. */
    end,
    request(request: TunnelRequest) {
      requireRoom();
      // A response that is too large is refused at the first excess byte; by then, a whole window may be in transit.
      budget += (request.maxBytes ?? defaultMaxBytes) + streamWindowBytes + smallTalkBytes;
      return sendBuffered(session, request, inFlight);
    },
    stream(head: StreamHead) {
      requireRoom();
      if (head.protocol !== undefined && session.remoteSettings.enableConnectProtocol !== true)
        throw new TunnelError("The sensor takes no WebSockets", false);
      // HTTP/2 windows limit the data in transit, and each consumed chunk extends the budget.
      budget += streamWindowBytes + smallTalkBytes;
      return openStream(session, head, inFlight, (bytes) => void (budget += bytes + frameBytes));
    },
    probe(timeoutMs: number): Promise<boolean> {
      if (ended || !isReady || session.closed || session.destroyed) return Promise.resolve(false);
      return new Promise((resolve) => {
        const late = setTimeout(() => resolve(false), timeoutMs);
        const settle = (error: Error | null) => (clearTimeout(late), resolve(error === null));
        budget += smallTalkBytes;
        if (!session.ping(settle)) settle(new Error("Too many pings"));
      });
    },
  };
}

function connectOver(near: Socket): ClientHttp2Session {
  const session = connect("http://sensor", {
    createConnection: () => near,
    maxSessionMemory: 2,
    maxHeaderListPairs: 64,
    maxReservedRemoteStreams: 0,
    maxOutstandingPings: 2,
    peerMaxConcurrentStreams: maxRequests,
    settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes, initialWindowSize: streamWindowBytes },
  });
  session.once("connect", () => session.setLocalWindowSize(sessionWindow));
  return session;
}
