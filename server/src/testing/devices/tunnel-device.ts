// The sensor's end of a tunnel: a WebSocket with the device's credential that carries HTTP/2, or invalid data.
import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { createWebSocketStream, WebSocket } from "ws";
import { createSocketPairs } from "../../tunnel/socket-pair.ts";

/** Created early, because listening takes a moment. */
const pairs = createSocketPairs();

export type Credential = { wire: string; password: string };
export type OpenTunnel = {
  socket: WebSocket;
  /** The server's close code. */
  closed: Promise<number>;
  close(): void;
};
export type Serve = (request: Http2ServerRequest, reply: Http2ServerResponse, body: string) => void;

export function basicAuthHeader({ wire, password }: Credential): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${wire}:${password}`).toString("base64")}` };
}

/** Opens only the WebSocket, without HTTP/2. Rejects with the status of a refusal. */
export async function openSocket(
  url: string,
  headers: Record<string, string>,
  begin: (socket: WebSocket) => void = () => undefined,
): Promise<OpenTunnel> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/device/tunnel`, { headers, perMessageDeflate: false });
  // Called before the socket is open, because the server sends first.
  begin(socket);
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("unexpected-response", (_request, response) => reject(new Error(String(response.statusCode))));
    socket.once("error", reject);
  });
  socket.on("error", () => undefined);
  return { socket, closed, close: () => socket.terminate() };
}

/** Handles a forwarded WebSocket (RFC 8441), whose frames arrive on the stream. */
export type Upgrade = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** Opens a tunnel like a sensor; `serve` handles requests, `upgrade` WebSockets. */
export async function openTunnel(
  url: string,
  credential: Credential,
  serve: Serve,
  upgrade?: Upgrade,
): Promise<OpenTunnel> {
  const server = createServer({ settings: { enableConnectProtocol: upgrade !== undefined } });
  server.on("connect", (request, reply) => {
    reply.stream.on("error", () => undefined);
    upgrade?.(reply.stream, request.headers);
  });
  server.on("request", (request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => serve(request, reply, Buffer.concat(chunks).toString()));
    reply.stream.on("error", () => undefined);
  });
  server.on("sessionError", () => undefined);
  return openSocket(url, basicAuthHeader(credential), (socket) => {
    const stream = createWebSocketStream(socket);
    stream.on("error", () => undefined);
    const near = pairs.inFrontOf(stream);
    near.on("error", () => near.destroy());
    near.once("connect", () => server.emit("connection", near));
  });
}

export async function fetchRefusal(url: string, headers: Record<string, string>): Promise<string> {
  const refused = await openSocket(url, headers).then(
    ({ close }) => (close(), "open"),
    (error: Error) => error.message,
  );
  return refused;
}
