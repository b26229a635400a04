// The socket of displays at `/live/occupancy/{locationId}?token=`: one connection, who may open it, its limits and its end.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { onlyUuids } from "@psp/contract/kit/ids.ts";
import { closeCodes } from "@psp/contract/live/channel.ts";
import { type WebSocket, WebSocketServer } from "ws";
import type { Context } from "../../context.ts";
import { isTrustedOrigin } from "../../http/session.ts";
import { createSocketSlots, socketRetryS } from "../../limits/socket-slots.ts";
import { refuseUpgrade, upgradePath } from "../../http/upgrade.ts";
import type { DisplayGuard, DisplayReader } from "./display.guard.ts";
import { createDisplayHub } from "./display.live.ts";
import type { DisplayClient } from "./rights.live.ts";

/** What the addresses of displays begin with. */
export const displayPath = "/live/occupancy/";

/** Some hundred messages that were not read. */
const maxBuffered = 64 * 1024;
const pingEveryMs = 25_000;
const keepEveryMs = 3_600_000;
const closeTimeoutMs = 1000;

export function startDisplaySocket(ctx: Context, server: Server, guard: DisplayGuard) {
  const hub = createDisplayHub(ctx, guard);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024, perMessageDeflate: false });
  const alive = new WeakMap<WebSocket, boolean>();
  const slots = createSocketSlots(ctx.config.sockets);
  const readers = new Map<WebSocket, DisplayReader>();
  let keptAtMs = ctx.clock.now();
  let stopped = false;

  const upgrade = (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const path = upgradePath(request);
    if (!path.startsWith(displayPath)) return;
    stream.on("error", () => stream.destroy());
    const origin = request.headers.origin;
    // Scripts send no Origin; a browser's foreign page is refused before it learns whether the token was good.
    if (origin !== undefined && !isTrustedOrigin(ctx.config, origin, request.socket.localPort))
      return refuseUpgrade(stream, "403 Forbidden");
    const token = new URLSearchParams((request.url ?? "").split("?")[1] ?? "").get("token") ?? "";
    // What is no id is the id of nothing.
    const [locationId = noLocation] = onlyUuids([path.slice(displayPath.length).toLowerCase()]);
    guard.admit(token, locationId).then(
      (found) => {
        if (found === "unknown") return refuseUpgrade(stream, "401 Unauthorized");
        if (found === "invisible") return refuseUpgrade(stream, "404 Not Found");
        if (stopped) return refuseUpgrade(stream, "503 Service Unavailable");
        if (!slots.take(stream, found.key, found.accountId))
          return refuseUpgrade(stream, "429 Too Many Requests", socketRetryS);
        sockets.handleUpgrade(request, stream, head, (socket) => open(socket, found, locationId));
      },
      (error: unknown) => {
        ctx.log.warn({ err: error }, "the upgrade of a display failed");
        refuseUpgrade(stream, "503 Service Unavailable");
      },
    );
  };
  server.on("upgrade", upgrade);

  function open(socket: WebSocket, reader: DisplayReader, locationId: string): void {
    const close = (code: number, reason: string) => {
      socket.close(code, reason);
      setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
    };
    const client: DisplayClient = {
      reader,
      close,
      sent: 0,
      send(frame) {
        if (socket.readyState !== socket.OPEN) return;
        if (socket.bufferedAmount > maxBuffered) return close(closeCodes.tooSlow, "Too slow");
        socket.send(frame);
      },
    };
    alive.set(socket, true);
    readers.set(socket, reader);
    ctx.metrics.liveSockets.inc();
    socket.on("pong", () => alive.set(socket, true));
    socket.on("error", () => socket.terminate());
    socket.on("message", () => close(1008, "Nothing is expected here"));
    socket.on("close", () => {
      hub.leave(client, locationId);
      readers.delete(socket);
      ctx.metrics.liveSockets.dec();
    });
    hub.join(client, locationId);
  }

  /** A display that is only looked at makes no request for months. */
  async function keepReaders(): Promise<void> {
    if (ctx.clock.now() - keptAtMs < keepEveryMs) return;
    keptAtMs = ctx.clock.now();
    for (const reader of readers.values()) await guard.keep(reader);
  }

  const pinger = setInterval(() => {
    keepReaders().catch((error: unknown) => ctx.log.warn({ err: error }, "the use of displays could not be noted"));
    for (const socket of sockets.clients) {
      if (alive.get(socket) === false) socket.terminate();
      else {
        alive.set(socket, false);
        socket.ping();
      }
    }
  }, pingEveryMs).unref();

  return {
    /** Events of other processes may have been lost. */
    missed() {
      guard.forget();
      hub.missed();
    },
    async stop() {
      stopped = true;
      clearInterval(pinger);
      server.off("upgrade", upgrade);
      for (const socket of sockets.clients) socket.close(closeCodes.goingAway, "Server stops");
      setTimeout(() => {
        for (const socket of sockets.clients) socket.terminate();
      }, 500).unref();
      await hub.stop();
    },
  };
}

const noLocation = "00000000-0000-0000-0000-000000000000";
