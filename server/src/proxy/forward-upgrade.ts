// Forwards one WebSocket for a device page through its tunnel, or to the process that has it.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { TunnelStream, TunnelStreams } from "../tunnel/tunnel.service.ts";
import { firstByteTimeoutMs } from "./forward-request.ts";
import { type PageOrigin, toSensorHeaders } from "./header-rules.ts";
import type { InFlightLimit } from "./in-flight.ts";
import type { PageSession } from "./page-session.ts";
import { hopHeader, forwardUpgradeToPeer } from "./peer.ts";
import type { Refusal } from "./refusal-page.ts";

type Forwarding = {
  page: PageOrigin;
  session: PageSession;
  /** Null if this process accepts no tunnels. */
  tunnels: TunnelStreams | null;
  peerOf(sensorId: string): Promise<string | null>;
  key: string;
  inFlight: InFlightLimit;
  refuse: (refusal: Refusal) => void;
};

export async function forwardUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { page, session, tunnels, peerOf, key, inFlight, refuse }: Forwarding,
): Promise<void> {
  const { url = "", headers } = request;
  let through: TunnelStream | null = null;
  const joined = inFlight.join(session, socket, () => {
    through?.cancel();
    socket.destroy();
  });
  if (joined !== "joined") return joined === "busy" ? refuse("busy") : undefined;
  socket.once("close", () => through?.cancel());
  if (!tunnels?.isOpen(session.sensorId)) {
    const peer = headers[hopHeader] === undefined ? await peerOf(session.sensorId) : null;
    if (peer === null) return refuse("lost");
    if (socket.destroyed) return undefined;
    return forwardUpgradeToPeer(request, socket, head, peer, () => refuse("lost"));
  }
  await session.recordWrite("WEBSOCKET", url.split("?")[0] ?? "");
  if (session.ended.aborted || socket.destroyed) return;
  through = tunnels.stream(session.sensorId, {
    method: "CONNECT",
    path: url,
    authority: page.host,
    headers: toSensorHeaders(headers, session.user, page),
    protocol: "websocket",
    isBodiless: false,
  });
  const silence = setTimeout(() => {
    through?.cancel();
    refuse("silent");
  }, firstByteTimeoutMs);
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

/** Computes Sec-WebSocket-Accept (RFC 6455, section 4.2.2). */
function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}
