// The way from a browser to a sensor's own pages: HTTP and WebSockets through the tunnel, for open sessions only (PC-01, PC-02).
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import type { DeviceRoot } from "@psp/contract/remote-access/device-root.ts";
import { refuseUpgrade } from "../open/upgrade.ts";
import { TunnelError, type TunnelStream, type TunnelStreams } from "../tunnel/tunnel.service.ts";
import { deviceLabel } from "./device-host.ts";
import type { Front } from "./front-server.ts";
import { originOf, type PageOrigin, sessionCookie, sessionCookies, toBrowser, toSensor } from "./header-rules.ts";
import { hopHeader, passOn, passUpgradeOn } from "./peer.ts";
import { isLikeRpc, readQuestion, rpcPath } from "./question.ts";
import { type Refusal, sendRefusal, statusLineOf } from "./refusal-page.ts";

/** An open session of one person on one sensor's pages. */
export type PageSession = {
  sensorId: string;
  isReadOnly: boolean;
  /** As the sensor reads it in `x-psconnect-user`. */
  user: string;
  /** Aborted when the session ends, for whatever reason. */
  ended: AbortSignal;
  /** Whether a method of JSON-RPC may be passed on. */
  mayCall(method: string): boolean;
  /** Resolves when it is on record that something is about to be written there. */
  recordWrite(method: string, path: string): Promise<void>;
};

/** Who may come in. Both answer null for everything unknown, whatever the reason. */
export type Sessions = {
  /** Trades the token of a link, which is worth nothing afterwards, for the value of a cookie. */
  enter(label: string, token: string, cookies: readonly string[]): Promise<string | null>;
  find(label: string, cookies: readonly string[]): Promise<PageSession | null>;
};

export type ProxyParts = {
  log: Logger;
  root: DeviceRoot;
  scheme: PageOrigin["scheme"];
  consoleUrl: () => string;
  /** Null until everything has started. */
  running: () => {
    sessions: Sessions;
    /** Null where tunnels end in other processes only. */
    tunnels: TunnelStreams | null;
    /** Address of another process that has the sensor's tunnel, or null. */
    peerOf(sensorId: string): Promise<string | null>;
  } | null;
};

export const linkTokenPrefix = "remote_";
const linkToken = /^remote_[\w-]{40,60}$/;

const firstByteMs = 30_000;
const idleMs = 300_000;
const maxAtOnce = 24;
const maxSockets = 8;
const reading = new Set(["GET", "HEAD", "OPTIONS"]);

/** Handles whatever comes in for a host below the root. */
export function createProxy(parts: ProxyParts): Front & { stop(): void } {
  const { log, root, scheme, consoleUrl } = parts;
  /** What is under way, by session. */
  const requests = new Map<PageSession, Set<() => void>>();
  const sockets = new Map<PageSession, Set<() => void>>();

  const pageOf = (request: IncomingMessage): PageOrigin => ({
    scheme,
    host: (request.headers.host ?? "").toLowerCase(),
  });
  const takes = (request: IncomingMessage) => deviceLabel(root, request) !== null;

  /** Counts one more of the session until `side` closes; `end` is called when the session ends. "over": one of the two is gone already. */
  function join(
    all: typeof requests,
    session: PageSession,
    max: number,
    side: ServerResponse | Duplex,
    end: () => void,
  ): "joined" | "busy" | "over" {
    if (session.ended.aborted) end();
    if (session.ended.aborted || side.destroyed) return "over";
    const ends = all.getOrInsertComputed(session, () => new Set());
    if (ends.size >= max) return "busy";
    ends.add(end);
    session.ended.addEventListener("abort", end, { once: true });
    side.once("close", () => {
      session.ended.removeEventListener("abort", end);
      ends.delete(end);
      if (ends.size === 0) all.delete(session);
    });
    return "joined";
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const page = pageOf(request);
    const refuse = (refusal: Refusal) => sendRefusal(response, refusal, page, consoleUrl());
    const running = parts.running();
    if (!running) return refuse("lost");
    const label = deviceLabel(root, request) ?? "";
    const { method = "GET", url = "" } = request;
    if (!url.startsWith("/")) return refuse("unreadable");
    const cookies = sessionCookies(request.headers.cookie, page);
    const token = method === "GET" ? tokenOf(url) : null;
    if (token !== null) {
      // A browser that only fetches ahead must not spend it.
      if (request.headers["sec-purpose"] !== undefined) return refuse("refused");
      const cookie = await running.sessions.enter(label, token, cookies);
      return cookie === null ? refuse("refused") : welcome(response, page, cookie);
    }
    const session = await running.sessions.find(label, cookies);
    if (!session) return refuse("refused");
    if (isForeign(request, page)) return refuse("forbidden");
    const path = url.split("?")[0] ?? "";
    const isRpc = method === "POST" && path === rpcPath;
    if (!isRpc && !reading.has(method) && (session.isReadOnly || isLikeRpc(path))) return refuse("forbidden");
    // What is only read has no body; a sensor could take it for a write.
    if (session.isReadOnly && !isRpc && hasBody(request)) return refuse("forbidden");
    const { tunnels } = running;
    if (tunnels?.isOpen(session.sensorId)) return forward(request, response, { page, session, tunnels, isRpc, refuse });
    const peer = request.headers[hopHeader] === undefined ? await running.peerOf(session.sensorId) : null;
    if (peer === null) return refuse("lost");
    const joined = join(requests, session, maxAtOnce, response, () => refuse("refused"));
    if (joined !== "joined") return joined === "busy" ? refuse("busy") : undefined;
    passOn(request, response, peer, () => refuse("lost"));
  }

  type Forwarding = {
    page: PageOrigin;
    session: PageSession;
    tunnels: TunnelStreams;
    isRpc: boolean;
    refuse: (refusal: Refusal) => void;
  };

  async function forward(request: IncomingMessage, response: ServerResponse, way: Forwarding) {
    const { page, session, tunnels, isRpc, refuse } = way;
    const { method = "GET", url = "", headers } = request;
    let through: TunnelStream | null = null;
    const joined = join(requests, session, maxAtOnce, response, () => {
      through?.cancel();
      refuse("refused");
    });
    if (joined !== "joined") return joined === "busy" ? refuse("busy") : undefined;
    response.once("close", () => through?.cancel());
    const question = isRpc ? await readQuestion(request, (rpcMethod) => session.mayCall(rpcMethod)) : null;
    if (question !== null && "refusal" in question) return refuse(question.refusal);
    if (!reading.has(method))
      await session.recordWrite(method, question ? `${rpcPath} ${question.method}` : (url.split("?")[0] ?? ""));
    // Ended, or given up by the browser, meanwhile.
    if (session.ended.aborted || response.destroyed) return;
    const sent = toSensor(headers, session.user, page);
    if (question) {
      delete sent["content-encoding"];
      sent["content-type"] = "application/json";
      sent["content-length"] = String(Buffer.byteLength(question.text));
    }
    through = tunnels.stream(session.sensorId, {
      method,
      path: question && session.isReadOnly ? rpcPath : url,
      authority: page.host,
      headers: sent,
      isBodiless: !hasBody(request) && !question,
    });
    const silence = setTimeout(() => {
      through?.cancel();
      refuse("silent");
    }, firstByteMs);
    response.once("close", () => clearTimeout(silence));
    if (question) through.stream.end(question.text);
    else if (hasBody(request)) {
      // The sensor's time begins when it has everything.
      request.on("data", () => silence.refresh());
      request.pipe(through.stream);
    }
    const head = await through.head;
    clearTimeout(silence);
    if (response.headersSent || response.destroyed) return;
    const asked = { url, cookie: headers.cookie };
    const passed = head.status >= 200 && head.status < 600 ? toBrowser(head.headers, page, asked) : "broken";
    if (typeof passed === "string") {
      through.cancel();
      return refuse(passed);
    }
    response.writeHead(head.status, passed);
    through.pipeTo(response, idleMs);
  }

  async function join101(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const page = pageOf(request);
    const refuse = (refusal: Refusal) => refuseUpgrade(socket, statusLineOf(refusal));
    const running = parts.running();
    const { url = "", headers } = request;
    const key = headers["sec-websocket-key"];
    if (!running) return refuse("lost");
    const cookies = sessionCookies(headers.cookie, page);
    const session = await running.sessions.find(deviceLabel(root, request) ?? "", cookies);
    if (!session) return refuse("refused");
    // Whether what goes through a WebSocket reads or writes, nothing here can see.
    if (session.isReadOnly || isForeign(request, page)) return refuse("forbidden");
    const isHandshake =
      request.method === "GET" &&
      url.startsWith("/") &&
      headers.upgrade?.toLowerCase() === "websocket" &&
      headers["sec-websocket-version"] === "13" &&
      key !== undefined;
    if (!isHandshake) return refuse("unreadable");
    let through: TunnelStream | null = null;
    const joined = join(sockets, session, maxSockets, socket, () => {
      through?.cancel();
      socket.destroy();
    });
    if (joined !== "joined") return joined === "busy" ? refuse("busy") : undefined;
    socket.once("close", () => through?.cancel());
    if (!running.tunnels?.isOpen(session.sensorId)) {
      const peer = headers[hopHeader] === undefined ? await running.peerOf(session.sensorId) : null;
      if (peer === null) return refuse("lost");
      if (socket.destroyed) return undefined;
      return passUpgradeOn(request, socket, head, peer, () => refuse("lost"));
    }
    await session.recordWrite("WEBSOCKET", url.split("?")[0] ?? "");
    if (session.ended.aborted || socket.destroyed) return;
    through = running.tunnels.stream(session.sensorId, {
      method: "CONNECT",
      path: url,
      authority: page.host,
      headers: toSensor(headers, session.user, page),
      protocol: "websocket",
      isBodiless: false,
    });
    const silence = setTimeout(() => {
      through?.cancel();
      refuse("silent");
    }, firstByteMs);
    socket.once("close", () => clearTimeout(silence));
    const { status, headers: answered } = await through.head;
    clearTimeout(silence);
    if (socket.destroyed || socket.writableEnded) return;
    if (status !== 200) {
      through.cancel();
      return refuse("broken");
    }
    const lines = [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${acceptOf(key)}`,
      ...["sec-websocket-protocol", "sec-websocket-extensions"].flatMap((name) => {
        const value = answered[name];
        return typeof value === "string" ? `${name}: ${value}` : [];
      }),
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    if (head.length > 0) through.stream.write(head);
    socket.pipe(through.stream);
    through.pipeTo(socket);
  }

  return {
    takes,
    request(request, response) {
      response.on("error", () => response.destroy());
      request.on("error", () => response.destroy());
      answer(request, response).catch((error: unknown) => {
        if (!(error instanceof TunnelError)) log.warn({ err: error }, "a request for a sensor's page failed");
        if (!response.destroyed) sendRefusal(response, refusalOf(error), pageOf(request), consoleUrl());
      });
    },
    upgrade(request, socket, head) {
      socket.on("error", () => socket.destroy());
      join101(request, socket, head).catch((error: unknown) => {
        if (!(error instanceof TunnelError)) log.warn({ err: error }, "a WebSocket of a sensor's page failed");
        if (!socket.destroyed && !socket.writableEnded) refuseUpgrade(socket, statusLineOf(refusalOf(error)));
      });
    },
    stop() {
      for (const all of [requests, sockets]) for (const ends of all.values()) for (const end of ends) end();
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

function refusalOf(error: unknown): Refusal {
  return error instanceof TunnelError && error.sent ? "broken" : "lost";
}

/** The token of a link from the console. Parameters of this name that a sensor uses itself look different. */
function tokenOf(url: string): string | null {
  if (!url.startsWith("/?")) return null;
  const token = new URLSearchParams(url.slice(2)).get("token");
  return token !== null && linkToken.test(token) ? token : null;
}

/** The cookie is for this host alone, and how long it is worth something is ours to say; the address that remains has no token. */
function welcome(response: ServerResponse, page: PageOrigin, cookie: string): void {
  const secure = page.scheme === "https" ? "; Secure" : "";
  response.writeHead(303, {
    location: "/",
    "set-cookie": `${sessionCookie(page)}=${cookie}; Path=/; HttpOnly; SameSite=Lax${secure}`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-length": 0,
  });
  response.end();
}

/**
 * Asked for by a page of another origin: never a write or a WebSocket, and of reading only a person's navigation. Pages of
 * two sensors are of the same site: the cookie alone would not keep them apart.
 */
function isForeign({ method = "GET", headers }: IncomingMessage, page: PageOrigin): boolean {
  if (headers["service-worker"] !== undefined) return true;
  const { origin } = headers;
  const isRead = reading.has(method) && headers.upgrade === undefined;
  if (origin !== undefined && origin !== originOf(page)) return true;
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return !isRead || headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-dest"] !== "document";
}

/** RFC 6455 4.2.2. */
function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}
