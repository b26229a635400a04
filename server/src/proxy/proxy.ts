// The proxy from browsers to device pages: HTTP and WebSockets through the tunnel, for open sessions only (PC-01, PC-02).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { DeviceRoot } from "@psp/contract/remote-access/device-root.ts";
import { refuseUpgrade } from "../open/upgrade.ts";
import { TunnelError, type TunnelStreams } from "../tunnel/tunnel.service.ts";
import { findDeviceHostLabel } from "./device-host.ts";
import { forwardRequest } from "./forward-request.ts";
import { forwardUpgrade } from "./forward-upgrade.ts";
import type { FrontHandler } from "./front-server.ts";
import { type PageOrigin, deviceSessionCookieName, readSessionCookies } from "./header-rules.ts";
import { createInFlightLimit } from "./in-flight.ts";
import type { PageSessions } from "./page-session.ts";
import { hopHeader, forwardToPeer } from "./peer.ts";
import { mayBeRpcPath, rpcPath } from "./rpc-request.ts";
import { type Refusal, sendRefusal, statusLineOf } from "./refusal-page.ts";
import { hasBody, isCrossOrigin, isReadMethod, getLinkToken } from "./request-rules.ts";

export type ProxyParts = {
  log: Logger;
  root: DeviceRoot;
  scheme: PageOrigin["scheme"];
  consoleUrl: () => string;
  /** Null until the server has started. */
  running: () => {
    sessions: PageSessions;
    /** Null if this process accepts no tunnels. */
    tunnels: TunnelStreams | null;
    /** URL of another process with the sensor's tunnel, or null. */
    peerOf(sensorId: string): Promise<string | null>;
  } | null;
};

const maxRequests = 24;
const maxSockets = 8;

export function createProxy(parts: ProxyParts): FrontHandler & { stop(): void } {
  const { log, root, scheme, consoleUrl } = parts;
  const requests = createInFlightLimit(maxRequests);
  const sockets = createInFlightLimit(maxSockets);

  const pageOf = (request: IncomingMessage): PageOrigin => ({
    scheme,
    host: (request.headers.host ?? "").toLowerCase(),
  });
  const matches = (request: IncomingMessage) => findDeviceHostLabel(root, request) !== null;

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const page = pageOf(request);
    const refuse = (refusal: Refusal) => sendRefusal(response, refusal, page, consoleUrl());
    const running = parts.running();
    if (!running) return refuse("lost");
    const label = findDeviceHostLabel(root, request) ?? "";
    const { method = "GET", url = "" } = request;
    if (!url.startsWith("/")) return refuse("unreadable");
    const cookies = readSessionCookies(request.headers.cookie, page);
    const token = method === "GET" ? getLinkToken(url) : null;
    if (token !== null) {
      // A prefetch must not use up the token.
      if (request.headers["sec-purpose"] !== undefined) return refuse("refused");
      const cookie = await running.sessions.exchangeToken(label, token, cookies);
      return cookie === null ? refuse("refused") : welcome(response, page, cookie);
    }
    const session = await running.sessions.find(label, cookies);
    if (!session) return refuse("refused");
    if (isCrossOrigin(request, page)) return refuse("forbidden");
    const path = url.split("?")[0] ?? "";
    const isRpc = method === "POST" && path === rpcPath;
    if (!isRpc && !isReadMethod(method) && (session.isReadOnly || mayBeRpcPath(path))) return refuse("forbidden");
    // A sensor could treat a GET or HEAD with a body as a write.
    if (session.isReadOnly && !isRpc && hasBody(request)) return refuse("forbidden");
    const { tunnels } = running;
    if (tunnels?.isOpen(session.sensorId))
      return forwardRequest(request, response, { page, session, tunnels, isRpc, inFlight: requests, refuse });
    const peer = request.headers[hopHeader] === undefined ? await running.peerOf(session.sensorId) : null;
    if (peer === null) return refuse("lost");
    const joined = requests.join(session, response, () => refuse("refused"));
    if (joined !== "joined") return joined === "busy" ? refuse("busy") : undefined;
    forwardToPeer(request, response, peer, () => refuse("lost"));
  }

  async function answerUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const page = pageOf(request);
    const refuse = (refusal: Refusal) => refuseUpgrade(socket, statusLineOf(refusal));
    const running = parts.running();
    const { url = "", headers } = request;
    const key = headers["sec-websocket-key"];
    if (!running) return refuse("lost");
    const cookies = readSessionCookies(headers.cookie, page);
    const session = await running.sessions.find(findDeviceHostLabel(root, request) ?? "", cookies);
    if (!session) return refuse("refused");
    // Messages of a WebSocket can't be checked for writes.
    if (session.isReadOnly || isCrossOrigin(request, page)) return refuse("forbidden");
    const isHandshake =
      request.method === "GET" &&
      url.startsWith("/") &&
      headers.upgrade?.toLowerCase() === "websocket" &&
      headers["sec-websocket-version"] === "13" &&
      key !== undefined;
    if (!isHandshake) return refuse("unreadable");
    const { tunnels, peerOf } = running;
    return forwardUpgrade(request, socket, head, { page, session, tunnels, peerOf, key, inFlight: sockets, refuse });
  }

  return {
    matches,
    handleRequest(request, response) {
      response.on("error", () => response.destroy());
      request.on("error", () => response.destroy());
      answer(request, response).catch((error: unknown) => {
        if (!(error instanceof TunnelError)) log.warn({ err: error }, "a request for a sensor's page failed");
        if (!response.destroyed) sendRefusal(response, refusalOf(error), pageOf(request), consoleUrl());
      });
    },
    handleUpgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      answerUpgrade(request, socket, head).catch((error: unknown) => {
        if (!(error instanceof TunnelError)) log.warn({ err: error }, "a WebSocket of a sensor's page failed");
        if (!socket.destroyed && !socket.writableEnded) refuseUpgrade(socket, statusLineOf(refusalOf(error)));
      });
    },
    stop() {
      requests.endAll();
      sockets.endAll();
    },
  };
}

function refusalOf(error: unknown): Refusal {
  return error instanceof TunnelError && error.sent ? "broken" : "lost";
}

/** Sets the session's host-only cookie and redirects to the start page, whose URL does not contain the token. */
function welcome(response: ServerResponse, page: PageOrigin, cookie: string): void {
  const secure = page.scheme === "https" ? "; Secure" : "";
  response.writeHead(303, {
    location: "/",
    "set-cookie": `${deviceSessionCookieName(page)}=${cookie}; Path=/; HttpOnly; SameSite=Lax${secure}`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-length": 0,
  });
  response.end();
}
