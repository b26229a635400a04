// Admits WebSockets of all channels, keeps them alive, and closes those whose clients read too slowly.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "@psp/contract/errors.ts";
import { closeCodes } from "@psp/contract/live/channel.ts";
import { type WebSocket, WebSocketServer } from "ws";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import { isTrustedOrigin } from "../kit/origin.ts";
import { createSocketSlots, socketRetryS } from "../kit/limits/socket-slots.ts";
import type { Leases, LeaseTerms } from "./lease.ts";
import { refuseUpgrade, getUpgradePath } from "./upgrade.ts";

/** Refuses an upgrade with a status line and an optional Retry-After, or opens its socket. */
type Decision = { refused: string; retryAfterS?: number } | { open(socket: WebSocket): void };

const closeTimeoutMs = 1000;
const stopTimeoutMs = 500;
const pingEveryMs = 25_000;

/**
 * Accepts upgrades at `path`, or at all paths below it if it ends with a slash. `stop` closes all sockets and refuses pending upgrades
 * with 503. `drain` closes them one by one, so that their clients do not reconnect elsewhere all at once.
 */
export function acceptSockets(
  ctx: Pick<Context, "log">,
  server: Server,
  { path, maxPayload, decide }: { path: string; maxPayload: number; decide: (at: UpgradeRequest) => Promise<Decision> },
) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  let refusesNew = false;

  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const asked = getUpgradePath(request);
    if (path.endsWith("/") ? !asked.startsWith(path) : asked !== path) return;
    stream.on("error", () => stream.destroy());
    decide({ request, stream, subpath: asked.slice(path.length) }).then(
      (decision) => {
        if ("refused" in decision) refuseUpgrade(stream, decision.refused, decision.retryAfterS);
        else if (refusesNew) refuseUpgrade(stream, "503 Service Unavailable");
        else sockets.handleUpgrade(request, stream, head, (socket) => decision.open(socket));
      },
      (error: unknown) => {
        ctx.log.warn({ err: error, path }, "an upgrade failed");
        refuseUpgrade(stream, "503 Service Unavailable");
      },
    );
  };
  server.on("upgrade", upgrade);

  const sendAway = (socket: WebSocket) => socket.close(closeCodes.goingAway, "Server stops");
  return {
    async drain(withinMs: number): Promise<void> {
      refusesNew = true;
      const open = [...sockets.clients];
      const startedAt = performance.now();
      for (const [index, socket] of open.entries()) {
        const waitMs = (withinMs * index) / open.length - (performance.now() - startedAt);
        if (waitMs >= 1) await delay(waitMs);
        sendAway(socket);
      }
    },
    stop() {
      refusesNew = true;
      server.off("upgrade", upgrade);
      for (const socket of sockets.clients) sendAway(socket);
      setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, stopTimeoutMs).unref();
    },
  };
}
export type UpgradeRequest = { request: IncomingMessage; stream: Duplex; subpath: string };

/** Pings until the socket closes; `onDead` is called if a ping was not answered before the next one is due. */
export function keepAlive(socket: WebSocket, everyMs: number, onDead: () => void, onBeat?: () => void): void {
  let isAlive = true;
  const timer = setInterval(() => {
    if (!isAlive) return onDead();
    isAlive = false;
    onBeat?.();
    if (socket.readyState === socket.OPEN) socket.ping();
  }, everyMs).unref();
  socket.on("pong", () => void (isAlive = true));
  socket.once("close", () => clearInterval(timer));
}

export type Connection = {
  /** Returns false if the client reads too slowly and is being disconnected. */
  send(frame: string): boolean;
  close(code: number, reason: string): void;
};
export type Admission = {
  /** Key of the connection limit: the session or the display's token. */
  session: string;
  account: string;
  terms: Omit<LeaseTerms, "end">;
  open(connection: Connection): { message?(data: Buffer): void; closed(code: number): void };
};
export type Channel = {
  path: string;
  /** Maximum bytes of a client's message. */
  maxPayload: number;
  /** Maximum unread bytes of a client. */
  maxBuffered: number;
  admit(query: URLSearchParams, below: string): Promise<Admission | { refused: string }>;
};

/** Opens a channel for browsers and scripts. Checks origins and connection limits, and acquires a lease per connection. */
export function openChannel(ctx: Context, server: Server, leases: Leases, channel: Channel) {
  const slots = createSocketSlots(ctx.config.sockets);
  return acceptSockets(ctx, server, {
    ...channel,
    async decide({ request, stream, subpath }) {
      const origin = request.headers.origin;
      // Scripts send no Origin. A page of an untrusted origin is refused first, so that it can't learn whether a token is valid.
      if (origin !== undefined && !isTrustedOrigin(ctx.config, origin, request.socket.localPort))
        return { refused: "403 Forbidden" };
      const query = new URLSearchParams((request.url ?? "").split("?")[1] ?? "");
      const admission = await channel.admit(query, subpath);
      if ("refused" in admission) return admission;
      if (!slots.take(stream, admission.session, admission.account))
        return { refused: "429 Too Many Requests", retryAfterS: socketRetryS };
      return { open: (socket) => connect(socket, admission) };
    },
  });

  function connect(socket: WebSocket, { terms, open }: Admission) {
    const close = (code: number, reason: string) => {
      socket.close(code, reason);
      setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
    };
    const lease = leases.acquire({
      ...terms,
      end: (reason) =>
        reason instanceof AppError && reason.code === errorCode.unauthorized
          ? close(closeCodes.sessionEnded, "Session ended")
          : close(closeCodes.roleChanged, "Rights changed"),
    });
    ctx.metrics.liveSockets.inc();
    keepAlive(socket, pingEveryMs, () => socket.terminate());
    socket.on("error", () => socket.terminate());
    const { message, closed } = open({
      send(frame) {
        if (socket.readyState !== socket.OPEN) return true;
        if (socket.bufferedAmount <= channel.maxBuffered) {
          socket.send(frame);
          return true;
        }
        close(closeCodes.tooSlow, "Too slow");
        return false;
      },
      close,
    });
    socket.on("message", (data: Buffer) => (message ? message(data) : close(1008, "Nothing is expected here")));
    socket.on("close", (code) => {
      lease.release();
      ctx.metrics.liveSockets.dec();
      closed(code);
    });
    lease.recheck();
  }
}
