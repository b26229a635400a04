// One tunnel: HTTP/2 on a WebSocket, the sensor being the server on it. Whatever comes from there may be hostile (threats T-17).
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { createWebSocketStream, type WebSocket } from "ws";
import type { SocketPairs } from "./socket-pair.ts";
import { TunnelError, type TunnelReply, type TunnelRequest } from "./tunnel.service.ts";

export const tunnelCloseCodes = { goingAway: 1001, protocol: 1002, tooBig: 1009, void: 4401, replaced: 4409 } as const;

export const tunnelLimits = {
  /** A ping goes out this often; a sensor that has not answered the last one is gone. */
  beatMs: 15_000,
  /** Within this the sensor has to speak HTTP/2. */
  readyMs: 10_000,
  /** How often credentials and other processes are looked after. */
  registryMs: 10_000,
};
export type TunnelLimits = typeof tunnelLimits;

const maxRequests = 32;
const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;
/** What a sensor may send between two beats beside the answers asked for: settings, pings, windows. */
const smallTalkBytes = 64 * 1024;
/** Unsent bytes, e.g. answers to pings that the sensor does not read. */
const maxUnsentBytes = 1024 * 1024;
const closeTimeoutMs = 500;

export type TunnelSession = ReturnType<typeof openTunnelSession>;

type Events = { onReady(): void; onEnd(reason: string): void };

/** Speaks HTTP/2 on the socket until either side ends it; `onEnd` is called once. */
export function openTunnelSession(socket: WebSocket, pairs: SocketPairs, limits: TunnelLimits, events: Events) {
  const duplex = createWebSocketStream(socket, { highWaterMark: 64 * 1024 });
  const session = connectOver(pairs.inFrontOf(duplex));
  const inFlight = new Set<(error: TunnelError) => void>();
  let ended = false;
  let isReady = false;
  let alive = true;
  let budget = smallTalkBytes;

  const unready = setTimeout(() => end(tunnelCloseCodes.protocol, "No HTTP/2 in time"), limits.readyMs);
  const beat = setInterval(() => {
    if (!alive) return abort("no answer to a ping");
    alive = false;
    budget = inFlight.size === 0 ? smallTalkBytes : Math.max(budget, smallTalkBytes);
    if (socket.readyState === socket.OPEN) socket.ping();
  }, limits.beatMs);

  function over(reason: string): boolean {
    if (ended) return false;
    ended = true;
    clearTimeout(unready);
    clearInterval(beat);
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
  socket.on("pong", () => void (alive = true));
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

  return {
    /** Says why, and is gone within half a second. */
    end,
    request(request: TunnelRequest) {
      if (ended || !isReady || session.closed || session.destroyed) throw new TunnelError("There is no tunnel", false);
      if (inFlight.size >= maxRequests) throw new TunnelError("Too many requests at once", false);
      budget += (request.maxBytes ?? defaultMaxBytes) + smallTalkBytes;
      return exchange(session, request, inFlight);
    },
  };
}

function connectOver(near: Socket): ClientHttp2Session {
  return connect("http://sensor", {
    createConnection: () => near,
    maxSessionMemory: 2,
    maxHeaderListPairs: 64,
    maxReservedRemoteStreams: 0,
    maxOutstandingPings: 2,
    peerMaxConcurrentStreams: maxRequests,
    settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes, initialWindowSize: 65_535 },
  });
}

/** One request and its whole answer. Rejects with TunnelError; from here on it is unknown what the sensor received. */
function exchange(
  session: ClientHttp2Session,
  { method, path, headers, body, timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes }: TunnelRequest,
  inFlight: Set<(error: TunnelError) => void>,
): Promise<TunnelReply> {
  return new Promise((resolve, reject) => {
    const stream = open(session, { ":method": method, ":path": path, ...headers }, body === undefined);
    const pieces: Buffer[] = [];
    let bytes = 0;
    let status = 0;
    const timer = setTimeout(() => fail(new TunnelError("No answer in time", true)), timeoutMs);
    const settle = () => {
      clearTimeout(timer);
      inFlight.delete(fail);
    };
    const fail = (error: TunnelError) => {
      settle();
      if (!stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
      reject(status === 0 ? error : new TunnelError(error.message, true, status));
    };
    inFlight.add(fail);
    const take = (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) fail(new TunnelError("The answer is too large", true));
      else pieces.push(piece);
    };
    // Only then: data that comes in the same turn would be received before its head.
    stream.on("response", (head) => {
      status = Number(head[":status"] ?? 0);
      stream.on("data", take);
    });
    stream.on("error", (error) => fail(new TunnelError(error.message, true)));
    stream.on("close", () => {
      if (status === 0 || stream.rstCode !== constants.NGHTTP2_NO_ERROR || !stream.readableEnded)
        return fail(new TunnelError("The answer broke off", true));
      settle();
      resolve({ status, body: Buffer.concat(pieces) });
    });
    stream.end(body);
  });
}

function open(session: ClientHttp2Session, headers: Record<string, string>, endStream: boolean): ClientHttp2Stream {
  try {
    return session.request(headers, { endStream });
  } catch (error) {
    throw new TunnelError(error instanceof Error ? error.message : String(error), false);
  }
}
