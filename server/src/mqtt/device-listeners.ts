// Accepts device connections over TCP, TLS and WebSocket, and turns each into a stream.
import { readFileSync } from "node:fs";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { readProxyHeader } from "../open/proxy-protocol.ts";
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
  /** Clients' addresses of connections that are still in the handshake of TLS, by the load balancer's address and port. */
  const announced = new Map<string, string | undefined>();
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

  function handle(socket: Socket) {
    socket.setNoDelay(true);
    if (!mqtt.isBehindProxy) return take(socket, socket.remoteAddress);
    const key = keyOf(socket);
    take(socket, announced.get(key));
    announced.delete(key);
  }

  /** Calls `then` with a socket and its client's address, once the load balancer has sent it. */
  const afterHeader = (then: (socket: Socket, address: string | undefined) => void) =>
    createServer({ backlog: 4096, pauseOnConnect: true } as object, (socket) => {
      socket.setNoDelay(true);
      socket.on("error", () => socket.destroy());
      readProxyHeader(socket).then(
        (address) => then(socket, address),
        () => socket.destroy(),
      );
    });

  function handleSecurely(secure: Server, socket: Socket, address: string | undefined) {
    const key = keyOf(socket);
    announced.set(key, address);
    socket.once("close", () => announced.delete(key));
    secure.emit("connection", socket);
  }

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
      const plain = mqtt.isBehindProxy ? afterHeader(take) : createServer({ backlog: 4096 } as object, handle);
      await listen(plain, mqtt.port);
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
      const behind = (socket: Socket, address: string | undefined) => handleSecurely(secure, socket, address);
      await listen(mqtt.isBehindProxy ? afterHeader(behind) : secure, mqtt.tls.port);
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
