// Proxy for device pages in the simulated VPN: hosts `hmi-{key}.{anything}` on one local port.
import { once } from "node:events";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Handler } from "../link/tunnel.ts";

const host = "127.0.0.1";
/** Hop-by-hop headers, and PS.Connect's headers, which don't apply to the VPN. */
const dropped =
  /^(:.*|host|connection|keep-alive|proxy-connection|transfer-encoding|te|upgrade|http2-settings|x-psconnect-.*)$/i;

function nameIn(authority: string | undefined): string {
  return /^hmi-([a-z0-9-]{1,59})\./i.exec(authority ?? "")?.[1]?.toLowerCase() ?? "";
}

const headersOf = ({ headers, url }: IncomingMessage) => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.test(name))),
  ":path": url ?? "/",
  ":authority": headers.host ?? "",
});

/** HTTP/1.1 response head that accepts a WebSocket (RFC 6455 4.2.2). */
function switchingProtocols({ headers }: IncomingMessage): string {
  const key = String(headers["sec-websocket-key"]);
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
}

/** Translates browsers' HTTP/1.1 to the sensors' HTTP/2. */
export async function openPageProxy(port: number, handlerOf: (name: string) => Handler | null) {
  const streams = new Map<string, Set<ServerHttp2Stream>>();
  const serveAny: Handler = (request, reply) => {
    const name = nameIn(request.authority);
    const serve = handlerOf(name);
    if (!serve)
      return reply.writeHead(404, { "content-type": "text/plain" }).end("No sensor with this name is connected.");
    const { stream } = reply;
    const own = streams.getOrInsertComputed(name, () => new Set());
    own.add(stream);
    stream.once("close", () => own.delete(stream));
    serve(request, reply);
  };
  // WebSockets are forwarded as CONNECT (RFC 8441).
  const settings = { enableConnectProtocol: true };
  const sensors = createHttp2Server({ maxSessionMemory: 1, settings }, serveAny).on("connect", serveAny);
  sensors.listen(0, host);
  await once(sensors, "listening");
  const { port: inner } = sensors.address() as AddressInfo;
  let session: ClientHttp2Session | null = null;

  function sessionToSensors(): ClientHttp2Session {
    if (session && !session.closed && !session.destroyed) return session;
    const next = connect(`http://${host}:${inner}`);
    next.on("error", () => next.destroy());
    next.unref();
    return (session = next);
  }

  function proxyRequest(request: IncomingMessage, reply: ServerResponse): void {
    const fail = () => {
      if (!reply.headersSent) reply.writeHead(502, { "content-type": "text/plain" });
      reply.end();
    };
    const stream = sessionToSensors().request({ ...headersOf(request), ":method": request.method ?? "GET" });
    stream.on("response", (answer: IncomingHttpHeaders & { ":status"?: number }) => {
      const kept = Object.fromEntries(Object.entries(answer).filter(([name]) => !dropped.test(name)));
      reply.writeHead(answer[":status"] ?? 502, kept);
      stream.pipe(reply);
    });
    stream.on("error", fail);
    stream.on("close", () => void (reply.writableEnded || fail()));
    request.on("error", () => stream.destroy());
    reply.on("close", () => stream.destroy());
    request.pipe(stream);
  }

  /** Forwards a WebSocket byte for byte once the sensor accepts it (RFC 6455). */
  function proxySocket(request: IncomingMessage, socket: Duplex): void {
    const session = sessionToSensors();
    socket.on("error", () => socket.destroy());
    const open = () => {
      if (socket.destroyed) return;
      const stream = session.request({ ...headersOf(request), ":method": "CONNECT", ":protocol": "websocket" });
      stream.on("response", ({ ":status": status }: IncomingHttpHeaders & { ":status"?: number }) => {
        if (status !== 200) return void socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
        socket.write(switchingProtocols(request));
        stream.pipe(socket).pipe(stream);
      });
      stream.on("error", () => socket.destroy());
      stream.on("close", () => socket.end(() => socket.destroy()));
      socket.on("close", () => stream.destroy());
    };
    // The peer's settings tell whether it supports CONNECT.
    if (session.remoteSettings?.enableConnectProtocol === true) open();
    else {
      const giveUp = () => socket.destroy();
      session.once("close", giveUp).once("remoteSettings", () => (session.off("close", giveUp), open()));
    }
  }

  const browsers = createServer(proxyRequest).on("upgrade", proxySocket);
  browsers.listen(port, host);
  try {
    await once(browsers, "listening");
  } catch (error) {
    sensors.close();
    throw error;
  }
  return {
    port: (browsers.address() as AddressInfo).port,
    /** Ends all open streams of a sensor that left. */
    close(name: string): void {
      for (const stream of streams.get(name) ?? []) stream.destroy();
      streams.delete(name);
    },
    async stop(): Promise<void> {
      browsers.closeAllConnections();
      browsers.close();
      session?.destroy();
      sensors.close();
      await once(sensors, "close");
    },
  };
}
