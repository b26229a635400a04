// The live socket at `/live?token=`: one connection, its ticket, its limits and its end (docs/rules/live-channel.md#limits).
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { closeCodes } from "@psp/contract/live/channel.ts";
import { type Watch, watchSchema } from "@psp/contract/live/live.ts";
import { type WebSocket, WebSocketServer } from "ws";
import type { Context } from "../context.ts";
import { isTrustedOrigin } from "../http/session.ts";
import type { SessionActor } from "../kit/caller.ts";
import { createTokenBucket } from "../limits/rate-limit.ts";
import { createSocketSlots, socketRetryS } from "../limits/socket-slots.ts";
import { refuseUpgrade, upgradePath } from "../http/upgrade.ts";
import type { Hub, LiveClient } from "./hub.ts";

export type SocketGuard = {
  /** The actor behind a ticket or bearer token, or null. A ticket is used up. */
  admit(token: string): Promise<SessionActor | null>;
  /** The client said goodbye with 4000: the session ends for good. */
  logout(actor: SessionActor): Promise<void>;
  /** Somebody's number of open sockets changed between none and some. */
  presenceChanged(accountId: string): void;
};

const maxBuffered = 4 * 1024 * 1024;
/** A list of everything that a page shows. */
const maxPayload = 16_384;
/** Going from page to page is slower. */
const watches = { perSecond: 2, burst: 30 };
const pingEveryMs = 25_000;

export function startLiveSocket(ctx: Context, server: Server, hub: Hub, guard: SocketGuard) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  const alive = new WeakMap<WebSocket, boolean>();
  const slots = createSocketSlots(ctx.config.sockets);
  let stopped = false;

  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (upgradePath(request) !== "/live") return;
    stream.on("error", () => stream.destroy());
    const params = new URLSearchParams((request.url ?? "").split("?")[1] ?? "");
    const origin = request.headers.origin;
    // Scripts send no Origin; a browser's foreign page is refused before it learns whether the token was good.
    if (origin !== undefined && !isTrustedOrigin(ctx.config, origin, request.socket.localPort))
      return refuseUpgrade(stream, "403 Forbidden");
    const since = params.get("since");
    // A page says which counts it shows; until then it shows none.
    const watch = params.get("counts") === "watched" ? { measIDs: [], sensorIDs: [], any: false } : null;
    guard.admit(params.get("token") ?? "").then(
      (actor) => {
        if (!actor) return refuseUpgrade(stream, "401 Unauthorized");
        if (stopped) return refuseUpgrade(stream, "503 Service Unavailable");
        if (!slots.take(stream, actor.sessionId, actor.id))
          return refuseUpgrade(stream, "429 Too Many Requests", socketRetryS);
        sockets.handleUpgrade(request, stream, head, (socket) => open(socket, actor, watch, since));
      },
      (error: unknown) => {
        ctx.log.warn({ err: error }, "a live upgrade failed");
        refuseUpgrade(stream, "503 Service Unavailable");
      },
    );
  };
  server.on("upgrade", upgrade);

  function open(socket: WebSocket, actor: SessionActor, watch: Watch | null, since: string | null) {
    const pace = createTokenBucket(watches.perSecond, watches.burst);
    const client: LiveClient = {
      sessionId: actor.sessionId,
      actor,
      watch,
      sent: 0,
      send(frame) {
        if (socket.readyState !== socket.OPEN) return true;
        if (socket.bufferedAmount > maxBuffered) {
          socket.close(closeCodes.tooSlow, "Too slow");
          setTimeout(() => socket.terminate(), 1000).unref();
          return false;
        }
        socket.send(frame);
        return true;
      },
      close(code, reason) {
        socket.close(code, reason);
        setTimeout(() => socket.terminate(), 1000).unref();
      },
    };
    alive.set(socket, true);
    ctx.metrics.liveSockets.inc();
    if (ctx.presences.opened(actor.id) === 1) guard.presenceChanged(actor.id);
    socket.on("pong", () => alive.set(socket, true));
    socket.on("error", () => socket.terminate());
    // But for what it shows, nothing is expected of a client; one that talks is not ours.
    socket.on("message", (data: Buffer) => {
      const asked = parseWatch(data);
      if (asked === null || pace.delayMs(ctx.clock.now()) > 0) return socket.close(1008, "Nothing is expected here");
      hub.watch(client, asked);
    });
    socket.on("close", (code) => {
      hub.leave(client);
      ctx.metrics.liveSockets.dec();
      if (ctx.presences.closed(actor.id) === 0) guard.presenceChanged(actor.id);
      if (code === closeCodes.logout) {
        guard.logout(actor).catch((error: unknown) => ctx.log.error({ err: error }, "logout failed"));
      }
    });
    hub.join(client, since);
  }

  const pinger = setInterval(() => {
    for (const socket of sockets.clients) {
      if (alive.get(socket) === false) socket.terminate();
      else {
        alive.set(socket, false);
        socket.ping();
      }
    }
  }, pingEveryMs).unref();

  return {
    stop() {
      stopped = true;
      clearInterval(pinger);
      server.off("upgrade", upgrade);
      for (const socket of sockets.clients) socket.close(closeCodes.goingAway, "Server stops");
      setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, 500).unref();
    },
  };
}

function parseWatch(data: Buffer): Watch | null {
  try {
    return watchSchema.safeParse(JSON.parse(data.toString())).data?.watch ?? null;
  } catch {
    return null;
  }
}
