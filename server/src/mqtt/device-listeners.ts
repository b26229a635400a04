// Accepts device connections over TCP, TLS and WebSocket, and turns each into a stream.
import { readFileSync } from "node:fs";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { protocolLimits } from "@psp/contract/device/device-topics.ts";
import { createWebSocketStream, WebSocketServer } from "ws";
import type { Context } from "../context.ts";

const handshakeTimeoutMs = 10_000;

export function createDeviceListeners(
  { mqtt, host }: Pick<Context["config"], "mqtt" | "host">,
  take: (stream: Duplex, remoteAddress: string | undefined) => void,
  onError: (error: unknown) => void,
) {
  const servers: Server[] = [];

  const handle = (socket: Socket) => {
    socket.setNoDelay(true);
    take(socket, socket.remoteAddress);
  };

  function listen(server: Server, port: number): Promise<void> {
    servers.push(server);
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        server.on("error", onError);
        resolve();
      });
    });
  }

  return {
    async open() {
      await listen(createServer({ backlog: 4096 } as object, handle), mqtt.port);
      if (!mqtt.tls) return;
      const secure = createTlsServer(
        {
          cert: readFileSync(mqtt.tls.cert),
          key: readFileSync(mqtt.tls.key),
          minVersion: "TLSv1.2",
          handshakeTimeout: handshakeTimeoutMs,
        },
        handle,
      );
      secure.on("tlsClientError", (_error, socket) => socket.destroy());
      await listen(secure, mqtt.tls.port);
    },
    /** WebSockets at `/mqtt`; refused while `isOpen` is false. */
    attach(server: HttpServer, isOpen: () => boolean) {
      const sockets = new WebSocketServer({
        noServer: true,
        maxPayload: protocolLimits.packetBytes,
        perMessageDeflate: false,
        handleProtocols: (offered) => (offered.has("mqtt") ? "mqtt" : false),
      });
      server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        if ((request.url ?? "").split("?")[0] !== "/mqtt") return;
        stream.on("error", () => stream.destroy());
        if (!isOpen()) return void stream.destroy();
        sockets.handleUpgrade(request, stream, head, (socket) =>
          take(createWebSocketStream(socket), request.socket.remoteAddress),
        );
      });
    },
    /** The bound TCP port if 0 was configured. */
    port(): number {
      const address = servers[0]?.address();
      return typeof address === "object" && address !== null ? address.port : mqtt.port;
    },
    /** Stops accepting; resolves when the last connection has ended. */
    async close() {
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}
