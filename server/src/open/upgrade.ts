// Connections that want to upgrade from HTTP: only at the paths that exist; the others are refused and closed.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** The path of a request for an upgrade; what can't be read as an address has none. */
export function upgradePath(request: IncomingMessage): string {
  return (request.url ?? "").split("?")[0] ?? "";
}

export type UpgradeGuard = ReturnType<typeof guardUpgrades>;

/**
 * Refuses upgrades at other paths than these, and at these while they are shut, as they are at first. One that ends with a slash
 * stands for all that begin with it. Without this, a connection for a path without a listener would stay open forever, and delay the shutdown.
 */
export function guardUpgrades(server: Server, paths: ReadonlySet<string>) {
  const open = new Set<string>();
  const beginnings = [...paths].filter((path) => path.endsWith("/"));
  server.on("upgrade", (request: IncomingMessage, stream: Duplex) => {
    const asked = upgradePath(request);
    const path = paths.has(asked) ? asked : beginnings.find((beginning) => asked.startsWith(beginning));
    if (path === undefined) refuseUpgrade(stream, "404 Not Found");
    else if (!open.has(path)) refuseUpgrade(stream, "503 Service Unavailable");
  });
  return {
    /** From now on there is a listener. */
    open: (path: string) => void open.add(path),
    /** From now on there is none. */
    shut: (path: string) => void open.delete(path),
  };
}

const closeTimeoutMs = 1000;

/** Ends an upgrade with a status line; with `retryAfterS` it says when to come back. */
export function refuseUpgrade(stream: Duplex, status: string, retryAfterS?: number): void {
  stream.on("error", () => stream.destroy());
  // A client that keeps its end open, or goes on sending, would keep the connection forever.
  const timer = setTimeout(() => stream.destroy(), closeTimeoutMs).unref();
  stream.once("close", () => clearTimeout(timer));
  const retry = retryAfterS === undefined ? "" : `Retry-After: ${retryAfterS}\r\n`;
  stream.end(`HTTP/1.1 ${status}\r\n${retry}Connection: close\r\nContent-Length: 0\r\n\r\n`);
}
