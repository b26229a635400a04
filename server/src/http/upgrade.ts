// Connections that want to become something else than HTTP: only at the doors that exist; the others are told so and closed.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** The path of a request for an upgrade; what can't be read as an address has none. */
export function upgradePath(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}

/** Without this, a connection for a door that nobody listens at would stay open for ever. */
export function refuseOtherUpgrades(server: Server, doors: ReadonlySet<string>): void {
  server.on("upgrade", (request: IncomingMessage, stream: Duplex) => {
    if (!doors.has(upgradePath(request))) refuseUpgrade(stream, "404 Not Found");
  });
}

/** Ends an upgrade with a status line. */
export function refuseUpgrade(stream: Duplex, status: string): void {
  stream.on("error", () => stream.destroy());
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
