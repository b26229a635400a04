// Tunnel to the cloud: a WebSocket with the sensor as HTTP/2 server (docs/device-protocol.md#tunnel-and-rest-interface).
import { createServer, type Http2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { createWebSocketStream, WebSocket } from "ws";

export type Handler = (request: Http2ServerRequest, reply: Http2ServerResponse) => void;
export type Tunnel = { close(): void };

const handshakeMs = 30_000;
/** A tunnel without a ping from the cloud for this long is dead. */
const silentMs = 60_000;

const host = "127.0.0.1";
/** Handlers of all tunnels, by the local port of a tunnel's connection to the shared HTTP/2 server. */
const handlers = new Map<number, Handler>();
let http: Http2Server | null = null;

/**
 * One HTTP/2 server for all tunnels, reached over loopback: on the WebSocket's own stream, Node's HTTP/2 can crash with a
 * failed assertion when the stream breaks (ADR 0025).
 */
function answering(): Http2Server {
  if (http) return http;
  const serve: Handler = (request, reply) => handlers.get(request.socket.remotePort ?? 0)?.(request, reply);
  // WebSockets arrive as CONNECT (RFC 8441).
  http = createServer({ maxSessionMemory: 1, settings: { enableConnectProtocol: true } }, serve).on("connect", serve);
  http.listen(0, host).unref();
  return http;
}

type Events = { onUp(): void; onDown(reason: string): void };

export function openTunnel(
  url: string,
  { username, password }: { username: string; password: string },
  serve: Handler,
  events: Events,
): Tunnel {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const socket = new WebSocket(url, {
    headers: { authorization },
    perMessageDeflate: false,
    handshakeTimeout: handshakeMs,
    maxPayload: 256 * 1024,
  });
  // Created before the socket opens, because the cloud sends first.
  const stream = createWebSocketStream(socket);
  const server = answering();
  let reason = "closed";
  let silence: NodeJS.Timeout | null = null;
  const watchSilence = (): void => {
    if (silence) clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), silentMs).unref();
  };
  socket.on("open", () => (watchSilence(), events.onUp()));
  socket.on("ping", watchSilence);
  socket.on("error", (error) => void (reason = error.message));
  socket.on("close", (code) => {
    if (silence) clearTimeout(silence);
    events.onDown(reason === "closed" ? `closed with ${code}` : reason);
  });
  stream.on("error", () => socket.terminate());
  socket.on("open", () => {
    const address = server.address() as AddressInfo | null;
    // The server is normally listening by now; otherwise the tunnel is retried.
    if (!address) return socket.terminate();
    const near = connect({ port: address.port, host, noDelay: true });
    near.on("error", () => near.destroy());
    near.once("connect", () => {
      const port = near.localPort ?? 0;
      handlers.set(port, serve);
      near.once("close", () => handlers.delete(port));
      stream.pipe(near).pipe(stream);
    });
    near.once("close", () => socket.terminate());
    stream.once("close", () => near.destroy());
  });
  return { close: () => socket.terminate() };
}
