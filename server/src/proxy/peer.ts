// Forwards a request to the process that has the sensor's tunnel; that process checks the request again.
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";

/** Marks a forwarded request, which the next process must not forward again, even if the tunnel has moved. */
export const hopHeader = "x-psp-hop";
const ofConnection = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);
const maxSockets = 500;

const agent = new Agent({ keepAlive: true, maxSockets });

function begin(request: IncomingMessage, peer: string, keepAlive: boolean) {
  const { hostname, port, protocol } = new URL(peer);
  const { method, url: path } = request;
  const headers = { ...request.headers, [hopHeader]: "1" };
  return httpRequest({ hostname, port, protocol, method, path, headers, agent: keepAlive ? agent : false });
}

const kept = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)));

/** `fail` is called if the other process is unreachable. */
export function forwardToPeer(
  request: IncomingMessage,
  response: ServerResponse,
  peer: string,
  fail: () => void,
): void {
  const onward = begin(request, peer, true);
  onward.on("error", () => (response.headersSent ? response.destroy() : fail()));
  onward.on("response", (answer) => {
    answer.on("error", () => response.destroy());
    response.writeHead(answer.statusCode ?? 502, kept(answer.headers));
    answer.pipe(response);
  });
  response.once("close", () => onward.destroy());
  request.pipe(onward);
}

export function forwardUpgradeToPeer(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  peer: string,
  fail: () => void,
): void {
  const onward = begin(request, peer, false);
  let isThrough = false;
  onward.on("error", () => (isThrough ? socket.destroy() : fail()));
  onward.on("response", fail);
  onward.on("upgrade", (answer, far, farHead) => {
    isThrough = true;
    const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    if (farHead.length > 0) socket.write(farHead);
    if (head.length > 0) far.write(head);
    far.on("error", () => far.destroy());
    far.once("close", () => socket.destroy());
    far.pipe(socket);
    socket.pipe(far);
  });
  socket.once("close", () => onward.destroy());
  onward.end();
}
