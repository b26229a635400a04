// Connections that want to become something else than HTTP: only at the doors that exist; the others are told so and closed.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** The path of a request for an upgrade; what can't be read as an address has none. */
export function upgradePath(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}

export type UpgradeGuard = {
  /** From now on somebody listens there. */
  open(path: string): void;
  /** From now on nobody does. */
  shut(path: string): void;
};

/**
 * Refuses upgrades at other doors than these, and at these while they are shut, as they are at first. Without this, a
 * connection for a door that nobody listens at would stay open for ever, and hold up the stop.
 */
export function guardUpgrades(server: Server, paths: ReadonlySet<string>): UpgradeGuard {
  const open = new Set<string>();
  server.on("upgrade", (request: IncomingMessage, stream: Duplex) => {
    const path = upgradePath(request);
    if (!paths.has(path)) refuseUpgrade(stream, "404 Not Found");
    else if (!open.has(path)) refuseUpgrade(stream, "503 Service Unavailable");
  });
  return { open: (path) => void open.add(path), shut: (path) => void open.delete(path) };
}

const goodbyeMs = 1000;

/** Ends an upgrade with a status line. */
export function refuseUpgrade(stream: Duplex, status: string): void {
  stream.on("error", () => stream.destroy());
  // Who keeps their end open, or goes on talking to nobody, would keep the connection for ever.
  const timer = setTimeout(() => stream.destroy(), goodbyeMs).unref();
  stream.once("close", () => clearTimeout(timer));
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
